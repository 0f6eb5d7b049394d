/** Details and rows show what the definition of a custom resource prints, and follow it when it changes. */
import { expect, test } from 'vitest';
import { detailsLines } from '../../../src/app/views/object-details.ts';
import { viewOf } from '../../../src/app/views/registry.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { JsonObject } from '../../../src/source/source.ts';
import { SmallSource } from '../../cli/console.ts';
import { listedBatch, objects } from '../../cli/documents/cluster.ts';
import { widgetTypes as types, UnwellSource } from '../../cli/session/unwell-source.ts';
import { sessionOn } from '../source-session.ts';

const widget = (version: number): string =>
  `- {kind: Widget, name: one, uid: one, resourceVersion: "${version}"}`;

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

test('rows without a state of their own show what the definition prints: one list, then what changes', async () => {
  const source = new UnwellSource('');
  const { session, second } = sessionOn(source, 160, 60);
  const rows = async (): Promise<string> => {
    for (let round = 0; round < 4; round += 1) await second(20);
    const state = session.getState();
    const lines = [...viewOf(state).lines(state, 120).rows(0, 40)];
    return lines.map(({ spans }) => spans.map(({ text }) => text).join('')).join('\n');
  };
  session.dispatch({ type: 'key', key: { text: '1' } });
  expect(await rows()).toContain('▸ 6 Widgets');
  expect(source.lists).toEqual([]);
  session.dispatch({ type: 'key', key: { name: 'enter' } });
  const first = await rows();
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    expect(first).toMatch(new RegExp(`Widget ${name} +Health=Degraded `, 'u'));
  expect(first).toMatch(/Widget f +Bound/u);
  expect(source.lists).toEqual(['Widget shop']);
  const { length } = source.gets;
  await rows();
  const changes = objects(source.widget('b', 2), types);
  source.health = 'Healthy\u001B[31m';
  source.emit({ changes });
  const after = await rows();
  expect(after).toMatch(/Widget b +Health=Healthy/u);
  expect(after).toMatch(/Widget a +Health=Degraded/u);
  expect(after).not.toContain('\u001B');
  expect(source.gets.slice(length)).toContain('b');
  expect(source.lists).toHaveLength(1);
  await session.close();
});

test.each(['files', 'replay'] as const)('no row is read for the state of %s', async kind => {
  const source = new UnwellSource('');
  Object.assign(source, { info: { ...source.info, source: kind } });
  const { session, second } = sessionOn(source, 160, 60);
  for (let round = 0; round < 4; round += 1) await second(20);
  session.dispatch({ type: 'key', key: { name: 'enter' } });
  for (let round = 0; round < 4; round += 1) await second(20);
  expect(source.lists).toEqual([]);
  await session.close();
});
