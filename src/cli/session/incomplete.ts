/** Implements `--fail-on-incomplete`: unseen objects can't count as clean. */
import { Connection } from '../../model/index.ts';
import { connectionWords } from '../../text/index.ts';
import type { CommandContext } from '../runtime/command.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

export function failsIncomplete({ flags, io }: CommandContext, { view }: ClusterSession): boolean {
  if (flags.failOnIncomplete !== true || (view.complete && !Connection.isBehind(view.connection)))
    return false;
  const reasons = [
    connectionWords.unseen(view.blindSpots()),
    connectionWords.behindNote(view.connection).replace(/\.$/u, ''),
  ].filter(words => words !== '');
  say(io, `--fail-on-incomplete: ${reasons.join('; ') || 'not everything has been listed'}.\n`);
  return true;
}
