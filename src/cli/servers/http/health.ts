/** The server's health, the only source for probes, metrics and documents. */
import type { ClusterView } from '../../../graph/index.ts';
import { Connection, counted } from '../../../model/index.ts';

/** Milliseconds for which numbers stay available after following stopped, so that a restarted watch leaves no gap. */
const TOLD_ON_MS = 60_000;

export interface Health {
  readonly synced: boolean;
  readonly live: boolean;
  /** Set if numbers about objects may be served. */
  readonly tells: boolean;
  /** Undefined before the first sync. */
  readonly followedUntil: number | undefined;
  readonly blind: { readonly expected: number; readonly unexpected: number };
  readonly polled: number;
  /** Reasons why it isn't ready, without names; empty if it is. */
  readonly reasons: readonly string[];
}

export interface Watched {
  readonly view: ClusterView;
  /** Set once everything that can be listed was listed and judged. */
  readonly synced: boolean;
  readonly ending: boolean;
  /** Kinds that are meant to be unseen, such as `secrets` and `widgets.example.com`. */
  readonly expectedBlind: ReadonlySet<string>;
}

/** `now` is in milliseconds since the epoch, by the API server's clock. */
export function healthOf({ view, synced, ending, expectedBlind }: Watched, now: number): Health {
  const spots = view.blindSpots();
  const expected = spots.filter(({ resource }) => expectedBlind.has(resource)).length;
  const unexpected = spots.length - expected;
  const behind = Connection.isBehind(view.connection) ? view.connection : undefined;
  const live = synced && behind === undefined;
  const reasons = [
    ending && 'the server ends',
    !synced && 'not everything has been listed yet',
    behind?.state === 'lost' && 'the connection to the API server is lost',
    behind?.state === 'catchingUp' && 'not everything is followed again yet',
    synced && unexpected > 0 && `${counted(unexpected, 'kind')} cannot be seen`,
  ].filter(reason => reason !== false);
  return {
    synced,
    live,
    tells: synced && (behind === undefined || now - behind.since <= TOLD_ON_MS),
    followedUntil: synced ? view.followedUntil(now) : undefined,
    blind: { expected, unexpected },
    polled: view.polled().length,
    reasons,
  };
}
