import { describe, expect, it } from 'vitest';
import { statefulNames } from '../../../src/model/facts/stateful-names.ts';
import { object, type } from '../../graph/fixtures.ts';

const set = object({
  uid: 'set',
  name: 'web-db',
  type: type({ group: 'apps', kind: 'StatefulSet', resource: 'statefulsets' }),
});
const pods = (...names: string[]) => names.map(name => object({ uid: name, name }));

describe('the names of a StatefulSet’s pods', () => {
  it('are the set’s name and an ordinal', () => {
    const [member, other, without] = pods('web-db-12', 'web-3', 'web-db');
    if (member === undefined || other === undefined || without === undefined) throw new Error('three pods');
    expect([member, other, without].map(pod => statefulNames.isMember(set, pod))).toEqual([
      true,
      false,
      false,
    ]);
    expect([member, other, without].map(statefulNames.ordinal)).toEqual([12, 3, -1]);
  });

  it('name their claims', () => {
    expect(statefulNames.claim('data', set, 2)).toBe('data-web-db-2');
  });

  it('tell the first ordinal only where they form one run of the wanted length', () => {
    expect(statefulNames.inferStart(pods('web-db-5', 'web-db-7', 'web-db-6'), 3)).toBe(5);
    expect(statefulNames.inferStart(pods('web-db-1', 'web-db-2'), 3)).toBe(0);
    expect(statefulNames.inferStart(pods('web-db-1', 'web-db-3'), 2)).toBe(0);
    expect(statefulNames.inferStart([], 2)).toBe(0);
  });
});
