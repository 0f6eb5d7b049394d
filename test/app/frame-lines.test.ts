import { expect, test } from 'vitest';
import { ScreenDriver } from './screen-driver.ts';

test('a lost connection says first what that means, and a long reason is what gives way', () => {
  const screen = ScreenDriver.complete('- { kind: ConfigMap, name: a }', { columns: 80 });
  const reason = 'https://cluster.example.com:6443 answers with status 503.';
  const connection = { state: 'lost', reason, since: screen.state.now } as const;
  screen.send({ type: 'batches', batches: [{ changes: [], connection }], now: screen.state.now });
  screen.wait(4_000);
  expect(screen.banner()).toMatch(
    /^ Connection lost 4s ago; this is what was last seen\. Reconnecting: https.*…$/u,
  );
  screen.send({ type: 'resized', columns: 200, rows: 40 });
  expect(screen.banner()).toMatch(/answers with status 503\.$/u);
});
