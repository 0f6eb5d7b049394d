/** Ages are drawn again with every change, but seldom while only time passes. */
import { expect, test } from 'vitest';
import { now } from '../../cli/documents/cluster.ts';
import { ScreenDriver } from '../screen-driver.ts';

const SECOND = 1_000;

/** An object that was 5 minutes and 8 seconds old when the screen opened. */
function opened(more = ''): ScreenDriver {
  const created = new Date(now - 308 * SECOND).toISOString().replace('.000Z', 'Z');
  return ScreenDriver.complete(`- {kind: ConfigMap, name: x, creationTimestamp: '${created}'${more}}`);
}

test('an idle screen draws ages every ten seconds, and a key draws them at once', () => {
  const screen = opened();
  expect(screen.rows()[0]).toContain('5m8s');
  for (let second = 1; second < 10; second += 1) screen.wait(SECOND);
  expect(screen.rows()[0]).toContain('5m8s');
  screen.wait(SECOND);
  expect(screen.rows()[0]).toContain('5m18s');
  screen.wait(3 * SECOND);
  expect(screen.rows()[0]).toContain('5m18s');
  expect(screen.press('j').rows()[0]).toContain('5m21s');
});

test('a grace period counts down each second in the details', () => {
  const until = new Date(now + 20 * SECOND).toISOString().replace('.000Z', 'Z');
  const screen = opened(`, deletionTimestamp: '${until}', deletionGracePeriodSeconds: 30, finalizers: [a/b]`);
  for (const second of [1, 2]) {
    screen.wait(SECOND);
    expect(screen.details()).toContain(`Its grace period ends in ${20 - second}s.`);
  }
});
