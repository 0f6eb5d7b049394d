/** What keys and news make of the dialog of an action, without running one. */
import { describe, expect, test } from 'vitest';
import { actionView } from '../../src/app/dialogs/action-panel.ts';
import type { ActionNews } from '../../src/app/state/action-dialog.ts';
import { layoutOf } from '../../src/app/state/layout.ts';
import type { Uid } from '../../src/model/object.ts';
import { TextLine } from '../../src/text/terminal/text-line.ts';
import { ScreenDriver } from './screen-driver.ts';

const yaml = `
- {kind: ConfigMap, name: parent}
- {kind: ConfigMap, name: child, owners: [v1 ConfigMap parent]}
`;

const asking = (word?: string): ActionNews => ({
  stage: { at: 'asking', question: 'Delete it?', word, typed: '' },
  lines: Array.from({ length: 100 }, (_, i) => TextLine.of(`line ${i}`)),
});

function begun(): ScreenDriver {
  const driver = ScreenDriver.complete(yaml).press('d');
  expect(driver.effects.at(-1)).toMatchObject({ type: 'openAction', number: 1 });
  return driver;
}

function tell(driver: ScreenDriver, news: ActionNews, number = 1): void {
  driver.send({ type: 'action', number, news });
}

function stageOf({ state }: ScreenDriver) {
  return state.dialog?.kind === 'action' ? state.dialog.stage : undefined;
}

describe('the question', () => {
  test('takes no other key than y, and only once it is asked', () => {
    const driver = begun();
    driver.press('y', 'enter', 'space');
    expect(stageOf(driver)?.at).toBe('working');
    tell(driver, asking());
    driver.press('Y', 'enter', 'd', 'space');
    expect(driver.effects.filter(({ type }) => type === 'answerAction')).toEqual([]);
    driver.press('y', 'y');
    expect(driver.effects.filter(({ type }) => type === 'answerAction')).toEqual([
      { type: 'answerAction', number: 1, yes: true },
    ]);
  });

  test('that wants a word takes only this word, to the letter, typed or pasted', () => {
    const driver = begun();
    tell(driver, asking('web'));
    driver.press('y', 'enter', 'backspace', 'W', 'e', 'b', 'enter');
    expect(stageOf(driver)).toMatchObject({ at: 'asking', typed: 'Web' });
    driver.press('ctrl-u');
    driver.send({ type: 'paste', text: 'web\n' });
    expect(stageOf(driver)).toMatchObject({ at: 'asking', typed: 'web' });
    expect(driver.effects.filter(({ type }) => type === 'answerAction')).toEqual([]);
    driver.press('enter');
    expect(driver.effects.at(-1)).toEqual({ type: 'answerAction', number: 1, yes: true });
  });

  test('is asked anew with nothing typed, and from the top of the new forecast', () => {
    const driver = begun();
    tell(driver, asking('web'));
    driver.press('w', 'e', 'ctrl-f');
    tell(driver, asking('web'));
    expect(stageOf(driver)).toMatchObject({ typed: '' });
    expect(driver.state.dialog).toMatchObject({ top: 0 });
  });

  test('of an action that was left is not shown', () => {
    const driver = begun().press('escape');
    expect(driver.effects.at(-1)).toEqual({ type: 'stopAction', number: 1 });
    tell(driver, asking());
    expect(driver.state.dialog).toBeUndefined();
    driver.press('o');
    tell(driver, asking(), 1);
    expect(stageOf(driver)?.at).toBe('working');
  });
});

describe('the dialog', () => {
  test('tells in one line how an action ended that nobody looked at any more', () => {
    const driver = begun();
    tell(driver, { stage: { at: 'following', progress: '1 of 2 done', done: 1, total: 2 } });
    driver.press('escape');
    tell(driver, { stage: { at: 'ended', outcome: 'As forecast: 2 objects are gone.', style: 'good' } });
    expect(driver.banner()).toContain('As forecast: 2 objects are gone.');
  });

  test.each([
    [60, 15],
    [80, 24],
    [200, 50],
  ])('shows the question and the whole text in parts at %i by %i', (columns, rows) => {
    const driver = ScreenDriver.complete(yaml, { columns, rows }).press('d');
    tell(driver, asking('web'));
    const seen = new Set<string>();
    for (let i = 0; i < 100; i++) {
      const { dialog } = driver.state;
      if (dialog?.kind !== 'action') throw new Error('no dialog');
      const view = actionView(driver.state, dialog);
      expect(
        view.head
          .flat()
          .map(({ text }) => text)
          .join(''),
      ).toContain('Delete it?');
      const { details, tree } = layoutOf(driver.state);
      // Title, head and text fill the panel, and the tree stays in sight.
      expect(1 + view.head.length + view.height).toBe(details?.height);
      expect(tree?.height).toBeGreaterThanOrEqual(5);
      for (const line of view.lines) seen.add(line.map(({ text }) => text).join(''));
      driver.press('ctrl-f');
    }
    expect(seen.size).toBe(100);
  });

  test('moves between choices, and takes none that is refused', () => {
    const driver = begun();
    const choice = { hint: '', style: 'plain' as const, lines: [] };
    tell(driver, {
      stage: {
        at: 'choosing',
        question: 'Which?',
        as: 'row',
        cursor: 0,
        choices: [
          { ...choice, id: 'background', label: 'background', refused: true },
          { ...choice, id: 'orphan', label: 'orphan' },
        ],
      },
    });
    driver.press('9', 'enter');
    expect(stageOf(driver)).toMatchObject({ at: 'choosing', cursor: 0 });
    expect(driver.banner()).toContain('This entry cannot be chosen.');
    driver.press('right', 'right', 'enter');
    expect(driver.effects.at(-1)).toEqual({ type: 'chooseAction', number: 1, choice: 'orphan' });
  });
});

