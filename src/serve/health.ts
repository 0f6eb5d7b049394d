/** Whether what the server says can be relied on: probes, metrics and documents ask here and nowhere else. */
import type { ClusterView } from '../graph/cluster-view.ts';
import { isBehind } from '../model/exchange/changes.ts';
import { counted } from '../model/text/titles.ts';

/**
 * Milliseconds for which numbers are told on after the cluster isn't followed any more: a watch that begins anew shall
 * leave no gap in a graph. After it they are left out.
 */
const TOLD_ON_MS = 60_000;

export interface Health {
  /** Everything that can be listed has been. */
  readonly synced: boolean;
  /** Every change is followed just now. */
  readonly live: boolean;
  /** Numbers about objects may be told. */
  readonly tells: boolean;
  /** Milliseconds since the epoch until which everything was followed; undefined before it was. */
  readonly followedUntil: number | undefined;
  /** Kinds that cannot be seen, those apart that nobody expects to be. */
  readonly blind: { readonly expected: number; readonly unexpected: number };
  /** Kinds that can be listed and not watched, so that they may be a minute old. */
  readonly polled: number;
  /** Why it isn't ready, without any name; empty where it is. */
  readonly reasons: readonly string[];
}

export interface Watched {
  readonly view: ClusterView;
  /** Everything that can be listed has been, and was judged. */
  readonly synced: boolean;
  /** The process was asked to end. */
  readonly ending: boolean;
  /** Kinds as `secrets` and `widgets.example.com` that are meant to be unseen. */
  readonly expectedBlind: ReadonlySet<string>;
}

/** `now` in milliseconds since the epoch, by the API server's clock. */
export function healthOf({ view, synced, ending, expectedBlind }: Watched, now: number): Health {
  const spots = view.blindSpots();
  const expected = spots.filter(({ resource }) => expectedBlind.has(resource)).length;
  const unexpected = spots.length - expected;
  const behind = isBehind(view.connection) ? view.connection : undefined;
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
