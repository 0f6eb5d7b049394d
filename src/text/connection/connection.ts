/** Sanitised notes on a connection: its loss, pauses, and unseen kinds. */
import {
  type Behind,
  BlindSpot,
  type CatchUpCause,
  Connection,
  counted,
  type Pausing,
  type PolledKind,
  showHidden,
} from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';

function behindSentence(connection: Behind, now: number): string {
  const ago = timeText.duration(Math.max(0, now - connection.since));
  if (connection.state === 'catchingUp')
    return `${causes[connection.cause]} Catching up; this is as of ${ago} ago.`;
  const reason = showHidden(connection.reason).replace(/\.$/u, '');
  return `Connection lost ${ago} ago. Reconnecting: ${reason}. This is what was last seen.`;
}

/** Like `behindSentence`, as a note on an answer; `''` while the cluster is followed. */
function behindNote(connection: Connection): string {
  return Connection.isBehind(connection) ? `${briefly(connection)}: this is as of what was last seen.` : '';
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

/** Returns `the API server is too busy (429); trying again in 3s`. */
function pausingWords({ status, until }: Pausing, now: number): string {
  const left = until - now;
  return `${pauseCause(status)}; trying again${left < 1_000 ? '' : ` in ${timeText.duration(left)}`}`;
}

function pauseCause(status: number | undefined): string {
  if (status === undefined) return 'the connection broke';
  if (status === 429) return 'the API server is too busy (429)';
  return status === 503 ? 'the API server is not available (503)' : `the API server answered ${status}`;
}

const NAMED = 5;

/**
 * Returns `2 kinds could not be seen: *.metrics.k8s.io (503), secrets (403)`, grouped by reason, with the first few
 * names, or `''`. Kinds missing in files have no reason.
 */
function unseenWords(spots: readonly BlindSpot[]): string {
  const unread = spots.filter(BlindSpot.isUnreadFile);
  const refused = spots.filter(spot => !BlindSpot.isOfFiles(spot) && !BlindSpot.isUnreadFile(spot));
  return [
    ...(refused.length > 0
      ? [`${counted(refused.length, 'kind')} could not be seen: ${withReasons(refused)}`]
      : []),
    ...(unread.length > 0
      ? [
          `${counted(unread.length, 'part')} of the files could not be read: ${someOf(unread.map(({ resource }) => showHidden(resource)))}`,
        ]
      : []),
    ...(refused.length + unread.length < spots.length
      ? ['what is not in the files is unknown (see --closed-world)']
      : []),
  ].join('; ');
}

function polledWords(kinds: readonly PolledKind[]): string {
  if (kinds.length === 0) return '';
  return `${counted(kinds.length, 'kind')} cannot be watched and may be up to a minute old: ${withReasons(kinds)}`;
}

function withReasons(kinds: readonly PolledKind[]): string {
  return [...Map.groupBy(kinds, ({ reason }) => reason)]
    .map(([reason, alike]) => showHidden(`${someOf(alike.map(({ resource }) => resource))} (${reason})`))
    .join(', ');
}

function someOf(resources: readonly string[]): string {
  const rest = resources.length - NAMED;
  return rest <= 0 ? resources.join(', ') : `${resources.slice(0, NAMED).join(', ')} and ${rest} more`;
}

export const connectionWords = {
  behindNote,
  behind: behindSentence,
  pausing: pausingWords,
  unseen: unseenWords,
  polled: polledWords,
};
