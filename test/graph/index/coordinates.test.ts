import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { OwnershipGraph } from '../../../src/graph/graph.ts';
import type { Change } from '../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { object, types } from '../fixtures.ts';

const namespaces = ['ns1', 'ns2'];
const names = ['a', 'b', 'c'];
const kinds = [types.pod, types.role];

type Step =
  | { readonly does: 'upsert' | 'delete'; readonly object: KubeObject }
  | { readonly does: 'find' | 'list' | 'all'; readonly object: KubeObject };

const step: fc.Arbitrary<Step> = fc
  .record({
    does: fc.constantFrom('upsert', 'upsert', 'delete', 'find', 'list', 'all'),
    type: fc.constantFrom(...kinds),
    namespace: fc.constantFrom(...namespaces),
    name: fc.constantFrom(...names),
  })
  .map(({ does, type, namespace, name }) => ({
    does,
    object: object({ uid: `${type.kind}-${namespace}-${name}`, type, namespace, name }),
  }));

function change({ does, object: subject }: Step): Change {
  const { type, uid } = subject;
  return does === 'upsert' ? { op: 'upsert', object: subject } : { op: 'delete', type, uid };
}

const uids = (nodes: Iterable<{ readonly identity: { readonly uid: string } }>): string[] =>
  [...nodes].map(({ identity }) => identity.uid).sort();

test('look-ups by type, namespace and name agree with what is there, whenever they were first asked for', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), steps => {
      const graph = new OwnershipGraph();
      const there = new Map<string, KubeObject>();
      for (const each of steps) {
        const { type, namespace, name, uid } = each.object;
        const known = [...there.values()].filter(other => other.type === type);
        switch (each.does) {
          case 'upsert':
            there.set(uid, each.object);
            graph.apply([change(each)]);
            break;
          case 'delete':
            there.delete(uid);
            graph.apply([change(each)]);
            break;
          case 'find':
            expect(graph.find(type, namespace, name)?.object?.uid).toBe(there.get(uid)?.uid);
            break;
          case 'list':
            expect(uids(graph.inNamespace(type, namespace))).toEqual(
              known.flatMap(other => (other.namespace === namespace ? [other.uid] : [])).sort(),
            );
            break;
          case 'all':
            expect(uids(graph.ofType(type))).toEqual(known.map(other => other.uid).sort());
        }
      }
    }),
  );
});

describe('an object that was made again under its name', () => {
  it('is found after its predecessor is reported as gone', () => {
    const graph = new OwnershipGraph();
    const [old, young] = ['old', 'young'].map(uid => object({ uid, name: 'web' }));
    if (old === undefined || young === undefined) throw new Error('two objects');
    graph.apply([{ op: 'upsert', object: old }]);
    expect(graph.find(old.type, old.namespace, 'web')?.identity.uid).toBe('old');
    graph.apply([
      { op: 'upsert', object: young },
      { op: 'delete', type: old.type, uid: old.uid },
    ]);
    expect(graph.find(old.type, old.namespace, 'web')?.identity.uid).toBe('young');
    expect(uids(graph.inNamespace(old.type, old.namespace))).toEqual(['young']);
  });
});
