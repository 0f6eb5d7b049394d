/** A selection that matches nothing: kubectl's sentence and its success, unless the flag makes it a failure. */
import { shownName } from '../../model/text/shown.ts';
import { EXIT_DONE, EXIT_FOUND } from '../runtime/errors.ts';
import type { Flags } from '../runtime/flags.ts';
import type { Io } from '../runtime/io.ts';
import { say } from '../runtime/say.ts';

export interface EmptySelection {
  readonly flags: Flags;
  readonly io: Io;
  /** Undefined for all. */
  readonly namespace: string | undefined;
  /** A document says itself that it holds nothing. */
  readonly isDocument: boolean;
}

/** Says so, and returns the exit code. As in kubectl get, nobody is told of what --ignore-not-found is for. */
export function nothingSelected({ flags, io, namespace, isDocument }: EmptySelection): number {
  const fails = flags.failOnEmpty === true;
  const where = namespace === undefined ? '' : ` in ${shownName(namespace)} namespace`;
  if (fails || (!isDocument && flags.ignoreNotFound !== true)) say(io, `No resources found${where}.\n`);
  return fails ? EXIT_FOUND : EXIT_DONE;
}
