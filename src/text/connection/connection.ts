/** What is said where a cluster isn't followed just now: why, and since when. Sanitised. */
import { type Behind, type CatchUpCause, type Connection, isBehind } from '../../model/exchange/changes.ts';
import { formatDuration } from '../terminal/age.ts';
import { sanitise } from '../terminal/sanitise.ts';

/** `now` in milliseconds since the epoch. */
export function behindSentence(connection: Behind, now: number): string {
  const ago = formatDuration(Math.max(0, now - connection.since));
  if (connection.state === 'catchingUp')
    return `${causes[connection.cause]} Catching up; this is as of ${ago} ago.`;
  // The reason comes last: it may be long, and then it is cut.
  const reason = sanitise(connection.reason).replace(/\.$/u, '');
  return `Connection lost ${ago} ago; this is what was last seen. Reconnecting: ${reason}.`;
}

/** The same as a reservation about an answer; `''` where the cluster is followed. */
export function behindNote(connection: Connection): string {
  return isBehind(connection) ? `${briefly(connection)}: this is as of what was last seen.` : '';
}

function briefly(connection: Behind): string {
  if (connection.state === 'lost') return 'The connection is lost';
  return connection.cause === 'restored'
    ? 'The cluster went back to an earlier state and is read again'
    : 'The cluster is being read again';
}

const causes: Readonly<Record<CatchUpCause, string>> = {
  reconnected: 'Connected again.',
  restored: 'The cluster went back to an earlier state, as when etcd is restored from a backup.',
  resumed: 'This process stood still for a while.',
  delayed: 'Some kinds are not followed just now.',
};
