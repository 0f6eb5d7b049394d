/** `--fail-on-incomplete`: nothing is clean of what nobody has seen. */
import { isBehind } from '../../model/exchange/changes.ts';
import { behindNote, unseenWords } from '../../text/connection/connection.ts';
import type { CommandContext } from '../runtime/command.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

/** Whether it fails the command, which is said on standard error. */
export function failsIncomplete({ flags, io }: CommandContext, { view }: ClusterSession): boolean {
  if (flags.failOnIncomplete !== true || (view.complete && !isBehind(view.connection))) return false;
  const reasons = [unseenWords(view.blindSpots()), behindNote(view.connection).replace(/\.$/u, '')].filter(
    words => words !== '',
  );
  say(io, `--fail-on-incomplete: ${reasons.join('; ') || 'not everything has been listed'}.\n`);
  return true;
}
