/** Options of `delete`, `unblock` and `undo`, validated without a cluster. */

import { parseDuration } from '../../runtime/duration.ts';
import { UsageError } from '../../runtime/errors.ts';
import { type DryRunMode, type Flags, standingFlag } from '../../runtime/flags.ts';
import { isReadOnly } from '../../runtime/format.ts';
import type { Io } from '../../runtime/io.ts';
import { type DocumentFormat, formatOf } from '../../runtime/output-formats.ts';

export type ActVerb = 'delete' | 'unblock' | 'undo';

export interface ActOptions {
  readonly verb: ActVerb;
  readonly format: DocumentFormat;
  readonly yes: boolean;
  /** True if `yes` also covers a deletion that is forecast to get stuck. */
  readonly allowStuck: boolean;
  readonly dryRun: DryRunMode;
  /** Milliseconds to follow; by default the forecast decides. */
  readonly timeout: number | undefined;
  readonly wait: boolean;
  readonly secretData: boolean;
  readonly canAsk: boolean;
}

/** Throws a `UsageError` for flags that no target can make valid. */
export function parseActOptions(verb: ActVerb, flags: Flags, io: Io): ActOptions {
  refuseFiles(verb, flags);
  const format = formatOf(verb, flags.output);
  if (flags.watch === true)
    throw new UsageError(`${verb} follows what it does by itself: leave --watch out.`);
  return {
    verb,
    format,
    yes: flags.yes === true,
    allowStuck: flags.allowStuck === true,
    dryRun: flags.dryRun ?? 'none',
    timeout: flags.timeout === undefined ? undefined : parseDuration('--timeout', flags.timeout),
    wait: flags.wait !== false,
    secretData: flags.backupSecretData === true,
    canAsk: io.stdinIsTerminal && (io.stdoutIsTerminal || io.stderrIsTerminal),
  };
}

function refuseFiles(verb: ActVerb, flags: Flags): void {
  const given = standingFlag(flags);
  if (given === undefined && flags.closedWorld !== true) return;
  const flag = given ?? '-f';
  // Without a target, they name what to delete.
  if (verb === 'delete' && (flag === '-f' || flag === '-k') && given !== undefined)
    throw new UsageError(
      `${flag} names what to delete, and so does a target: leave one of them out. kubectl gc-tree plan delete TARGET ${flag} … forecasts what it would do to files.`,
    );
  const what = flag === '--replay' ? 'a recording is the past, and' : 'files';
  const whom = flag === '--replay' ? 'have done then' : 'do to them';
  const instead =
    verb === 'undo' ? '' : ` kubectl gc-tree plan ${verb} … ${flag} … forecasts what it would ${whom}.`;
  throw new UsageError(
    `${verb} needs a cluster or --demo: ${what} cannot be changed by it. Leave ${flag} out.${instead}`,
  );
}

/** Throws a `UsageError` if changes are forbidden, or if no user can be asked. */
export function refuseChanges({ verb, yes, dryRun, canAsk }: ActOptions, flags: Flags, io: Io): void {
  if (dryRun !== 'none') return;
  if (isReadOnly(flags, io))
    throw new UsageError(
      `read-only, so ${verb} is refused. Leave --read-only and GC_TREE_READ_ONLY out, or look with --dry-run=server.`,
    );
  if (!yes && !canAsk)
    throw new UsageError(
      `${verb} asks before it changes anything, and there is no terminal to ask on. Add --yes, or look with --dry-run=server.`,
    );
}
