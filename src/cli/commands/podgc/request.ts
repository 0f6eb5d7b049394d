/** What the words and flags of `podgc` ask for; no cluster is needed to tell that they make sense. */

import { type DocumentFormat, formatOf } from '../../output/format.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { refuseWatch } from '../../session/watch.ts';
import { parseTargets, type TargetQuery } from '../../targets/targets.ts';

export interface PodGcQuery {
  /** Undefined: whatever PodGC takes, and what looks like it. */
  readonly query: TargetQuery | undefined;
  /** Of `-l` and `--field-selector`: other pods aren't told. */
  readonly labels: TargetQuery['matches'];
  readonly format: DocumentFormat;
}

/** Throws a `UsageError` for formats and flags that don't go together. */
export function parsePodGc(targets: readonly string[], flags: Flags): PodGcQuery {
  const format = formatOf('podgc', flags.output);
  refuseWatch(flags);
  if (flags.sortBy !== undefined)
    throw new UsageError("podgc prints pods in PodGC's own order: leave --sort-by out.");
  const query = parseTargets(targets, flags);
  const everything = query.words.length === 0;
  return { query: everything ? undefined : query, labels: query.matches, format };
}
