/** Which time it is on the screen: files show the moment at which they were taken, everything else shows now, by the API server's clock. */
import type { State } from './state.ts';

/** Milliseconds since the epoch; ages and durations are told as of then. */
export function momentOf({ info, now }: Pick<State, 'info' | 'now'>): number {
  return info?.takenAt ?? now + (info?.clockOffset ?? 0);
}
