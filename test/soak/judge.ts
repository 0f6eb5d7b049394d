/** What a soak has to show: equal to a fresh process at its end, nothing that has died, and no larger than after its beginning. */
import type { Sample, SoakReport } from './soak.ts';

export interface Limits {
  /** In all this time caches fill, code is compiled, and everything is looked at for the first time. */
  readonly warmSeconds: number;
  /** Medians are taken of the samples of so long: of those that follow, and of the last ones. */
  readonly windowSeconds: number;
  /** What the heap and what is counted in it may grow to, as a multiple, and resident memory. */
  readonly growth: number;
  readonly residentGrowth: number;
  /** Of the events that were to come, as a share. */
  readonly events: number;
  /** Of one core. */
  readonly corePercent: number;
}

/** Of an hour, at five hundred events a second. */
export const hour: Limits = {
  warmSeconds: 600,
  windowSeconds: 600,
  growth: 1.05,
  residentGrowth: 1.05,
  events: 0.95,
  corePercent: 60,
};

/**
 * In so short a time what is bounded is still on its way to its bounds, above all what Activity remembers: what is found is
 * what grows with every event, key or fault. How fast all is depends on what else the machine does.
 */
export const minute: Limits = {
  warmSeconds: 25,
  windowSeconds: 20,
  growth: 1.4,
  residentGrowth: 3,
  events: 0.2,
  corePercent: Infinity,
};

/** What of the figures is no leak: there are some for each request under way. */
const figures: Readonly<Record<string, { of: (sample: Sample) => number | undefined; spare: number }>> = {
  'resident memory': { of: resident, spare: 0 },
  'live heap': { of: ({ insight }) => insight?.heap, spare: 0 },
  'memory outside of the heap': { of: ({ insight }) => insight?.external, spare: 5 },
  'abort signals': { of: counted('AbortSignal'), spare: 100 },
  timers: { of: counted('Timeout'), spare: 50 },
  listeners: { of: counted('listeners'), spare: 200 },
  emitters: { of: counted('EventEmitter'), spare: 50 },
  promises: { of: counted('Promise'), spare: 500 },
};

/** One sentence for each thing that isn't so. */
export function judge(report: SoakReport, limits: Limits): string[] {
  const { samples, shown, model, real, stderr, ended, rate } = report;
  const failures = [
    ...shown.differences.slice(0, 20),
    ...model.differences.slice(0, 20),
    ...ended,
    ...(stderr === '' ? [] : [`the screen said on standard error: ${stderr}`]),
    ...(real.failed > 0 ? [`${real.failed} writes failed`] : []),
  ];
  const last = samples.at(-1);
  if (last === undefined || last.events < limits.events * rate * last.at)
    failures.push(`only ${last?.events} events in ${last?.at.toFixed(0)} s`);
  const core = corePercent(samples);
  if (core > limits.corePercent) failures.push(`${core.toFixed(0)} % of a core`);
  return [...failures, ...growth(samples, limits)];
}

function corePercent(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  return first && last && last.at > first.at
    ? (100 * (last.processor - first.processor)) / (last.at - first.at)
    : 0;
}

/** Nothing in a run that is over before its windows can be apart. */
function growth(samples: readonly Sample[], limits: Limits): string[] {
  const { warmSeconds, windowSeconds } = limits;
  const end = samples.at(-1)?.at ?? 0;
  if (end < warmSeconds + 2 * windowSeconds) return [];
  const early = samples.filter(({ at }) => at >= warmSeconds && at < warmSeconds + windowSeconds);
  const late = samples.filter(({ at }) => at >= end - windowSeconds);
  return Object.entries(figures).flatMap(([name, { of, spare }]) => {
    const [before, after] = [median(early.map(of)), median(late.map(of))];
    const times = of === resident ? limits.residentGrowth : limits.growth;
    return after <= before * times + spare
      ? []
      : [`${name}: ${before.toFixed(1)} became ${after.toFixed(1)}`];
  });
}

function resident({ memory }: Sample): number {
  return memory;
}

function counted(name: string): (sample: Sample) => number | undefined {
  return ({ insight }) => insight?.counts[name];
}

function median(values: readonly (number | undefined)[]): number {
  const sorted = values.filter(value => value !== undefined).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
