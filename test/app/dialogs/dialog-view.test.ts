/** What dialogs show where their titles and lines are wider than the screen. */
import { describe, expect, test } from 'vitest';
import { dialogView, panelLines } from '../../../src/app/dialogs/dialog-view.ts';
import { layoutOf } from '../../../src/app/state/layout.ts';
import type { Line } from '../../../src/text/terminal/style.ts';
import { TextLine } from '../../../src/text/terminal/text-line.ts';
import { displayWidth } from '../../../src/text/terminal/width.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const yaml = `
- {kind: ConfigMap, name: parent}
- {kind: ConfigMap, name: child, owners: [v1 ConfigMap parent]}
`;

/** The title of an action's dialog that was told to be called `title`. */
function shownTitle(title: string, options: DriverOptions): string {
  const driver = ScreenDriver.complete(yaml, options).press('d');
  const stage = { at: 'working', doing: 'asking', stoppable: true } as const;
  driver.send({ type: 'action', number: 1, news: { title, stage } });
  return opened(driver).title;
}

function opened({ state }: ScreenDriver) {
  if (state.dialog === undefined) throw new Error('no dialog');
  return dialogView(state, state.dialog);
}

function panelOf({ state }: ScreenDriver): readonly Line[] {
  if (state.dialog?.kind !== 'action') throw new Error('no panel');
  return panelLines(state, state.dialog).map(({ spans }) => spans);
}

function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

function linesOf(driver: ScreenDriver): string[] {
  return opened(driver).lines.map(({ spans }) => spans.map(({ text }) => text).join(''));
}

describe('the title of a dialog', () => {
  const taint =
    'Once node-2 is certain to be off, declare it out of service: all pods on it are deleted: shop/api-1, shop/api-2, shop/db-0';

  test('stands whole where there is room', () => {
    expect(shownTitle(taint, { columns: 320 })).toBe(taint);
  });

  test('leaves out what it adds after a colon before it cuts anything', () => {
    expect(shownTitle(taint, { columns: 90 })).toBe(
      'Once node-2 is certain to be off, declare it out of service: all pods on it are deleted',
    );
    expect(shownTitle(taint, { columns: 60 })).toBe(
      'Once node-2 is certain to be off, declare it out of service',
    );
  });

  test('keeps its end where it is cut, so that a policy stays to be read', () => {
    const title = `Delete StatefulSet shop/${'a'.repeat(80)}, foreground`;
    expect(shownTitle(title, { columns: 80 })).toMatch(/^Delete StatefulSet shop\/a+…a+, foreground$/u);
    expect(shownTitle(title, { columns: 80, ascii: true })).toMatch(/^[ -~]+~a+, foreground$/u);
    const claim = 'Delete PersistentVolumeClaim shop/data-web-0 and 1 more, background';
    expect(shownTitle(claim, { columns: 64 })).toMatch(
      /^Delete PersistentVolumeClaim shop.*….* and 1 more, background$/u,
    );
  });

  test('keeps what is done to how many objects where it is cut', () => {
    const title =
      'Remove example.com/drain from all 40 chosen objects that are being deleted, one after the other: of each, the disk stays';
    expect(shownTitle(title, { columns: 80 })).toBe(
      'Remove example.com/drain from all 40 chosen objects that are being deleted',
    );
    expect(shownTitle(title, { columns: 60 })).toMatch(
      /^Remove example\.com\/drain from all 40 chosen objects .*…$/u,
    );
  });

  test.each([60, 80, 120])('is no wider than %i columns, whatever it says', columns => {
    for (const title of [taint, 'x'.repeat(300), `${'東京'.repeat(100)}: a`, ': ', ''])
      expect(displayWidth(shownTitle(title, { columns }))).toBeLessThan(columns);
  });
});

describe('the help', () => {
  test('goes on below what a key does where that is too long for a line', () => {
    const lines = linesOf(ScreenDriver.complete(yaml, { columns: 80, rows: 60 }).press('?'));
    const at = lines.findIndex(line => line.includes('Delete: choose between'));
    expect(lines[at]).toMatch(/^ {2}d {21}Delete: choose between/u);
    expect(lines[at + 1]).toMatch(/^ {24}orphan$/u);
  });

  test.each([
    ['1', 'will be collected', 'overdue'],
    ['2', 'errors: something is stuck for good', 'overdue'],
    ['3', 'overdue', 'will be collected'],
  ])('of view %s explains its words, and not those of another', (view, own, other) => {
    const text = linesOf(ScreenDriver.complete(yaml, { rows: 120 }).press(view, '?')).join('\n');
    expect(text).toContain(own);
    expect(text).not.toContain(other);
    expect(text).toContain('⏱ 2 PodGC');
  });

  test('is drawn in ASCII alone where asked to, in every view', () => {
    for (const view of ['1', '2', '3']) {
      const driver = ScreenDriver.complete(yaml, { rows: 120, ascii: true }).press(view, '?');
      expect(linesOf(driver).join('\n')).toMatch(/^[ -~\n]*$/u);
    }
  });
});

describe('what cannot be seen', () => {
  const failedGroups = [{ resource: 'widgets.example.com', reason: '403' }];

  test('is tried again where a cluster is followed, and not where files are read', () => {
    const cluster = ScreenDriver.complete(yaml, { failedGroups }).press('B');
    expect(linesOf(cluster).join('\n')).toContain('retried all the time');
    const files = ScreenDriver.complete(yaml, { failedGroups, info: { source: 'files' } }).press('B');
    expect(linesOf(files).join('\n')).toContain('widgets.example.com');
    expect(linesOf(files).join('\n')).not.toContain('retried');
  });

  test('is told apart from what can be listed but not watched, which does not count as live', () => {
    const driver = ScreenDriver.complete(yaml);
    const { cluster, now } = driver.state;
    const status = [...(cluster?.view.statuses.values() ?? [])].find(
      ({ type }) => type.resource === 'secrets',
    );
    if (status === undefined) throw new Error('no secrets');
    const statuses = [{ ...status, polled: '403' }];
    driver.send({ type: 'batch', batch: { changes: [], statuses }, now });
    expect(driver.title()).toContain('live, 1 kind polled');
    const text = linesOf(driver.press('B')).join('\n');
    expect(text).toMatch(/may be up to a minute old\.[^]*secrets +403/u);
    expect(text).not.toContain('missing');
  });
});

describe('contexts to choose from', () => {
  test.each([60, 75, 100, 140])('can be told apart by their ends, at %i columns', columns => {
    const names = ['a', 'b'].map(
      end => `arn:aws:eks:eu-central-1:123456789012:cluster/team-with-a-long-name-production-${end}`,
    );
    const driver = ScreenDriver.complete(yaml, { columns, info: { context: names[0] ?? '' } }).press('x');
    driver.send({ type: 'contexts', names });
    const lines = linesOf(driver);
    expect(lines[0]).toMatch(/production-a( +current)?$/u);
    expect(lines[1]).toMatch(/production-b$/u);
    for (const line of lines) expect(displayWidth(line)).toBeLessThan(columns - 3);
  });
});

describe('the panel of an action', () => {
  function listed(columns: number): ScreenDriver {
    const driver = ScreenDriver.complete(yaml, { columns }).press('d');
    const choice = { hint: 'caution', style: 'warning', lines: [], refused: false } as const;
    const label = 'create StatefulSet orders again: it adopts Pods orders-0, orders-1 and orders-2';
    const choices = ['one', 'two'].map(id => ({ ...choice, id, label }));
    const stage = { at: 'choosing', question: 'Which?', as: 'list', choices, cursor: 0 } as const;
    driver.send({ type: 'action', number: 1, news: { stage } });
    return driver;
  }

  test('stays beside the tree with a list, whose entries are whole', () => {
    const driver = listed(140);
    expect(layoutOf(driver.state).arrangement).toBe('beside');
    const shown = linesOf(driver)
      .map(line => line.trim())
      .join(' ');
    expect(shown.split('orders-0, orders-1 and orders-2')).toHaveLength(3);
    expect(layoutOf(listed(100).state).arrangement).toBe('below');
  });

  test('names the numbers to press while no entry of a list is chosen, and Enter once one is', () => {
    const driver = ScreenDriver.complete(yaml, { columns: 80 }).press('d');
    const choice = { label: 'a remedy', hint: 'caution', style: 'warning', lines: [] } as const;
    const ask = (refused: readonly boolean[]): string => {
      const choices = refused.map((each, i) => ({ ...choice, id: `${i}`, refused: each }));
      const stage = { at: 'choosing', question: 'Which remedy?', as: 'list', choices, cursor: -1 } as const;
      driver.send({ type: 'action', number: 1, news: { stage } });
      return driver.footer();
    };
    expect(ask([true])).not.toMatch(/select|choose/u);
    expect(ask([true, false])).toMatch(/^ 1 select {2}/u);
    expect(ask([true, false, false])).toMatch(/^ 1-2 select {2}↓ next/u);
    expect(driver.press('2').footer()).toMatch(/^ enter choose {2}/u);
    expect(driver.state.dialog).toMatchObject({ stage: { cursor: 2 } });
    // Advice can't be taken either, and no key types a tenth number.
    expect(driver.press('up', 'up').footer()).toMatch(/^ 1-2 select {2}/u);
    expect(ask(Array.from({ length: 12 }, () => false))).toMatch(/^ 1-9 select {2}/u);
  });

  /** Opens a question with this many lines of text, at 80 by 24. */
  function asked(lines: number, title = 'Delete ConfigMap shop/parent', word?: string): ScreenDriver {
    const driver = ScreenDriver.complete(yaml, { columns: 80, rows: 24 }).press('d');
    const stage = { at: 'asking', question: 'Delete it?', word, typed: '' } as const;
    const text = Array.from({ length: lines }, (_, i) => TextLine.of(`line ${i}`));
    driver.send({ type: 'action', number: 1, news: { title, stage, lines: text } });
    return driver;
  }

  test('says which lines show where the text is cut, beside the longest title, and which key shows more', () => {
    const driver = asked(30, `Delete ConfigMap shop/${'parent-'.repeat(20)}, background`);
    const head = (): string => textOf(panelOf(driver)[0] ?? []);
    const [, last] = /^Delete ConfigMap shop\/.*…\S*, background +1-(\d+) of 30$/u.exec(head()) ?? [];
    expect(driver.footer()).toContain('J scroll text');
    driver.press('J');
    expect(head()).toMatch(new RegExp(` ${last}-\\d+ of 30$`, 'u'));
    expect(asked(30, undefined, 'parent').footer()).toContain('Ctrl-F scroll text');
  });

  test('does not name a key that scrolls a text which is whole', () => {
    const driver = asked(2);
    expect(driver.footer()).toContain('↓ scroll tree');
    expect(driver.footer()).not.toContain('scroll text');
    expect(textOf(panelOf(driver)[0] ?? [])).toBe('Delete ConfigMap shop/parent');
  });
});

test('the steps of a scenario say which lines of a long text show', () => {
  const driver = ScreenDriver.complete(yaml, { columns: 80, rows: 24, info: { source: 'demo' } });
  driver.press('5', 'E');
  const lines = Array.from({ length: 40 }, (_, i) => [{ text: `line ${i}`, style: 'plain' as const }]);
  driver.send({ type: 'stepped', lines, status: 'step 3' });
  expect(opened(driver).status).toMatch(/^step 3; lines 1 to \d+ of 40$/u);
  expect(opened(driver.press('down')).status).toContain('; lines 2 to ');
});
