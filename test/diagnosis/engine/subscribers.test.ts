import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Dependency, dependencyOn, Subscribers } from '../../../src/diagnosis/engine/subscribers.ts';
import type { GraphNode } from '../../../src/graph/node.ts';
import type { Uid } from '../../../src/model/object.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { object as objectOf } from '../../ui/synthetic-source.ts';

const types = builtInTypes.filter(({ resource }) => ['pods', 'jobs', 'namespaces'].includes(resource));
// Also uids that are the name of a namespace, and the mark of all of them.
const word = fc.constantFrom('a', 'b', '', '*');
const uid = word.map(each => each as Uid);
const type = fc.constantFrom(...types);

const dependency: fc.Arbitrary<Dependency> = fc.oneof(
  uid.map(dependencyOn.object),
  uid.map(dependencyOn.dependents),
  fc.tuple(type, word, word).map(parts => dependencyOn.name(...parts)),
  fc.tuple(type, word).map(parts => dependencyOn.type(...parts)),
  type.map(dependencyOn.typeEverywhere),
  word.map(dependencyOn.contents),
);

const subscriptions = fc.array(fc.tuple(fc.constantFrom('s1', 's2', 's3'), dependency), { maxLength: 12 });

test('whoever looked at something of a node, and nobody else, is told of a change of it', () => {
  fc.assert(
    fc.property(
      fc.record({ type, namespace: word, name: word, uid, owners: fc.array(word, { maxLength: 2 }) }),
      subscriptions,
      subscriptions,
      ({ owners, ...made }, kept, dropped) => {
        const object = objectOf(made);
        const references = owners.map(owner => ({
          apiVersion: 'v1',
          kind: 'Pod',
          name: 'o',
          uid: owner as Uid,
        }));
        const node = { uid: made.uid, object, owners: references } as unknown as GraphNode;
        const subscribers = new Subscribers();
        for (const [who, what] of [...dropped, ...kept]) subscribers.add(who as Uid, what);
        for (const [who, what] of dropped) subscribers.remove(who as Uid, what);
        for (const [who, what] of kept) subscribers.add(who as Uid, what);
        const of = [
          dependencyOn.object(made.uid),
          ...owners.map(owner => dependencyOn.dependents(owner as Uid)),
          dependencyOn.name(made.type, made.namespace, made.name),
          dependencyOn.type(made.type, made.namespace),
          dependencyOn.typeEverywhere(made.type),
          dependencyOn.contents(made.namespace),
        ].map(({ key }) => key);
        const wanted = kept.filter(([, { key }]) => of.includes(key)).map(([who]) => who);
        const told = subscribers.ofNode(node).flatMap(uids => [...uids]);
        expect(new Set(told)).toEqual(new Set(wanted));
      },
    ),
    { numRuns: 500 },
  );
});
