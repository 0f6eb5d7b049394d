import { expect, test } from 'vitest';
import type { Connection, Pausing } from '../../../src/model/exchange/changes.ts';
import { ScreenDriver } from '../screen-driver.ts';

test('a lost connection says first what that means, and a long reason is what gives way', () => {
  const screen = ScreenDriver.complete('- { kind: ConfigMap, name: a }', { columns: 80 });
  const reason = 'https://cluster.example.com:6443 answers with status 503.';
  const connection = { state: 'lost', reason, since: screen.state.now } as const;
  screen.send({ type: 'batch', batch: { changes: [], connection }, now: screen.state.now });
  screen.wait(4_000);
  expect(screen.banner()).toMatch(
    /^ Connection lost 4s ago; this is what was last seen\. Reconnecting: https.*…$/u,
  );
  screen.send({ type: 'resized', columns: 200, rows: 40 });
  expect(screen.banner()).toMatch(/answers with status 503\.$/u);
});

test('a cluster that is read again is not called live, and it is said why', () => {
  const screen = ScreenDriver.complete('- { kind: ConfigMap, name: a }', { columns: 120 });
  const say = (connection: Connection): void =>
    screen.send({ type: 'batch', batch: { changes: [], connection }, now: screen.state.now });
  say({ state: 'catchingUp', cause: 'restored', since: screen.state.now - 20_000 });
  expect(screen.banner()).toMatch(
    /^ The cluster went back to an earlier state, .* this is as of 20s ago\.$/u,
  );
  expect(screen.title()).toContain('as last seen  catching up');
  expect(screen.title()).not.toContain('live');
  say({ state: 'live' });
  expect(screen.banner()).toBe('');
  expect(screen.title()).not.toContain('catching up');
});

test('a request that waits to be sent again says so, until it is', () => {
  const screen = ScreenDriver.complete('- { kind: ConfigMap, name: a }', { columns: 120 });
  const say = (pausing: Pausing | null): void =>
    screen.send({ type: 'batch', batch: { changes: [], pausing }, now: screen.state.now });
  say({ status: 429, until: screen.state.now + 12_000 });
  screen.wait(4_000);
  expect(screen.banner()).toBe(' Waiting: the API server is too busy (429); trying again in 8s.');
  expect(screen.title()).toContain('live');
  say(null);
  expect(screen.banner()).toBe('');
});
