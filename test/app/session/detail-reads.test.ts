/** The details show what the definition of a custom resource prints, and follow it when it changes. */
import { expect, test } from 'vitest';
import { detailsLines } from '../../../src/app/views/object-details.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import type { JsonObject } from '../../../src/source/source.ts';
import { SmallSource } from '../../cli/console.ts';
import { listedBatch, objects } from '../../cli/documents/cluster.ts';
import { builtIn } from '../../simulation/fixtures.ts';
import { sessionOn } from '../source-session.ts';

const widget = (version: number): string =>
  `- {kind: Widget, name: one, uid: one, resourceVersion: "${version}"}`;

const types: readonly ResourceType[] = [
  ...builtInTypes,
  {
    ...builtIn('ConfigMap'),
    group: 'example.com',
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    resource: 'widgets',
    singular: 'widget',
    shortNames: [],
  },
];

class PrintingSource extends SmallSource {
  size = '7';
  reads = 0;

  override start(listener: (batch: SourceBatch) => void): Promise<void> {
    this.emit = listener;
    listener(listedBatch(objects(widget(1), types), types));
    return Promise.resolve();
  }

  override get({ kind }: ResourceType): Promise<JsonObject | undefined> {
    this.reads += 1;
    const additionalPrinterColumns = [{ name: 'Size', type: 'string', jsonPath: '.spec.size' }];
    return Promise.resolve(
      kind === 'Widget'
        ? { metadata: { namespace: 'shop', name: 'one' }, spec: { size: this.size } }
        : { spec: { versions: [{ name: 'v1', additionalPrinterColumns }] } },
    );
  }
}

test('the details show the columns of the object as it is now, read once', async () => {
  const source = new PrintingSource('');
  const { session, second } = sessionOn(source, 160, 60);
  const settle = async (): Promise<string> => {
    for (let round = 0; round < 3; round += 1) await second(20);
    return detailsLines(session.getState(), 60)
      .map(spans => spans.map(({ text }) => text).join(''))
      .join('\n');
  };
  session.dispatch({ type: 'key', key: { text: '1' } });
  expect(await settle()).toContain('Printer columns\n  Size=7');
  const { reads } = source;
  expect(await settle()).toContain('Size=7');
  expect(source.reads).toBe(reads);
  source.size = '8\u001B[31m';
  source.emit({ changes: objects(widget(2), types) });
  const after = await settle();
  expect(after).toContain('Size=8');
  expect(after).not.toContain('\u001B');
  await session.close();
});
