/** A cluster with custom resources that report their health in a field that only their definition's columns name. */
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import type { JsonObject } from '../../../src/source/source.ts';
import { builtIn } from '../../simulation/fixtures.ts';
import { SmallSource } from '../console.ts';
import { listedBatch, objects } from '../documents/cluster.ts';

export const widgetTypes: readonly ResourceType[] = [
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

const names = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Six Widgets; the last one has a phase. */
export class UnwellSource extends SmallSource {
  readonly lists: (string | undefined)[] = [];
  readonly gets: string[] = [];
  health = 'Degraded';

  override start(listener: (batch: SourceBatch) => void): Promise<void> {
    this.emit = listener;
    listener(
      listedBatch(objects(names.map(name => this.widget(name, 1)).join('\n'), widgetTypes), widgetTypes),
    );
    return Promise.resolve();
  }

  widget(name: string, version: number): string {
    const status = name === 'f' ? 'phase: Bound' : `health: ${this.health}`;
    return `- {kind: Widget, name: ${name}, uid: ${name}, resourceVersion: "${version}", status: {${status}}}`;
  }

  override get({ kind }: ResourceType, _: string, name: string): Promise<JsonObject | undefined> {
    const additionalPrinterColumns = [{ name: 'Health', type: 'string', jsonPath: '.status.health' }];
    if (kind !== 'Widget')
      return Promise.resolve({ spec: { versions: [{ name: 'v1', additionalPrinterColumns }] } });
    this.gets.push(name);
    return Promise.resolve(this.#json(name));
  }

  readonly list = ({ kind }: ResourceType, namespace: string | undefined): Promise<readonly JsonObject[]> => {
    this.lists.push(`${kind} ${namespace}`);
    return Promise.resolve(names.map(name => this.#json(name)));
  };

  #json(name: string): JsonObject {
    return { metadata: { namespace: 'shop', name }, status: { health: this.health } };
  }
}
