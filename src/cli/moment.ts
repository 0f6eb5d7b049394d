/** Which time it is for a command: files show the moment at which they were taken, everything else shows now. */

import type { Source } from '../source/source.ts';
import type { Io } from './io.ts';

/** Milliseconds since the epoch by the API server's clock, as of which ages and grace periods are judged. */
export function momentOf({ source }: { readonly source: Pick<Source, 'info'> }, io: Pick<Io, 'now'>): number {
  const { takenAt, clockOffset = 0 } = source.info;
  return takenAt ?? io.now() + clockOffset;
}
