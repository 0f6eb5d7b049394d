import { describe, expect, it } from 'vitest';
import { type Taint, Toleration } from '../../../src/model/facts/facts.ts';
import { tolerationRules } from '../../../src/model/facts/tolerations.ts';

const FOREVER = Number.POSITIVE_INFINITY;
const NOW = Date.UTC(2026, 10, 21, 12);

function toleration(changes: Partial<Toleration>): Toleration {
  return { key: '', operator: '', value: '', effect: '', tolerationSeconds: undefined, ...changes };
}

function taint(key: string, changes: Partial<Taint> = {}): Taint {
  return { key, value: '', effect: 'NoExecute', ...changes };
}

const unreachable = taint('node.kubernetes.io/unreachable');
const exists = (key: string, tolerationSeconds?: number): Toleration =>
  toleration({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds });

describe('a toleration', () => {
  it('without an effect covers all effects, and with one only that', () => {
    expect(tolerationRules.tolerates([toleration({ key: 'a', operator: 'Exists' })], taint('a'))).toBe(true);
    const scheduling = toleration({ key: 'a', operator: 'Exists', effect: 'NoSchedule' });
    expect(tolerationRules.tolerates([scheduling], taint('a'))).toBe(false);
  });

  it('without an operator compares the values', () => {
    const equal = toleration({ key: 'a', value: 'x' });
    expect(tolerationRules.tolerates([equal], taint('a', { value: 'x' }))).toBe(true);
    expect(tolerationRules.tolerates([equal], taint('a', { value: 'y' }))).toBe(false);
    expect(tolerationRules.tolerates([{ ...equal, operator: 'Exists' }], taint('a', { value: 'y' }))).toBe(
      true,
    );
  });

  it('without a key covers every taint', () => {
    expect(
      tolerationRules.tolerates([toleration({ operator: 'Exists' })], taint('whatever', { value: 'x' })),
    ).toBe(true);
  });

  it('with Lt or Gt compares whole numbers, and nothing that is none', () => {
    const below = toleration({ key: 'a', operator: 'Lt', value: '10' });
    const values = ['9', '10', '-11', '09', '9.5', '', '99999999999999999999'];
    expect(values.map(value => tolerationRules.tolerates([below], taint('a', { value })))).toEqual([
      true,
      false,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(tolerationRules.tolerates([{ ...below, operator: 'Gt' }], taint('a', { value: '11' }))).toBe(true);
  });

  it('with an operator that nobody knows covers nothing', () => {
    expect(tolerationRules.tolerates([toleration({ key: 'a', operator: 'Like' })], taint('a'))).toBe(false);
  });
});

describe('the time that a pod may stay', () => {
  it('is that of the first toleration that covers a taint, and the shortest of all taints', () => {
    const own = [exists('a', 60), exists('a', 10), exists('b', 30), exists('c')];
    expect(tolerationRules.toleratedFor(own, [taint('a')])).toBe(60_000);
    expect(tolerationRules.toleratedFor(own, [taint('a'), taint('b')])).toBe(30_000);
    expect(tolerationRules.toleratedFor(own, [taint('c')])).toBe(FOREVER);
    expect(tolerationRules.toleratedFor(own, [taint('c'), taint('b')])).toBe(30_000);
  });

  it('is none where a taint is tolerated for no time, and undefined where it is not tolerated', () => {
    expect(tolerationRules.toleratedFor([exists('a')], [taint('a'), taint('b')])).toBeUndefined();
    expect(tolerationRules.toleratedFor([exists('a', 0)], [taint('a')])).toBe(0);
    expect(tolerationRules.toleratedFor([exists('a', -5)], [taint('a')])).toBe(0);
  });
});

describe('the time of an eviction', () => {
  const stay = { since: 0, now: NOW };
  const default300 = tolerationRules.admitted([]);

  it('counts from when the taint was added', () => {
    const taints = [{ ...unreachable, timeAdded: NOW - 120_000 }];
    expect(tolerationRules.evictionTime({ ...stay, tolerations: default300, taints })).toBe(NOW + 180_000);
  });

  it('counts from now where nobody wrote when, and from the pod where that is younger', () => {
    expect(tolerationRules.evictionTime({ ...stay, tolerations: default300, taints: [unreachable] })).toBe(
      NOW + 300_000,
    );
    const taints = [{ ...unreachable, timeAdded: NOW - 120_000 }];
    const since = NOW - 20_000;
    expect(tolerationRules.evictionTime({ tolerations: default300, taints, since, now: NOW })).toBe(
      NOW + 280_000,
    );
  });

  it('is never where all taints are tolerated for ever, or only keep pods from coming', () => {
    expect(
      tolerationRules.evictionTime({
        ...stay,
        tolerations: tolerationRules.ofDaemons,
        taints: [unreachable],
      }),
    ).toBeUndefined();
    expect(
      tolerationRules.evictionTime({
        ...stay,
        tolerations: [],
        taints: [taint('a', { effect: 'NoSchedule' })],
      }),
    ).toBeUndefined();
  });

  it('is not moved by a second taint that is tolerated for a while, however short', () => {
    for (const seconds of [10, 0]) {
      const tolerations = [exists('a', 300), exists('b', seconds)];
      const taints = [taint('b', { timeAdded: NOW - 50_000 }), taint('a', { timeAdded: NOW - 100_000 })];
      expect(tolerationRules.evictionTime({ ...stay, tolerations, taints })).toBe(NOW + 200_000);
    }
  });

  it('is that of the second taint where the pod does not tolerate it', () => {
    const taints = [taint('b', { timeAdded: NOW - 50_000 }), { ...unreachable, timeAdded: NOW - 100_000 }];
    expect(tolerationRules.evictionTime({ ...stay, tolerations: default300, taints })).toBe(NOW - 50_000);
  });
});

describe('lists of tolerations', () => {
  it('are one frozen list where they are equal', () => {
    const one = Toleration.shared([exists('a', 300)]);
    expect(Toleration.shared([exists('a', 300)])).toBe(one);
    expect(Object.isFrozen(one)).toBe(true);
    expect(Toleration.shared([exists('a')])).not.toBe(one);
    expect(Toleration.shared([exists('a', 0)])).not.toBe(Toleration.shared([exists('a')]));
  });

  it('get what admission adds, unless the pod says something of that taint', () => {
    const keys = (own: readonly Toleration[]) =>
      tolerationRules.admitted(own).map(({ key, tolerationSeconds }) => [key, tolerationSeconds]);
    expect(keys([])).toEqual([
      ['node.kubernetes.io/not-ready', 300],
      ['node.kubernetes.io/unreachable', 300],
    ]);
    expect(keys([exists('node.kubernetes.io/unreachable', 5)])).toEqual([
      ['node.kubernetes.io/unreachable', 5],
      ['node.kubernetes.io/not-ready', 300],
    ]);
    const everything = [toleration({ operator: 'Exists' })];
    expect(keys(everything)).toEqual([['', undefined]]);
  });
});
