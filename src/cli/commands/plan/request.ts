/** What the words and flags of `plan` ask for; no cluster is needed to tell that they make sense. */
import type { Cascade } from '../../../forecast/action.ts';
import type { Taint } from '../../../model/facts/facts.ts';
import { formatOf } from '../../output/format.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { parseDeletable, parseTargets, type TargetQuery } from '../../targets/targets.ts';
import { parseTaint } from './taint.ts';

export type PlanRequest =
  | {
      readonly verb: 'delete';
      readonly query: TargetQuery;
      readonly cascade: Cascade;
      readonly gracePeriodSeconds: number | undefined;
    }
  | { readonly verb: 'unblock'; readonly query: TargetQuery; readonly remedy: string | undefined }
  | { readonly verb: 'taint'; readonly query: TargetQuery; readonly taint: Taint }
  | { readonly verb: 'restart' | 'none' };

export const planVerbs = ['delete', 'unblock', 'taint', 'restart'] as const;

// kubectl still takes the booleans it once had.
const cascadeWords: Readonly<Record<string, Cascade>> = {
  background: 'background',
  foreground: 'foreground',
  orphan: 'orphan',
  true: 'background',
  false: 'orphan',
};

/** Throws a `UsageError` for what cannot be planned. */
export function parsePlan(words: readonly string[], flags: Flags): PlanRequest {
  formatOf('plan', flags.output);
  if (flags.watch === true) throw new UsageError('a plan is made once: leave --watch out.');
  const [verb, ...targets] = words;
  refuseFlags(verb, flags);
  switch (verb) {
    case undefined:
      if (flags.selector !== undefined || flags.fieldSelector !== undefined || flags.all === true)
        throw new UsageError('say what to do with them: plan delete -l … or plan unblock TARGET.');
      return { verb: 'none' };
    case 'restart':
      if (targets.length > 0) throw new UsageError('plan restart takes no target.');
      return { verb: 'restart' };
    case 'delete':
      return {
        verb: 'delete',
        query: parseDeletable('plan delete', targets, flags),
        cascade: cascadeOf(flags),
        gracePeriodSeconds: gracePeriodOf(flags),
      };
    case 'unblock':
      if (targets.length === 0)
        throw new UsageError('name the object to unblock: plan unblock TARGET [--remedy ID].');
      if (flags.remedy === undefined && flags.failOn !== undefined)
        throw new UsageError(
          '--fail-on is about a forecast, and a list of remedies is none. Add --remedy ID.',
        );
      return { verb: 'unblock', query: parseTargets(targets, flags), remedy: flags.remedy };
    case 'taint':
      return { verb: 'taint', ...parseTaint(targets, flags) };
    default:
      throw new UsageError(
        `${JSON.stringify(verb)} is no action. Write plan delete TARGET, plan unblock TARGET, plan taint node/NAME out-of-service, plan restart, or plan alone.`,
      );
  }
}

function refuseFlags(verb: string | undefined, flags: Flags): void {
  const { cascade, gracePeriod, force, remedy, restart } = flags;
  if (verb !== 'delete' && (cascade !== undefined || gracePeriod !== undefined || force === true))
    throw new UsageError('--cascade, --grace-period and --force go with plan delete.');
  if (verb !== 'unblock' && remedy !== undefined) throw new UsageError('--remedy goes with plan unblock.');
  if (restart === true && verb !== 'delete' && verb !== 'unblock' && verb !== 'taint')
    throw new UsageError(
      '--restart goes with plan delete, plan unblock and plan taint; by itself it is plan restart.',
    );
}

/** Throws a `UsageError` for a policy that there isn't; background where none is given, as in kubectl. */
export function cascadeOf({ cascade = 'background' }: Flags): Cascade {
  const known = cascadeWords[cascade];
  if (known === undefined)
    throw new UsageError(`--cascade: no ${cascade}. Choose background, foreground or orphan.`);
  return known;
}

/** As kubectl: 0 only with --force, and --force alone means 0; 1 is the shortest without it. */
export function gracePeriodOf({ gracePeriod, force }: Flags): number | undefined {
  if (gracePeriod === undefined) return force === true ? 0 : undefined;
  if (!/^-?\d+$/u.test(gracePeriod))
    throw new UsageError(`--grace-period: ${gracePeriod} is no number of seconds.`);
  const seconds = Number(gracePeriod);
  if (force === true && seconds > 0)
    throw new UsageError('--force and a --grace-period above 0 exclude each other.');
  if (seconds < 0) return force === true ? 0 : undefined;
  return seconds === 0 && force !== true ? 1 : seconds;
}
