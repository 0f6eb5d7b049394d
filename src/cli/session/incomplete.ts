/** Implements `--fail-on-incomplete`: unseen objects can't count as clean. */
import { isBehind } from '../../model/exchange/changes.ts';
import { behindNote, unseenWords } from '../../text/connection/connection.ts';
import type { CommandContext } from '../runtime/command.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

export function failsIncomplete({ flags, io }: CommandContext, { view }: ClusterSession): boolean {
  if (flags.failOnIncomplete !== true || (view.complete && !isBehind(view.connection))) return false;
  const reasons = [unseenWords(view.blindSpots()), behindNote(view.connection).replace(/\.$/u, '')].filter(
    words => words !== '',
  );
  say(io, `--fail-on-incomplete: ${reasons.join('; ') || 'not everything has been listed'}.\n`);
  return true;
}
