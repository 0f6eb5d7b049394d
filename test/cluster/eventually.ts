/** Waiting in tests for what a cluster does in its own time. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For whatever comes by itself, on a machine that is slow and busy with other control planes. Nobody waits that long
 * where it comes, so nothing is gained by less.
 */
const PATIENCE_MS = 120_000;

/** Tries `check` until it no longer throws; after `withinMs` its last error is the result. */
export async function eventually<T>(check: () => Promise<T> | T, withinMs = PATIENCE_MS): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(100);
    }
  }
}
