/** `plan --fail-on`: conditions of a forecast that fail the command. Unknown outcomes count as failing. */
import { expected, Forecast, USER, type WarningCode } from '../../../forecast/index.ts';
import { counted, formatCount } from '../../../model/index.ts';
import { UsageError } from '../../runtime/errors.ts';
import { type FailCondition, failConditions } from '../../runtime/flags.ts';

/** Returns a clause if the condition holds. */
type Condition = (forecast: Forecast) => string | undefined;

/** Warnings that the forecast may lack existing objects, so that nothing can be ruled out. */
const incomplete: ReadonlySet<WarningCode> = new Set([
  'outdated',
  'notListedYet',
  'unseenKinds',
  'notInFiles',
  'unseenContent',
  'unseenOwner',
  'unconfirmedAbsence',
  'ownsElsewhere',
  'neverRests',
  'ordersNotTried',
  'unseenManifest',
  'hooksNotSimulated',
]);

/** Warnings of unknown reactions by a tool or a controller. */
const unknownToo: ReadonlySet<WarningCode> = new Set(['cascadeUnknown', 'unknownController']);

const conditions: Readonly<Record<FailCondition, Condition>> = {
  stuck: made => {
    if (made.outcome === 'Stuck') return 'something gets stuck';
    if (Forecast.waitingForBudgets(made).length > 0) return 'a PodDisruptionBudget may refuse an eviction';
    // A handler may be missing.
    if (Forecast.dependsOnUnknown(made)) return 'a finalizer waits for a handler that may not be there';
    return made.dependsOnAdmission.length > 0 ? 'a webhook or policy may refuse it' : undefined;
  },
  depends: ({ outcome }) =>
    outcome === 'Depends' ? 'it depends on handlers of finalizers or on PodDisruptionBudgets' : undefined,
  // A tool's recreation counts unless it waits for a user.
  recreated: ({ recreated, flapping, logical = [], warnings }) => {
    const isRecreated =
      Forecast.own(recreated).length > 0 || flapping.length > 0 || expected(logical, 'recreated').length > 0;
    if (isRecreated) return 'something is recreated';
    return warnings.some(({ code }) => unknownToo.has(code)) ? 'something may be recreated' : undefined;
  },
  cascades: ({ warnings, logical = [] }) => {
    if (expected(logical, 'deleted').length > 0) return 'a tool deletes further objects';
    const isUnknown = warnings.some(({ code }) => code === 'cascadeUnknown');
    return isUnknown ? 'a tool may delete further objects' : undefined;
  },
  breaks: ({ breaks = [], warnings }) => {
    if (breaks.some(({ when }) => when !== 'leftBehind')) return 'something breaks';
    const isUnknown = warnings.some(
      each => each.code === 'unseenUsers' || (each.code === 'unseenKinds' && each.hasUsers === true),
    );
    return isUnknown ? 'something may break' : undefined;
  },
  refused: forecast =>
    forecast.outcome === 'Refused' ||
    (forecast.drain?.refusedNodes.length ?? 0) > 0 ||
    Forecast.waitingForBudgets(forecast).length > 0 ||
    forecast.steps().some(({ actor, status }) => actor === USER && status >= 400)
      ? 'a request is refused'
      : undefined,
};

/** Counts deletions over all orders of work, by handlers and tools too. */
function mostDeleted(forecast: Forecast): number {
  const uids = new Set<string>(
    Forecast.own(Forecast.deletedAtMost(forecast)).map(({ object }) => object.uid),
  );
  for (const { object, outcomes } of Forecast.own(forecast.timingDependent))
    if (outcomes.some(({ end }) => end === 'deleted')) uids.add(object.uid);
  // A budget may allow them later.
  for (const { pod } of Forecast.waitingForBudgets(forecast)) uids.add(pod.uid);
  let unread = 0;
  for (const { object } of expected(forecast.logical ?? [], 'deleted'))
    if (object.uid === '') unread += 1;
    else uids.add(object.uid);
  return uids.size + unread;
}

function moreThan(limit: number): Condition {
  return forecast => {
    const most = mostDeleted(forecast);
    if (most > limit) return `${counted(most, 'object')} ${most === 1 ? 'is' : 'are'} deleted`;
    const isUnknown = forecast.warnings.some(({ code }) => code === 'cascadeUnknown');
    return isUnknown ? `a tool may delete more than the ${formatCount(most)} that are listed` : undefined;
  };
}

/** Returns a function that gives the reason a forecast fails. Throws a `UsageError` for an unknown word. */
export function parseFailOn(text: string | undefined): (forecast: Forecast) => string | undefined {
  if (text === undefined) return () => undefined;
  const words = text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '');
  if (words.length === 0) throw new UsageError(`--fail-on needs one of ${alternativesText}.`);
  const asked = words.map(word => ({ word, holds: conditionOf(word) }));
  return forecast => {
    for (const { word, holds } of asked) {
      const why = holds(forecast);
      if (why !== undefined) return `--fail-on=${word}: ${why}.`;
    }
    const doubtful = [...forecast.alarms, ...forecast.warnings].some(({ code }) => incomplete.has(code));
    return doubtful
      ? `--fail-on=${words.join(',')}: cannot be ruled out, because not everything could be seen. The warnings of the forecast say what.`
      : undefined;
  };
}

const alternativesText = `${failConditions.join(', ')} or 'count>N'`;

function conditionOf(word: string): Condition {
  const known = failConditions.find(each => each === word.toLowerCase());
  if (known !== undefined) return conditions[known];
  const limit = /^count\s*>\s*(\d{1,9})$/iu.exec(word)?.[1];
  if (limit !== undefined) return moreThan(Number(limit));
  // The shell reads text after > as a file name.
  if (/^count/iu.test(word))
    throw new UsageError(
      `--fail-on: write how many objects may be deleted, in quotes: --fail-on='count>20'.`,
    );
  throw new UsageError(
    `--fail-on: no ${word}. Choose ${alternativesText}, or several of them separated by commas.`,
  );
}