test('enter says so if no remedy is recommended and none is chosen yet', () => {
  const driver = begun();
  const choices = [{ id: 'a', label: 'a', hint: '', style: 'plain' as const, lines: [] }];
  tell(driver, { stage: { at: 'choosing', question: 'Which?', as: 'list', cursor: -1, choices } });
  driver.press('enter');
  expect(driver.banner()).toContain('Nothing is chosen yet: move to an entry, or press its number.');
  expect(driver.effects.filter(({ type }) => type === 'chooseAction')).toEqual([]);
});

describe('marks', () => {
  test('make a deletion about them, in any view', () => {
    const driver = ScreenDriver.complete(yaml).press('space', 'space');
    expect(driver.banner()).toContain('2 objects marked');
    driver.press('d');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'delete', uids: ['parent', 'child'] } });
    driver.press('escape', '4', 'd');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'delete', uids: ['parent', 'child'] } });
    driver.press('escape', '1', 'M', 'd');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'delete', uids: ['child'] } });
  });
});

describe('remedies for many', () => {
  const held = (name: string): string => `
- {kind: ConfigMap, name: ${name}, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}`;

  test.each(['u', 'U'])('%s is about the marked objects, or the one under the cursor', key => {
    const driver = ScreenDriver.complete(held('a') + held('b') + held('c')).press('space', 'space');
    expect(driver.footer()).not.toContain('(u unblock)');
    driver.press(key);
    const what = key === 'u' ? 'unblock' : 'remedies';
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what, uids: ['a', 'b'] } });
    expect(driver.state.dialog).toMatchObject({ title: expect.stringContaining('2 objects') as string });
    driver.press('escape', 'M', 'U');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'remedies', uids: ['c'] } });
  });

  test('are about all that stands below a heading of problems, folded or not, which no other key acts on', () => {
    const driver = ScreenDriver.complete(`${held('a')}${held('b')}
- {kind: ConfigMap, name: c, owners: [example.com/v1 Widget w w]}`).press('2', 'g');
    driver.press('d', 'o', 'p');
    expect(driver.effects.filter(({ type }) => type === 'openAction')).toEqual([]);
    driver.press('u');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'unblock', uids: ['a', 'b'] } });
    driver.press('escape', 'enter', 'U');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'remedies', uids: ['a', 'b'] } });
  });
});

describe('u on a heading of the tree', () => {
  const yaml = `
- {kind: Namespace, name: shop}
- {kind: Namespace, name: other}
- {kind: ConfigMap, namespace: other, name: quiet}
- {kind: ConfigMap, name: owner}
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap owner], deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}
- {kind: ConfigMap, name: b, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}`;
  const onHeading = (name: string): ScreenDriver => {
    const driver = ScreenDriver.complete(yaml, { namespace: undefined }).press('-', 'g');
    const row = driver.rows().findIndex(each => each.includes(name));
    return driver.press(...Array.from({ length: row }, () => 'j'));
  };

  test('offers what is wrong below it if nothing is wrong with its Namespace', () => {
    const driver = onHeading('shop (');
    expect(driver.footer()).toContain('u unblock');
    driver.press('u');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'unblock', uids: ['a', 'b'] } });
    expect(driver.state.dialog).toMatchObject({ title: 'Unblock 2 objects' });
  });

  test('says that nothing is wrong where there is nothing', () => {
    expect(onHeading('other (').press('u').banner()).toContain('no finding on Namespace other has a remedy');
  });
});

describe('permissions', () => {
  test('are asked for the object under the cursor, once, and a late answer for another one is none', () => {
    const driver = ScreenDriver.complete(yaml);
    const asked = (): unknown[] =>
      driver.effects
        .filter(({ type }) => type === 'askAccess')
        .map(effect => ('uid' in effect ? effect.uid : ''));
    expect(asked()).toEqual(['parent']);
    driver.press('down');
    expect(asked()).toEqual(['parent', 'child']);
    driver.send({
      type: 'access',
      access: { uid: 'parent' as Uid, delete: 'the permission to delete is missing' },
    });
    expect(driver.footer()).toContain('d delete');
    expect(driver.footer()).not.toContain('(d delete)');
    driver.press('up');
    driver.send({
      type: 'access',
      access: { uid: 'parent' as Uid, delete: 'the permission to delete is missing' },
    });
    expect(driver.footer()).toContain('(d delete)');
    // The dialog says which permission is missing, beside the forecast.
    driver.press('d');
    expect(driver.state.dialog?.kind).toBe('action');
  });

  test('are not asked of files, where nothing can be changed', () => {
    const driver = ScreenDriver.complete(yaml, { info: { source: 'files' } }).press('d');
    expect(driver.effects.filter(({ type }) => type === 'askAccess' || type === 'openAction')).toEqual([]);
    expect(driver.banner()).toContain('Not here: files cannot be changed');
  });
});

test('an owner known only from references cannot be changed, and a key says so', () => {
  const driver = ScreenDriver.complete('- {kind: ConfigMap, name: left, owners: [v1 ConfigMap lost lost]}');
  driver.press('g', 'd');
  expect(driver.banner()).toBe(' Nothing to change: this owner is known only from references.');
});
