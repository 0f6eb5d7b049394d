import { describe, expect, test } from 'vitest';
import { isIn } from '../../src/app/commands/bindings/binding.ts';
import { commands } from '../../src/app/commands/bindings.ts';
import { views } from '../../src/app/views/registry.ts';
import { ScreenDriver } from './screen-driver.ts';

const held = (name: string): string => `
- {kind: ConfigMap, name: ${name}, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}`;
const three = held('a') + held('b') + held('c');
const family = `
- {kind: ReplicaSet, name: parent}
- {kind: Pod, name: child, owners: [apps/v1 ReplicaSet parent parent]}
`;

function marked(driver: ScreenDriver): string[] {
  return [...driver.state.marks].sort();
}

describe('a key that does nothing', () => {
  test('says why, in every view and for every key', () => {
    const silent: string[] = [];
    for (const { key, title } of views) {
      for (const bound of new Set(commands.flatMap(command => command.keys))) {
        if (bound.startsWith('ctrl-')) continue;
        const driver = ScreenDriver.complete(family).press(key === '1' ? 'M' : key, 'g');
        const before = { ...driver.state, notice: undefined };
        const [rows, effects] = [driver.rows().join('\n'), driver.effects.length];
        driver.press(bound);
        const { notice, ...after } = driver.state;
        const isSame =
          rows === driver.rows().join('\n') &&
          effects === driver.effects.length &&
          before.tree.sort === after.tree.sort &&
          before.tree.filter === after.tree.filter &&
          (['view', 'dialog', 'focus', 'details', 'marks', 'range'] as const).every(
            part => before[part] === after[part],
          );
        const command = commands.find(each => each.keys.includes(bound) && isIn(each, driver.state.view));
        // At the end of a list or of the details there is nowhere to move, and Esc may have nothing to leave.
        const moves =
          command?.group === 'Move' || command?.id.startsWith('details') === true || bound === 'escape';
        if (isSame && notice === undefined && !moves) silent.push(`${title}: ${bound}`);
      }
    }
    expect(silent).toEqual([]);
  });

  test('names what is in the way', () => {
    const driver = ScreenDriver.complete(family).press('j', 'right');
    expect(driver.banner()).toBe(' Nothing to unfold: Pod shop/child owns nothing here.');
    expect(driver.press('k', 'left', 'left').banner()).toContain('ReplicaSet shop/parent is folded');
    expect(driver.press('b').banner()).toContain('ReplicaSet shop/parent has no owner.');
    expect(driver.press('M').banner()).toContain('Nothing is marked');
    expect(driver.press('P').banner()).toContain('--replay FILE');
    expect(driver.press('3', 't').banner()).toContain(
      't is a key of Tree (1) alone: show or hide which tool',
    );
    expect(driver.press('s').banner()).toBe(
      ' s is a key of Tree (1): change the sort order; Problems (2): group by code or by cause.',
    );
  });

  test('is named where nothing is bound to it', () => {
    expect(ScreenDriver.complete(family).press('Q').banner()).toBe(' No key Q; ? lists them.');
  });
});

describe('enter', () => {
  test('unfolds and folds what has rows below it, and goes to the details of what has none', () => {
    const driver = ScreenDriver.complete(family).press('enter');
    expect(driver.rows()).toEqual([expect.stringMatching(/^>▸ ReplicaSet parent \(1\)/)]);
    driver.press('enter', 'j', 'enter');
    expect(driver.state.focus).toBe('details');
    expect(driver.press('escape').state.focus).toBe('tree');
  });

  test('shows the details in place of the tree where there is no room beside it', () => {
    const driver = ScreenDriver.complete(family, { columns: 60, rows: 15 }).press('j', 'enter');
    expect(driver.state.details).toBe('full');
    expect(driver.press('escape').state.details).toBe('auto');
  });
});

