import { describe, expect, test } from 'vitest';
import { screenLines } from '../../../src/app/screen/screen-lines.ts';
import { layoutOf } from '../../../src/app/state/layout.ts';
import type { Connection, Pausing } from '../../../src/model/exchange/changes.ts';
import type { Line } from '../../../src/text/terminal/style.ts';
import { ScreenDriver } from '../screen-driver.ts';

test('a lost connection names its reason, of which a narrow screen cuts the end', () => {
  const screen = ScreenDriver.complete('- { kind: ConfigMap, name: a }', { columns: 80 });
  const reason = 'https://cluster.example.com:6443 answers with status 503.';
  const connection = { state: 'lost', reason, since: screen.state.now } as const;
  screen.send({ type: 'batch', batch: { changes: [], connection }, now: screen.state.now });
  screen.wait(4_000);
  expect(screen.banner()).toMatch(/^ Connection lost 4s ago\. Reconnecting: https\S+ .*…$/u);
  screen.send({ type: 'resized', columns: 200, rows: 40 });
  expect(screen.banner()).toMatch(/answers with status 503\. This is what was last seen\.$/u);
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

describe('details that are longer than their pane', () => {
  const labels = Array.from({ length: 30 }, (_, i) => `label-${i}: x`).join(', ');
  const long = `- { kind: ConfigMap, name: a, labels: { ${labels} } }`;

  /** The heading of details alone, the rule above those below a list, or the first line of those beside it. */
  function head({ state }: ScreenDriver): string {
    const lines = screenLines(state);
    if (lines.kind !== 'drawn' || lines.body.kind !== 'views') throw new Error('no views');
    const { arrangement, across, details, rule } = lines.body;
    if (arrangement === 'below') return rule;
    const first: Line | undefined = arrangement === 'alone' ? across : details?.lines[0]?.spans;
    return (first ?? []).map(({ text }) => text).join('');
  }

  test.each([
    ['alone', 60, 15],
    ['below', 80, 24],
    ['beside', 160, 20],
  ] as const)('say which of their lines show, %s at %i by %i', (arrangement, columns, rows) => {
    const screen = ScreenDriver.complete(long, { columns, rows }).press('tab');
    expect(layoutOf(screen.state).arrangement).toBe(arrangement);
    const total = screen.details().split('\n').length;
    const { details } = layoutOf(screen.state);
    const height = details?.height ?? 0;
    expect(head(screen)).toMatch(new RegExp(` 1-${height} of ${total}(?: ━)?$`, 'u'));
    expect(head(screen).length).toBeLessThanOrEqual(
      arrangement === 'beside' ? (details?.width ?? 0) : columns,
    );
    screen.send({ type: 'wheel', lines: 1_000, column: columns - 4, row: rows - 3 });
    if (arrangement === 'beside') expect(screen.state.detailsTop).toBe(total - height);
    else expect(head(screen)).toMatch(new RegExp(` ${total - height + 1}-${total} of ${total}(?: ━)?$`, 'u'));
  });

  test('say nothing of lines if all of them show', () => {
    const screen = ScreenDriver.complete('- { kind: ConfigMap, name: a }', { columns: 80, rows: 50 });
    expect(head(screen)).toBe('─'.repeat(80));
    expect(head(screen.press('tab'))).toBe('━'.repeat(80));
  });
});
