/** A selection that matches nothing: kubectl's sentence and its success, unless the flag makes it a failure. */
import { shownName } from '../../model/text/shown.ts';
import type { CommandContext } from '../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND } from '../runtime/errors.ts';
import { say } from '../runtime/say.ts';

/**
 * Returns the exit code; `namespace` is undefined for all. As in kubectl get, --ignore-not-found silences the sentence; a
 * document needs none.
 */
export function nothingSelected({ flags, io }: CommandContext, namespace: string | undefined): number {
  const fails = flags.failOnEmpty === true;
  const where = namespace === undefined ? '' : ` in ${shownName(namespace)} namespace`;
  const isDocument = ['json', 'yaml', 'junit', 'sarif'].includes(flags.output ?? 'text');
  const isSaid = !isDocument && flags.ignoreNotFound !== true;
  if (fails || isSaid) say(io, `No resources found${where}.\n`);
  return fails ? EXIT_FOUND : EXIT_DONE;
}
