/** Random ownership graphs for forecasts, and the view of a cluster that holds them. */
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import { KubeObject, type OwnerReference, type ResourceVersion, type Uid } from '../../src/model/object.ts';
import { objectJson } from '../../src/model/object-json.ts';
import { revised } from '../../src/simulation/api/revise.ts';
import type { Random } from '../../src/simulation/runtime/random.ts';
import { listedView } from '../cli/documents/cluster.ts';
import { builtIn, NOW } from '../simulation/fixtures.ts';

const kinds = ['ConfigMap', 'Secret', 'Service', 'ClusterRole'] as const;
export function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[random.below(list.length)] ?? list[0];
}

/** Mostly right references, to owners that stand anywhere in the list, so that cycles occur. */
function reference(
  random: Random,
  places: readonly { readonly kind: string; readonly uid: Uid }[],
): OwnerReference {
  const place = places[random.below(places.length)];
  const odd = random.below(12);
  const type = builtIn(odd === 0 ? pick(random, kinds) : (place?.kind ?? 'ConfigMap'));
  return {
    apiVersion: odd === 1 ? 'example.com/v1' : type.apiVersion,
    kind: type.kind,
    name: odd === 2 ? 'renamed' : (place?.uid ?? 'x'),
    uid: odd === 3 ? ('nobody' as Uid) : (place?.uid ?? ('x' as Uid)),
    controller: undefined,
    blockOwnerDeletion: random.below(3) > 0 ? true : undefined,
  };
}

export function world(random: Random): KubeObject[] {
  const count = 2 + random.below(7);
  const places = Array.from({ length: count }, (_, index) => ({
    kind: random.below(8) === 0 ? 'ClusterRole' : pick(random, ['ConfigMap', 'Secret', 'Service'] as const),
    uid: `o${index}` as Uid,
  }));
  return places.map(({ kind, uid }) => {
    const type = builtIn(kind);
    return new KubeObject({
      type,
      namespace: type.namespaced ? (random.below(8) === 0 ? 'ns2' : 'ns1') : '',
      name: uid,
      uid,
      resourceVersion: '1' as ResourceVersion,
      creationTimestamp: NOW - 60_000,
      finalizers: random.below(6) === 0 ? ['example.com/hold'] : [],
      owners: Array.from({ length: random.below(3) }, () => reference(random, places)),
    });
  });
}

/** The same in namespaces that are objects too, with pods of which some have nobody who stops them. */
export function emptiableWorld(random: Random): KubeObject[] {
  const held = world(random).map(object =>
    random.below(3) === 0 ? revised(object, { finalizers: ['example.com/hold'] }) : object,
  );
  const base = { resourceVersion: '1' as ResourceVersion, creationTimestamp: NOW - 60_000 };
  const namespaces = ['ns1', 'ns2'].map(
    name =>
      new KubeObject({
        ...base,
        type: builtIn('Namespace'),
        namespace: '',
        name,
        uid: name as Uid,
        facts: { kind: 'Namespace', phase: 'Active', specFinalizers: ['kubernetes'], conditions: [] },
      }),
  );
  const pods = Array.from({ length: random.below(3) }, (_, index) => {
    const owner = held[random.below(held.length)];
    const owned = owner?.namespace === 'ns1' && random.below(2) === 0;
    return objectJson.read(builtIn('Pod'), {
      metadata: {
        namespace: 'ns1',
        name: `pod${index}`,
        uid: `pod${index}`,
        resourceVersion: '1',
        creationTimestamp: new Date(NOW - 60_000).toISOString(),
        finalizers: random.below(3) === 0 ? ['example.com/hold'] : [],
        ownerReferences: owned
          ? [
              {
                apiVersion: owner.type.apiVersion,
                kind: owner.type.kind,
                name: owner.name,
                uid: owner.uid,
                blockOwnerDeletion: random.below(2) === 0,
              },
            ]
          : [],
      },
      spec: { nodeName: pick(random, ['ready', 'silent']), containers: [{ name: 'main' }] },
      status: { phase: 'Running' },
    });
  });
  const nodes = [
    ['ready', 'True'],
    ['silent', 'Unknown'],
  ].map(([name, status]) =>
    objectJson.read(builtIn('Node'), {
      metadata: { name, uid: name, resourceVersion: '1' },
      status: { conditions: [{ type: 'Ready', status }] },
    }),
  );
  return [...held, ...namespaces, ...[...pods, ...nodes].filter(object => object !== undefined)];
}

export function viewOf(objects: readonly KubeObject[]): ClusterView {
  return listedView(objects.map(object => ({ op: 'upsert', object })));
}
