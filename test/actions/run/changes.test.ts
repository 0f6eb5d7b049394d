import { describe, expect, it } from 'vitest';
import { ViewSubscription } from '../../../src/actions/run/follow-forecast.ts';

/** Longer than any test. */
const NEVER = 3_600_000;

describe('waiting for a view to change', () => {
  it('ends at the next change, for everybody who waits', async () => {
    const changes = new ViewSubscription();
    const waiting = [changes.within(NEVER), changes.within(NEVER)];
    changes.notify();
    await expect(Promise.all(waiting)).resolves.toHaveLength(2);
  });

  it('ends when time is up, and when it is told to stop', async () => {
    const changes = new ViewSubscription();
    await changes.within(1);
    const stop = new AbortController();
    const waiting = changes.within(NEVER, stop.signal);
    stop.abort();
    await waiting;
    await changes.within(NEVER, stop.signal);
  });
});
