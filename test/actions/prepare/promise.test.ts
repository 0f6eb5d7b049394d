/** When a newer forecast of an action has to be asked about, because it is worse than the one that was confirmed. */
import { describe, expect, it } from 'vitest';
import { type Prepared, prepare } from '../../../src/actions/prepare/prepare.ts';
import { isNoWorse } from '../../../src/actions/prepare/promise.ts';
import { createForecaster } from '../../../src/forecast/forecaster.ts';
import { differenceLines } from '../../../src/text/actions/difference.ts';
import { deployment, nodes, now, objectOf, viewOf } from '../../forecast/fixtures.ts';

function deleting(yaml: string, ...uids: string[]): Prepared {
  const view = viewOf(yaml);
  const targets = uids.map(uid => objectOf(view, uid));
  const intent = { verb: 'delete', cascade: 'background', targets } as const;
  return prepare(createForecaster(view, { now }), intent, { secretData: false });
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
    expect(isNoWorse(before, deleting(pods, 'api-h-0'))).toBe(true);
    expect(isNoWorse(deleting(pods, 'api-h-0'), before)).toBe(false);
  });

  it('where unrelated objects that are created take other uids in the simulation', () => {
    const before = deleting(pods, 'api-h');
    const after = deleting(
      `${pods}${deployment('web', 2)}`.replace(/- \{kind: Pod, name: web-h-1.*\n?/u, ''),
      'api-h',
    );
    expect(isNoWorse(before, after)).toBe(true);
  });

  it('where what was to stay terminating is deleted', () => {
    const held = '- {kind: ConfigMap, name: a, finalizers: [example.com/hold]}';
    const before = deleting(held, 'a');
    expect(before.forecast.outcome).toBe('Stuck');
    const after = deleting('- {kind: ConfigMap, name: a}', 'a');
    expect(isNoWorse(before, after)).toBe(true);
    expect(isNoWorse(after, before)).toBe(false);
    expect(difference(after, before)).toContain('ConfigMap shop/a waits for');
  });

  it('where one of several finalizers is left', () => {
    const two = deleting('- {kind: ConfigMap, name: a, finalizers: [example.com/a, example.com/b]}', 'a');
    const one = deleting('- {kind: ConfigMap, name: a, finalizers: [example.com/a]}', 'a');
    expect([isNoWorse(two, one), isNoWorse(one, two)]).toEqual([true, false]);
  });
});

describe('is worse', () => {
  it('where what is deleted does not come back any more', () => {
    const before = deleting(pods, 'api-h-0');
    // Its owner references are gone.
    const alone = pods.replace(/(name: api-h-0), owners: \[[^\]]*\]/u, '$1');
    const after = deleting(alone, 'api-h-0');
    expect(after.forecast.recreated).toEqual([]);
    expect(isNoWorse(before, after)).toBe(false);
    expect(difference(before, after)).toContain('ReplicaSet shop/api-h creates no new Pods any more');
  });
});
