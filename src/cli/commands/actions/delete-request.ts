/** What the words and flags of `delete` ask for, as kubectl reads them; no cluster is needed to tell. */
import type { Cascade } from '../../../forecast/action.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { parseTargets, type TargetQuery } from '../../targets/targets.ts';
import { cascadeOf, gracePeriodOf } from '../plan/request.ts';

export interface DeleteRequest {
  readonly query: TargetQuery;
  /** Undefined where none was given. */
  readonly cascade: Cascade | undefined;
  readonly gracePeriodSeconds: number | undefined;
}

/** Throws a `UsageError` for what kubectl refuses too. */
export function parseDelete(targets: readonly string[], flags: Flags): DeleteRequest {
  return {
    query: deletable(targets, flags),
    cascade: flags.cascade === undefined ? undefined : cascadeOf(flags),
    gracePeriodSeconds: graceOf(flags),
  };
}

/** What is deleted has to be named, selected, or all of a type. */
function deletable(targets: readonly string[], flags: Flags): TargetQuery {
  const query = parseTargets(targets, flags);
  if (query.words.length === 0)
    throw new UsageError('name what to delete: delete TYPE/NAME, TYPE -l LABELS or TYPE --all.');
  const unnamed = query.words.find(({ name }) => name === undefined);
  if (unnamed !== undefined && flags.all !== true && query.matches === undefined)
    throw new UsageError(`name one of the ${unnamed.type}, or select them with -l or --all.`);
  return query;
}

/** `--now` is a grace period of one second. */
function graceOf(flags: Flags): number | undefined {
  if (flags.now !== true) return gracePeriodOf(flags);
  if (flags.gracePeriod !== undefined)
    throw new UsageError('--now and --grace-period exclude each other. Leave one of them out.');
  if (flags.force === true)
    throw new UsageError(
      '--now is a grace period of one second, and --force goes with none, as in kubectl. Leave one of them out.',
    );
  return 1;
}