describe('marks', () => {
  test('are set and taken back by space in lists, too, and a heading marks all below it', () => {
    const driver = ScreenDriver.complete(three).press('2', 'j', 'space');
    expect(marked(driver)).toEqual(['a']);
    expect(driver.rows()[1]).toMatch(/^ \*/u);
    driver.press('g', 'space');
    expect(marked(driver)).toEqual(['a', 'b', 'c']);
    expect(driver.banner()).toContain('3 objects marked');
    expect(marked(driver.press('space'))).toEqual([]);
  });

  test('are what an action in any view is about', () => {
    const driver = ScreenDriver.complete(three).press('2', 'j', 'space', 'space', 'G', 'd');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'delete', uids: ['a', 'b'] } });
  });

  test('are set from a row to another one, which v ends and escape takes back', () => {
    const driver = ScreenDriver.complete(three).press('v', 'j', 'j');
    expect(marked(driver)).toEqual(['a', 'b', 'c']);
    driver.press('k');
    expect(marked(driver)).toEqual(['a', 'b']);
    expect(driver.banner()).toContain('v ends it');
    driver.press('v', 'j');
    expect(marked(driver)).toEqual(['a', 'b']);
    driver.press('v', 'k', 'escape');
    expect(marked(driver)).toEqual(['a', 'b']);
  });

  test('follow the arrows while Shift is held down', () => {
    const driver = ScreenDriver.complete(three).press('shift-down', 'shift-down', 'shift-up');
    expect(marked(driver)).toEqual(['a', 'b']);
    expect(marked(driver.press('down', 'down'))).toEqual(['a', 'b']);
  });

  test('go with their objects, and whoever acts on them is told', () => {
    const driver = ScreenDriver.complete(three).press('space', 'space');
    driver.remove(held('a'));
    expect(marked(driver)).toEqual(['b']);
    driver.press('d');
    expect(driver.state.notice?.text).toBe('1 marked object is gone: this is about the one that is left.');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'delete', uids: ['b'] } });
  });

  test('that are all gone do not make an action one on the row under the cursor', () => {
    const driver = ScreenDriver.complete(three).press('space');
    driver.remove(held('a'));
    driver.press('d');
    expect(driver.state.dialog).toBeUndefined();
    expect(driver.banner()).toContain('1 marked object is gone, so nothing is marked any more.');
    expect(driver.banner()).toContain('The same key again is about ConfigMap shop/b.');
    driver.press('d');
    expect(driver.effects.at(-1)).toMatchObject({ wish: { what: 'delete', uids: ['b'] } });
  });
});

const stuck = `${held('a')}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap b b]}
- {kind: ConfigMap, name: c}
- {kind: ConfigMap, name: far, namespace: infra, finalizers: [example.com/drain], deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0}
`;
const under = (driver: ScreenDriver): string => driver.rows().find(row => row.startsWith('>')) ?? '';

describe('the next problem', () => {
  test('is gone to in the tree from anywhere, round and round, and the previous one back', () => {
    const driver = ScreenDriver.complete(stuck).press('G');
    expect(under(driver)).toContain('ConfigMap c');
    const first = under(driver.press(']'));
    expect(driver.banner()).toMatch(/Problem 1 of 2: ConfigMap shop\/\w /u);
    const second = under(driver.press(']'));
    expect(new Set([first.slice(0, 20), second.slice(0, 20)]).size).toBe(2);
    expect(under(driver.press(']'))).toBe(first);
    expect(under(driver.press('['))).toBe(second);
    expect(under(driver.press('4', ']'))).toBe(first);
    expect(driver.state.view).toBe('tree');
  });

  test('is the next row in Problems, also where its group is folded', () => {
    const driver = ScreenDriver.complete(stuck).press('2', '-', ']');
    expect(driver.state.view).toBe('problems');
    expect(under(driver)).toMatch(/^> {2}ConfigMap/u);
    const first = under(driver);
    expect(under(driver.press(']'))).not.toBe(first);
    expect(under(driver.press('['))).toBe(first);
  });

  test('is said to be missing where none was found', () => {
    expect(ScreenDriver.complete(family).press(']').banner()).toContain('No problems were found here.');
  });
});

describe('back and forward', () => {
  test('go through views, namespaces and rows', () => {
    const driver = ScreenDriver.complete(stuck, { namespace: 'shop' }).press('j', '2', '0');
    expect(driver.state.cluster?.namespace).toBeUndefined();
    driver.press('{');
    expect([driver.state.view, driver.state.cluster?.namespace]).toEqual(['problems', 'shop']);
    driver.press('backspace');
    expect(driver.state.view).toBe('tree');
    expect(under(driver)).toContain('ConfigMap b');
    expect(driver.press('{').banner()).toContain('nothing to go back to');
    driver.press('}', 'alt-right');
    expect([driver.state.view, driver.state.cluster?.namespace]).toEqual(['problems', undefined]);
    expect(driver.press('}').banner()).toContain('nothing to go forward to');
  });

  test('leave behind what was told of where one was', () => {
    const driver = ScreenDriver.complete(stuck).press(']');
    expect(driver.banner()).toContain('Problem ');
    expect(driver.press('{').banner()).not.toContain('Problem ');
  });

  test('say so where the object is gone', () => {
    const driver = ScreenDriver.complete(stuck).press('G', '2');
    driver.remove('- {kind: ConfigMap, name: c}');
    driver.press('{');
    expect(driver.state.view).toBe('tree');
    expect(driver.banner()).toContain('not in the tree any more');
  });
});

describe('all namespaces', () => {
  test('are shown by 0, and the one before by 0 again; what is marked there stays marked', () => {
    const driver = ScreenDriver.complete(stuck).press('space', '0');
    expect(driver.title()).toContain('all namespaces');
    expect(marked(driver)).toEqual(['a']);
    driver.press('0');
    expect(driver.title()).toContain('▸ shop');
    expect(driver.press('n', ...'infra', 'enter').title()).toContain('▸ infra');
    expect(marked(driver)).toEqual([]);
  });

  test('have nothing before them where they were shown from the beginning', () => {
    const driver = ScreenDriver.complete(stuck, { namespace: undefined }).press('0');
    expect(driver.banner()).toContain('no other was before');
  });
});
