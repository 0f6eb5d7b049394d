/** `plan --fail-on`: what of a forecast makes the command fail. Apart, because a program's words are read here alone. */
import type { Forecast } from '../../../forecast/plan/plan.ts';
import { USER } from '../../../forecast/run.ts';
import { UsageError } from '../../runtime/errors.ts';
import { type FailCondition, failConditions } from '../../runtime/flags.ts';

type Condition = (forecast: Forecast) => boolean;

const conditions: Readonly<Record<FailCondition, Condition>> = {
  stuck: ({ outcome }) => outcome === 'Stuck',
  recreated: ({ recreated }) => recreated.some(({ anyway }) => !anyway),
  // Of several targets one that is refused is enough.
  refused: forecast =>
    forecast.outcome === 'Refused' ||
    forecast.steps().some(({ actor, status }) => actor === USER && status >= 400),
};

/**
 * Whether a forecast is to fail the command: where one of the conditions, separated by commas, holds. Never where none is
 * given. Throws a `UsageError` for a word that is no condition.
 */
export function parseFailOn(text: string | undefined): Condition {
  if (text === undefined) return () => false;
  const words = text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '');
  if (words.length === 0) throw new UsageError(`--fail-on needs one of ${failConditions.join(', ')}.`);
  const asked = words.map(conditionOf);
  return forecast => asked.some(holds => holds(forecast));
}

function conditionOf(word: string): Condition {
  const known = failConditions.find(each => each === word.toLowerCase());
  if (known === undefined)
    throw new UsageError(
      `--fail-on: no ${word}. Choose ${failConditions.join(', ')}, or several of them separated by commas.`,
    );
  return conditions[known];
}
