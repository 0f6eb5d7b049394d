/** The soak's judge finds what grows: a soak that could not fail would show nothing. */
import { expect, it } from 'vitest';
import { hour, judge } from './judge.ts';
import type { Sample, SoakReport } from './soak.ts';

const counts = { AbortSignal: 200, Timeout: 60, listeners: 900, EventEmitter: 150, Promise: 800 };

/** An hour with what `grown` makes of what there is at the beginning, by the share of the hour that has passed. */
function report(grown: (share: number) => Partial<Sample> & { readonly counts?: object } = () => ({})) {
  const samples = Array.from({ length: 361 }, (_, nth): Sample => {
    const at = nth * 10;
    const { counts: others, ...more } = grown(nth / 360);
    const insight = { heap: 35, external: 6, classes: {}, counts: { ...counts, ...others } };
    return {
      at,
      events: at * 500,
      memory: 150,
      processor: at * 0.2,
      insight: nth % 30 === 0 ? insight : undefined,
      ...more,
    };
  });
  const whole: SoakReport = {
    rate: 500,
    events: { ADDED: 0, MODIFIED: 0, DELETED: 0 },
    real: { writes: 0, deployments: 0, namespaces: 0, definitions: 0, failed: 0 },
    faults: {},
    resumed: 0,
    refused: 0,
    samples,
    shown: { rows: 1, problems: 0, differences: [] },
    model: { objects: 1, differences: [] },
    stderr: '',
    ended: [],
  };
  return whole;
}

it('has nothing to say of an hour in which nothing grows', () => {
  expect(judge(report(), hour)).toEqual([]);
});

it.each<[string, (share: number) => Partial<Sample> & { readonly counts?: object }]>([
  ['resident memory', share => ({ memory: 150 + 20 * share })],
  ['timers', share => ({ counts: { Timeout: 60 + Math.round(400 * share) } })],
  ['abort signals', share => ({ counts: { AbortSignal: 200 + Math.round(700 * share) } })],
  ['listeners', share => ({ counts: { listeners: 900 + Math.round(2_000 * share) } })],
  ['only', share => ({ events: 250 * 3600 * share })],
  ['70 % of a core', share => ({ processor: 0.7 * 3600 * share })],
  // What was never looked at isn't flat.
  ['live heap', () => ({ insight: undefined })],
])('tells of an hour with too much or too little of this: %s', (named, grown) => {
  expect(judge(report(grown), hour).join('\n')).toContain(named);
});

it('tells what the screen said, what has ended, and what differs', () => {
  const failures = judge(
    {
      ...report(),
      stderr: 'MaxListenersExceededWarning',
      ended: ['kube-apiserver exited with 1'],
      shown: { rows: 1, problems: 0, differences: ['only on the long one: ConfigMap a'] },
    },
    hour,
  );
  expect(failures).toEqual([
    'only on the long one: ConfigMap a',
    'kube-apiserver exited with 1',
    'the screen said on standard error: MaxListenersExceededWarning',
  ]);
});
