/** When what was wanted beside a scope has been read, or never will be. */
import { expect, test } from 'vitest';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { TypeStatus } from '../../../src/model/exchange/changes.ts';
import { types } from '../fixtures.ts';

const { secret } = types;
const everywhere = { type: secret, namespace: undefined, name: undefined };
const inOther = { ...everywhere, namespace: 'other' };

function viewOf(status: Partial<TypeStatus>): ClusterView {
  const view = new ClusterView();
  const scope = { namespaces: ['shop'] };
  view.apply({ types: [secret], scope, changes: [] }, 0);
  const known: TypeStatus = { type: secret, state: 'synced', count: 0, facts: true, ...status };
  view.apply({ statuses: [known], changes: [] }, 0);
  return view;
}

test.each([
  ['it is read in the scope alone', { namespaces: ['shop'] }, [false, false]],
  ['the rest is being listed', { state: 'listing', namespaces: ['shop'] }, [false, false]],
  ['another namespace is read', { namespaces: ['shop', 'other'] }, [false, true]],
  ['everything is read', {}, [true, true]],
  ['no more may be listed', { namespaces: ['shop'], reason: '403' }, [true, true]],
] as const)('all of a kind is settled or not where %s', (_, status, settled) => {
  const { wants } = viewOf(status);
  expect([everywhere, inOther].map(want => wants.isSettled(want))).toEqual(settled);
});

test('many objects of a kind are wanted as all of it', () => {
  const { wants } = viewOf({ namespaces: ['shop'] });
  for (const namespace of ['other', undefined])
    for (let index = 0; index < 60; index += 1)
      wants.note({ ...everywhere, namespace, name: `key-${index}` });
  expect(wants.take()).toEqual([inOther, everywhere]);
});

test('an object is settled by its own answer alone where no more of its kind may be listed', () => {
  const view = viewOf({ namespaces: ['shop'], reason: '403' });
  const want = { ...inOther, name: 'key' };
  expect(view.wants.isSettled(want)).toBe(false);
  const { apiVersion, kind } = secret;
  const lookUp = { of: 'object', apiVersion, kind, namespace: 'other', name: 'key', uid: '' } as const;
  view.apply({ lookUps: [{ lookUp, answer: { state: 'unknown', reason: 'no' } }], changes: [] }, 0);
  expect(view.wants.isSettled(want)).toBe(true);
});
