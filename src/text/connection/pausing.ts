/** What is said while a request waits to be sent again. */
import type { Pausing } from '../../model/exchange/changes.ts';
import { formatDuration } from '../terminal/age.ts';

/** Without a full stop: `the API server is too busy (429); trying again in 3s`. `now` in milliseconds since the epoch. */
export function pausingWords({ status, until }: Pausing, now: number): string {
  const left = until - now;
  return `${causeOf(status)}; trying again${left < 1_000 ? '' : ` in ${formatDuration(left)}`}`;
}

function causeOf(status: number | undefined): string {
  if (status === undefined) return 'the connection broke';
  if (status === 429) return 'the API server is too busy (429)';
  return status === 503 ? 'the API server is not available (503)' : `the API server answered ${status}`;
}
