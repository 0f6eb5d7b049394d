/** Waiting in tests for what a cluster does in its own time. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Tries `check` until it no longer throws; after `withinMs` its last error is the result. */
export async function eventually<T>(check: () => Promise<T> | T, withinMs = 30_000): Promise<T> {
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
