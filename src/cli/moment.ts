/** Which time it is for a command: files show the moment at which they were taken, everything else shows now. */
import type { Io } from './io.ts';
import type { Session } from './session.ts';

/** Milliseconds since the epoch by the API server's clock, as of which ages and grace periods are judged. */
export function momentOf({ source }: Pick<Session, 'source'>, io: Pick<Io, 'now'>): number {
  const { takenAt, clockOffset = 0 } = source.info;
  return takenAt ?? io.now() + clockOffset;
}
