/** `plan --fail-on`: what of a forecast fails the command. What the forecast cannot tell counts as if it held. */
import { expected } from '../../../forecast/plan/assumed.ts';
import {
  deletedAtMost,
  dependsOnUnknown,
  type Forecast,
  own,
  type WarningCode,
} from '../../../forecast/plan/plan.ts';
import { USER } from '../../../forecast/run.ts';
import { counted, formatCount } from '../../../model/text/titles.ts';
import { UsageError } from '../../runtime/errors.ts';
import { type FailCondition, failConditions } from '../../runtime/flags.ts';

/** Why it holds, as a clause; undefined where it doesn't. */
type Condition = (forecast: Forecast) => string | undefined;

/** Something that is there may be missing in the forecast, so that nothing can be ruled out. */
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
]);

/** A tool that manages objects, or a controller, does something that nothing tells. */
const unknownToo: ReadonlySet<WarningCode> = new Set(['cascadeUnknown', 'unknownController']);

const conditions: Readonly<Record<FailCondition, Condition>> = {
  stuck: made => {
    if (made.outcome === 'Stuck') return 'something gets stuck';
    // What depends on a handler of which nobody knows that it is there may well be.
    if (dependsOnUnknown(made)) return 'a finalizer waits for a handler that may not be there';
    return made.dependsOnAdmission.length > 0 ? 'a webhook or policy may refuse it' : undefined;
  },
  depends: ({ outcome }) => (outcome === 'Depends' ? 'it depends on handlers of finalizers' : undefined),
  // By a tool as well, unless that waits until somebody asks for it.
  recreated: ({ recreated, flapping, logical = [], warnings }) => {
    const isRecreated =
      own(recreated).length > 0 || flapping.length > 0 || expected(logical, 'recreated').length > 0;
    if (isRecreated) return 'something is recreated';
    return warnings.some(({ code }) => unknownToo.has(code)) ? 'something may be recreated' : undefined;
  },
  // What cannot be told may be anything.
  cascades: ({ warnings, logical = [] }) => {
    if (expected(logical, 'deleted').length > 0) return 'a tool deletes further objects';
    const isUnknown = warnings.some(({ code }) => code === 'cascadeUnknown');
    return isUnknown ? 'a tool may delete further objects' : undefined;
  },
  // Of several targets one that is refused is enough.
  refused: forecast =>
    forecast.outcome === 'Refused' ||
    forecast.steps().some(({ actor, status }) => actor === USER && status >= 400)
      ? 'a request is refused'
      : undefined,
};

/** How many are deleted at most: in any order of work, by handlers and by tools too. */
function mostDeleted(forecast: Forecast): number {
  const uids = new Set<string>(own(deletedAtMost(forecast)).map(({ object }) => object.uid));
  for (const { object, outcomes } of forecast.timingDependent)
    if (outcomes.some(({ end }) => end === 'deleted')) uids.add(object.uid);
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
    return isUnknown ? `a tool may delete more than the ${formatCount(most)} that are told` : undefined;
  };
}

/**
 * The conditions of `--fail-on`, separated by commas; without any, nothing fails. What it returns says of a forecast in
 * one line why the command fails, undefined where it doesn't. Throws a `UsageError` for a word that is no condition.
 */
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
  // A shell takes what stands behind > for the name of a file.
  if (/^count/iu.test(word))
    throw new UsageError(
      `--fail-on: write how many objects may be deleted, in quotes: --fail-on='count>20'.`,
    );
  throw new UsageError(
    `--fail-on: no ${word}. Choose ${alternativesText}, or several of them separated by commas.`,
  );
}
