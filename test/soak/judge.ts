/** What a soak has to show: equal to a fresh process at its end, and no larger after an hour than after ten minutes. */
import type { Sample, SoakReport } from './soak.ts';

const WARM_SECONDS = 600;
const GROWTH = 1.05;
/** Of one core, at five hundred events a second. */
const CORE_PERCENT = 60;

/** One sentence for each thing that isn't so. */
export function judge({ samples, shown, model, real }: SoakReport, rate: number): string[] {
  const failures = [
    ...shown.differences.slice(0, 20),
    ...model.differences.slice(0, 20),
    ...(real.failed > 0 ? [`${real.failed} writes failed`] : []),
  ];
  const last = samples.at(-1);
  if (last === undefined || last.events < 0.95 * rate * last.at)
    failures.push(`only ${last?.events} events in ${last?.at.toFixed(0)} s`);
  const core = corePercent(samples);
  if (core > CORE_PERCENT) failures.push(`${core.toFixed(0)} % of a core`);
  if (last !== undefined && last.at >= 3 * WARM_SECONDS) failures.push(...growth(samples, last.at));
  return failures;
}

function corePercent(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  return first && last && last.at > first.at
    ? (100 * (last.processor - first.processor)) / (last.at - first.at)
    : 0;
}

/** Medians of the ten minutes after the first ten, and of the last ten. */
function growth(samples: readonly Sample[], end: number): string[] {
  const early = samples.filter(({ at }) => at >= WARM_SECONDS && at < 2 * WARM_SECONDS);
  const late = samples.filter(({ at }) => at >= end - WARM_SECONDS);
  const figures: Readonly<Record<string, (sample: Sample) => number | undefined>> = {
    'resident memory': ({ memory }) => memory,
    'live heap': ({ insight }) => insight?.heap,
    // One or two more are none that leak: there are some for each request under way.
    'abort signals': ({ insight }) =>
      insight && insight.counts['AbortSignal'] && insight.counts['AbortSignal'] + 100,
    timers: ({ insight }) => insight && insight.counts['Timeout'] && insight.counts['Timeout'] + 50,
  };
  return Object.entries(figures).flatMap(([name, of]) => {
    const [before, after] = [median(early.map(of)), median(late.map(of))];
    return after <= before * GROWTH ? [] : [`${name}: ${before.toFixed(1)} became ${after.toFixed(1)}`];
  });
}

function median(values: readonly (number | undefined)[]): number {
  const sorted = values.filter(value => value !== undefined).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
