/** Nothing shifts the list, and the row under the cursor is always drawn: over random keys, clicks, changes and sizes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { screenLines } from '../../../src/app/screen/screen-lines.ts';
import type { NamedKey } from '../../../src/app/state/keys.ts';
import { isInDetails, layoutOf } from '../../../src/app/state/layout.ts';
import type { Message } from '../../../src/app/state/messages.ts';
import { ScreenDriver } from '../screen-driver.ts';

const yaml = Array.from({ length: 12 }, (_, i) => [
  `- { kind: Deployment, name: app-${i}, spec: { replicas: 1 } }`,
  `- { kind: ReplicaSet, name: app-${i}-rs, owners: [apps/v1 Deployment app-${i} +c] }`,
  `- { kind: ConfigMap, name: hen-${i}, owners: [v1 ConfigMap egg-${i}] }`,
  `- { kind: ConfigMap, name: egg-${i}, owners: [v1 ConfigMap hen-${i}] }`,
])
  .flat()
  .join('\n');

const named: readonly NamedKey[] = [
  ...(['up', 'down', 'left', 'right', 'pageup', 'pagedown', 'home', 'end', 'enter'] as const),
  ...(['escape', 'escape', 'tab', 'space'] as const),
];
const aKey = fc
  .oneof(
    fc.constantFrom(...named).map(name => ({ name })),
    fc.constantFrom(...'123456TfFsiw*-Gg0jkJK/?:nbtyMBo[]{}').map(text => ({ text })),
  )
  .map((key): Message => ({ type: 'key', key }));
const aPlace = { column: fc.nat(199), row: fc.nat(49) };
const aSize = fc.constantFrom([200, 50], [120, 35], [80, 24], [60, 15], [110, 19], [40, 10], [160, 21]);
const anObject = fc.constantFrom(3, 5, 7).map(i => `- { kind: ConfigMap, name: hen-${i} }`);

type Event =
  | { readonly of: 'message'; readonly message: Message }
  | { readonly of: 'change'; readonly object: string }
  | { readonly of: 'remove'; readonly object: string }
  | { readonly of: 'wait'; readonly ms: number };

const anEvent: fc.Arbitrary<Event> = fc.oneof(
  { weight: 8, arbitrary: aKey.map(message => ({ of: 'message' as const, message })) },
  fc
    .record({ type: fc.constantFrom('click' as const, 'drag' as const), ...aPlace })
    .map(message => ({ of: 'message' as const, message })),
  fc
    .record({ type: fc.constant('wheel' as const), lines: fc.constantFrom(-3, 3), ...aPlace })
    .map(message => ({ of: 'message' as const, message })),
  aSize.map(([columns = 80, rows = 24]) => ({
    of: 'message' as const,
    message: { type: 'resized' as const, columns, rows },
  })),
  fc.record({ of: fc.constantFrom('change' as const, 'remove' as const), object: anObject }),
  fc.constantFrom(1_000, 5_000, 60_000).map(ms => ({ of: 'wait' as const, ms })),
);

function happen(driver: ScreenDriver, event: Event): void {
  if (event.of === 'message') driver.send(event.message);
  else if (event.of === 'change') driver.change(event.object);
  else if (event.of === 'remove') driver.remove(event.object);
  else driver.wait(event.ms);
}

test('the row under the cursor is among those that are drawn', () => {
  const seen = { drawn: 0 };
  fc.assert(
    fc.property(fc.array(anEvent, { minLength: 1, maxLength: 40 }), fc.boolean(), (events, recorded) => {
      const info = recorded
        ? { source: 'replay' as const, recording: { from: 0, to: 1e12, cutOff: false } }
        : {};
      const driver = new ScreenDriver({ columns: 80, rows: 24, info });
      driver.list(yaml);
      for (const [nth, event] of events.entries()) {
        happen(driver, event);
        // What is known later brings a time line, findings and other views.
        if (nth === 6) driver.facts();
        if (nth === 9) driver.judge();
        const screen = screenLines(driver.state);
        if (screen.kind !== 'drawn' || screen.body.kind !== 'views') continue;
        const { list, across } = screen.body;
        if (list === undefined || driver.state.cluster === undefined || driver.rowCount() === 0) continue;
        // Behind the panel of an action the tree scrolls without a cursor.
        if (driver.state.dialog?.kind === 'action') continue;
        const chosen = list.lines.findIndex(({ spans }) => spans[0]?.text.startsWith('>') === true);
        seen.drawn += 1;
        // The first line is the heading, unless a banner across both panes is in its place.
        expect(chosen).toBeGreaterThanOrEqual(across === undefined ? 1 : 0);
        expect(chosen).toBeLessThan(list.height);
        // The bar is in the pane that keys go to.
        const bars = list.lines.filter(each => each.chosen);
        expect(bars).toEqual(isInDetails(driver.state) ? [] : [list.lines[chosen]]);
      }
    }),
    { numRuns: 150 },
  );
  expect(seen.drawn).toBeGreaterThan(500);
});

test.each([
  [200, 50],
  [120, 35],
  [80, 24],
  [60, 15],
])(
  'at %i columns and %i rows no notice, mark, filter or lost connection moves the first row',
  (columns, rows) => {
    const driver = ScreenDriver.complete(yaml, { columns, rows });
    const place = (): unknown => {
      const { tree, body } = layoutOf(driver.state);
      return { tree, body };
    };
    const before = place();
    driver.send({ type: 'notice', text: 'Something happened. '.repeat(20), style: 'info' });
    expect(place()).toEqual(before);
    driver.wait(60_000);
    driver.press('space', 'f');
    expect(driver.banner()).not.toBe('');
    expect(place()).toEqual(before);
    const connection = { state: 'lost', reason: 'refused', since: driver.state.now } as const;
    driver.send({ type: 'batch', batch: { changes: [], connection }, now: driver.state.now });
    expect(driver.banner()).toContain('Connection lost');
    expect(place()).toEqual(before);
  },
);
