/** Waiting in tests for what a cluster does in its own time. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For whatever comes by itself, on a machine that is slow and busy with other control planes. Nobody waits that long
 * where it comes, so nothing is gained by less.
 */
export const PATIENCE_MS = 240_000;

/** As long for `kubectl wait`, which gives up after half a minute by itself. */
export const PATIENTLY = `--timeout=${PATIENCE_MS / 1000}s`;

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
