/** When a newer forecast of an action must be called about, because it is worse than the one that was confirmed. */
import { describe, expect, it } from 'vitest';
import { Prepared, prepare } from '../../../src/actions/prepare/prepare.ts';
import { promises, readsAsMuch } from '../../../src/actions/prepare/promise.ts';
import type { Cascade } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import { differenceLines } from '../../../src/text/actions/difference.ts';
import { deployment, nodes, now, objectOf, viewOf } from '../../forecast/fixtures.ts';

function deleted(cascade: Cascade, yaml: string, ...uids: string[]): Prepared {
  const view = viewOf(yaml);
  const targets = uids.map(uid => objectOf(view, uid));
  const intent = { verb: 'delete', cascade, targets } as const;
  return prepare(Forecaster.create(view, { now }), intent, { secretData: false });
}

function deleting(yaml: string, ...uids: string[]): Prepared {
  return deleted('background', yaml, ...uids);
}

function difference(before: Prepared, after: Prepared): string {
  return differenceLines(before, after)
    .map(({ spans }) =>
      spans
        .map(({ text }) => text)
        .join('')
        .trim(),
    )
    .join('\n');
}

const pods = `${nodes}${deployment('api', 3)}`;

describe('is no worse', () => {
  it('where fewer pods are deleted, and as many fewer come back', () => {
    const before = deleting(pods, 'api-h-0', 'api-h-1');
    expect(promises.areNoWorse(before, deleting(pods, 'api-h-0'))).toBe(true);
    expect(promises.areNoWorse(deleting(pods, 'api-h-0'), before)).toBe(false);
  });

  it('where unrelated objects that are created take other uids in the simulation', () => {
    const before = deleting(pods, 'api-h');
    const after = deleting(
      `${pods}${deployment('web', 2)}`.replace(/- \{kind: Pod, name: web-h-1.*\n?/u, ''),
      'api-h',
    );
    expect(promises.areNoWorse(before, after)).toBe(true);
  });

  it('where what was to stay terminating is deleted', () => {
    const held = '- {kind: ConfigMap, name: a, finalizers: [example.com/hold]}';
    const before = deleting(held, 'a');
    expect(before.forecast.outcome).toBe('Stuck');
    const after = deleting('- {kind: ConfigMap, name: a}', 'a');
    expect(promises.areNoWorse(before, after)).toBe(true);
    expect(promises.areNoWorse(after, before)).toBe(false);
    expect(difference(after, before)).toContain('ConfigMap shop/a waits for');
  });

  it('where one of several finalizers is left', () => {
    const two = deleting('- {kind: ConfigMap, name: a, finalizers: [example.com/a, example.com/b]}', 'a');
    const one = deleting('- {kind: ConfigMap, name: a, finalizers: [example.com/a]}', 'a');
    expect([promises.areNoWorse(two, one), promises.areNoWorse(one, two)]).toEqual([true, false]);
  });
});

describe('is worse', () => {
  it('where what is deleted does not come back any more', () => {
    const before = deleting(pods, 'api-h-0');
    // Its owner references are gone.
    const alone = pods.replace(/(name: api-h-0), owners: \[[^\]]*\]/u, '$1');
    const after = deleting(alone, 'api-h-0');
    expect(after.forecast.recreated).toEqual([]);
    expect(promises.areNoWorse(before, after)).toBe(false);
    expect(difference(before, after)).toContain('ReplicaSet shop/api-h creates no new Pods any more');
  });

  it('where more may be deleted, depending on timing', () => {
    const held = '- {kind: ConfigMap, name: a, finalizers: [example.com/hold]}';
    const before = deleted('foreground', held, 'a');
    const after = deleted(
      'foreground',
      `${held}\n- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}`,
      'a',
    );
    expect(after.forecast.timingDependent.map(({ object }) => object.name)).toEqual(['b']);
    expect([promises.areNoWorse(before, after), promises.areNoWorse(after, before)]).toEqual([false, true]);
  });

  it('where an undo could no longer bring back what it could', () => {
    const claims = `
- {kind: PersistentVolumeClaim, name: a}
- {kind: PersistentVolumeClaim, name: b}`;
    const before = deleting(claims, 'a', 'b');
    const after = deleting(claims.replace('name: a', 'name: a, spec: {volumeName: pv-1}'), 'a', 'b');
    expect([before, after].map(({ losses }) => losses.length)).toEqual([0, 1]);
    expect([promises.areNoWorse(before, after), promises.areNoWorse(after, before)]).toEqual([false, true]);
  });

  it('where more is lost because it may not be read', () => {
    const before = deleting('- {kind: ConfigMap, name: a}', 'a');
    const after = Prepared.withUnreadable(before, before.concerned, viewOf('- {kind: ConfigMap, name: a}'));
    expect(after.unread).toHaveLength(1);
    expect([readsAsMuch(before, after), readsAsMuch(after, before)]).toEqual([false, true]);
  });
});
