/** A cluster written in the ways in which people dump theirs. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import type { JsonRecord } from '../../../../src/model/json/json.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import { objectJson } from '../../../../src/model/object-json.ts';
import { folderOf } from '../reading.ts';
import type { Dump } from './dump.ts';

const list = (items: readonly JsonRecord[]): JsonRecord => ({
  apiVersion: 'v1',
  items,
  kind: 'List',
  metadata: { resourceVersion: '' },
});

function typedList(objects: readonly KubeObject[]): JsonRecord {
  const [first] = objects;
  const items = objects.map(object => {
    const { apiVersion: _, kind: _kind, ...rest } = objectJson.write(object);
    return rest;
  });
  return {
    kind: `${first?.type.kind ?? ''}List`,
    apiVersion: first?.type.apiVersion ?? '',
    metadata: { resourceVersion: '7' },
    items,
  };
}

function by<K>(objects: readonly KubeObject[], key: (object: KubeObject) => K): [K, KubeObject[]][] {
  return [...Map.groupBy(objects, key)];
}

const layouts = {
  'one list': objects => [['all.json', [list(objects.map(objectJson.write))]]],
  'a list by kind': objects =>
    by(objects, ({ type }) => type).map(([{ resource, group }, alike]) => [
      `${resource}.${group}.json`,
      [list(alike.map(objectJson.write))],
    ]),
  'cluster-info dump': objects =>
    by(objects, ({ type, namespace }) => `${namespace}/${type.resource}`).map(([place, alike]) => [
      place.startsWith('/') ? `${place.slice(1)}.json` : `${place}.json`,
      [typedList(alike)],
    ]),
  'objects by themselves': objects =>
    objects.map(object => [
      `${object.type.resource}-${object.namespace}-${object.name}.json`,
      [objectJson.write(object)],
    ]),
  'must-gather': objects =>
    by(objects, ({ type, namespace, name }) =>
      namespace !== ''
        ? `namespaces/${namespace}/${type.group || 'core'}/${type.resource}.yaml`
        : type.kind === 'Namespace'
          ? `namespaces/${name}/${name}.yaml`
          : `cluster-scoped-resources/${type.group || 'core'}/${type.resource}/${name}.yaml`,
    ).map(([place, alike]) => [
      place,
      alike[0]?.namespace === '' ? alike.map(objectJson.write) : [typedList(alike)],
    ]),
} as const satisfies Readonly<Record<string, (objects: readonly KubeObject[]) => [string, JsonRecord[]][]>>;

export type Layout = keyof typeof layouts;

export const allLayouts = Object.keys(layouts) as readonly Layout[];

/** The folder, and what is in it. `now`: when it is written, in milliseconds since the epoch. */
export function writeDump(
  view: ClusterView,
  layout: Layout,
  now: number,
): { readonly dump: Dump; readonly folder: string } {
  const objects = [...view.graph.nodes()].flatMap(({ object }) => (object === undefined ? [] : [object]));
  const dump: Dump = new Map(layouts[layout](objects));
  const folder = folderOf({});
  for (const [file, documents] of dump) {
    const at = path.join(folder, file);
    mkdirSync(path.dirname(at), { recursive: true });
    writeFileSync(at, documents.map(each => JSON.stringify(each)).join('\n---\n'));
    utimesSync(at, now / 1000, now / 1000);
  }
  return { dump, folder };
}
