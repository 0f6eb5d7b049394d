/** The screen opens on trouble until a key is pressed, and names the key to trouble elsewhere. */
import { describe, expect, test } from 'vitest';
import type { TypeStatus } from '../../../src/model/exchange/changes.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { now, objects } from '../../cli/documents/cluster.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const since = "deletionTimestamp: '2026-11-21T11:36:00Z'";

/** A Namespace that ConfigMap `held` keeps. */
function stuck(name: string): string {
  return `
- { kind: Namespace, name: ${name}, namespace: '', uid: ns-${name}, ${since}, spec: { finalizers: [kubernetes] },
    status: { phase: Terminating } }
- { kind: ConfigMap, name: held, namespace: ${name}, uid: held-${name}, ${since}, finalizers: [example.com/drain] }`;
}

const calm = `
- { kind: Namespace, name: shop, namespace: '' }
- { kind: Deployment, name: api }`;
const cycle = `
- { kind: ConfigMap, name: hen, owners: [v1 ConfigMap egg] }
- { kind: ConfigMap, name: egg, owners: [v1 ConfigMap hen] }`;
const broken = `${calm}${stuck('a')}${stuck('b')}`;

function opened(yaml: string, options: DriverOptions = {}): ScreenDriver {
  return ScreenDriver.complete(yaml, { chooses: true, ...options });
}

function cursor(screen: ScreenDriver): string | undefined {
  return screen.rows().find(row => row.startsWith('>'));
}

describe('the screen opens', () => {
  test('on the problems of a namespace with errors, on the cause, so that u frees all that it holds', () => {
    const screen = opened(broken, { namespace: 'a' });
    expect(screen.tabs()).toMatch(/\[2 Problems \d+\]/u);
    expect(screen.rows()[0]).toContain('example.com/drain');
    expect(cursor(screen)).toBe(screen.rows()[0]);
    expect(cursor(screen)).toMatch(/^>▾/u);
    screen.press('u');
    expect(screen.effects.at(-1)).toMatchObject({ wish: { what: 'unblock', uids: ['held-a', 'ns-a'] } });
  });

  test('on the tree if nothing is wrong, or only warned of', () => {
    for (const yaml of [calm, calm + cycle]) expect(opened(yaml).tabs()).toContain('[1 Tree]');
  });

  test('on the view of config.yaml, on the target, and on the tree of files', () => {
    const find: NonNullable<DriverOptions['target']>['find'] = ({ view }) =>
      [...view.graph.nodes()].find(({ identity }) => identity.name === 'held');
    for (const options of [
      { settings: { view: 'tree' } },
      { target: { find, missing: () => '' } },
      { info: { source: 'files' } },
    ] as const)
      expect(opened(broken, { namespace: 'a', ...options }).tabs()).toContain('[1 Tree]');
  });

  test('nowhere else once a key was pressed', () => {
    const screen = new ScreenDriver({ namespace: 'a', chooses: true });
    screen.list(broken);
    screen.press('j').facts();
    screen.judge();
    expect(screen.tabs()).toMatch(/\[1 Tree\] 2 Problems 2/u);
  });
});

test('another view drops what a key answered in the one before', () => {
  const screen = opened(calm).press('1');
  expect(screen.banner()).toContain('Tree is what is shown.');
  expect(screen.press('2').banner()).toBe('');
});

describe('a namespace without problems in a broken cluster', () => {
  test('names the causes elsewhere, and the key that shows them', () => {
    const screen = opened(broken);
    expect(screen.tabs()).toContain('[1 Tree]');
    expect(screen.banner()).toContain('No problems found here. 0 shows 1 cause elsewhere.');
    expect(screen.title()).toMatch(/1 cause elsewhere: 0$/u);
    expect(screen.footer()).toMatch(/^ 0 1 cause elsewhere/u);
    expect(screen.press(']').banner()).toContain('No problems were found here. 0 shows 1 cause elsewhere.');
    expect(screen.press('2').rows()).toEqual([
      'No problems found in namespace shop.',
      '1 cause elsewhere holds 4 objects: 0 shows all namespaces, n chooses one.',
    ]);
    expect(screen.press('1', '0').tabs()).toContain('[2 Problems 4]');
    expect(screen.rows()[0]).toContain('example.com/drain');
    expect(screen.title()).toMatch(/✗ 4$/u);
    expect(screen.press('{').tabs()).toContain('[1 Tree]');
  });

  test('shows them at once if the user named no namespace, and the way back', () => {
    const screen = opened(broken, { contextNamespace: 'shop' });
    expect(screen.tabs()).toContain('[2 Problems 4]');
    expect(screen.banner()).toContain(
      'No problems found in namespace shop, but 1 cause elsewhere: 0 goes back.',
    );
    expect(cursor(screen)).toContain('example.com/drain');
    expect(screen.press('0').banner()).toContain('Back in namespace shop.');
    expect(opened(broken + cycle, { contextNamespace: 'shop' }).tabs()).toContain('[1 Tree]');
    expect(opened(calm, { contextNamespace: 'shop' }).banner()).toBe('');
  });

  test('names them beside warnings of its own, unless only warnings are elsewhere', () => {
    const screen = opened(broken + cycle);
    expect(screen.tabs()).toContain('[1 Tree]');
    expect(screen.banner()).toContain('No errors found here. 0 shows 1 cause elsewhere.');
    expect(screen.title()).toMatch(/⚠ \d+  1 cause elsewhere: 0$/u);
    expect(screen.footer()).toMatch(/^ 0 1 cause elsewhere/u);
    expect(screen.press('0').tabs()).toContain('[2 Problems');
    const other = cycle.replaceAll('name: ', 'namespace: other, name: ');
    expect(opened(calm + cycle + other).title()).not.toContain('elsewhere');
    expect(opened(calm + other).title()).toMatch(/elsewhere: 0$/u);
  });

  test('names none before the rest is known, nor with problems of its own', () => {
    const screen = new ScreenDriver({ chooses: true });
    screen.list(broken);
    screen.facts();
    expect(screen.title() + screen.footer()).not.toContain('elsewhere');
    expect(opened(broken, { namespace: 'a' }).title()).not.toContain('elsewhere');
  });
});

describe('a Namespace that is stuck', () => {
  test('is a row of its own view, where keys act on it, and counts once', () => {
    const screen = ScreenDriver.complete(broken, { namespace: 'a' });
    expect(screen.rows()).toContainEqual(expect.stringMatching(/^ {3}Namespace a .*✗/u));
    expect(screen.tabs()).toContain('2 Problems 2');
    expect(screen.title()).toMatch(/✗ 2$/u);
    screen.press('G');
    expect(cursor(screen)).toContain('Namespace a');
    expect(screen.press('p').state.dialog).toMatchObject({ kind: 'action' });
    expect(ScreenDriver.complete(calm).rows().join()).not.toContain('Namespace');
  });

  test('has its sign on its heading among all namespaces', () => {
    const screen = ScreenDriver.complete(broken, { namespace: undefined });
    expect(screen.rows()).toContainEqual(expect.stringMatching(/ a \(1 object, ✗ terminating\)/u));
  });
});

describe('the namespaces to choose from', () => {
  test('show their problems, and which are terminating', () => {
    const screen = opened(broken).press('n');
    const { dialog } = screen.state;
    const hints =
      dialog?.kind === 'picker' ? (dialog.items ?? []).map(({ label, hint }) => [label, hint]) : [];
    expect(hints).toEqual([
      ['(all namespaces)', '3 objects'],
      ['a', '1 object  ✗ 2  Terminating'],
      ['b', '1 object  ✗ 2  Terminating'],
      ['shop', '1 object'],
    ]);
  });

  /** A user who may list only the kinds of namespace shop. */
  function restricted(): ScreenDriver {
    const screen = new ScreenDriver();
    const monitored = builtInTypes.filter(ResourceType.isMonitored);
    const reason = 'forbidden';
    const statuses = monitored.map(
      (type): TypeStatus =>
        type.namespaced
          ? { type, state: 'synced', count: 0, facts: true, namespaces: ['shop'], reason }
          : { type, state: 'blind', count: 0, facts: false, reason },
    );
    const changes = objects('- { kind: Deployment, name: api }');
    screen.send({
      type: 'batch',
      batch: { changes, types: builtInTypes, statuses, connection: { state: 'live' } },
      now,
    });
    screen.send({ type: 'graphComplete', info: screen.info() });
    screen.facts();
    screen.judge();
    return screen;
  }

  test('take a name if namespaces cannot be listed, and read it', () => {
    for (const keys of [
      ['n', ...'dev', 'enter'],
      [':', ...'ns dev', 'enter'],
    ]) {
      const screen = restricted().press(...keys);
      expect(screen.title()).toContain('▸ dev');
      expect(screen.effects).toContainEqual({ type: 'prefer', namespace: 'dev' });
      const unknown = 'Nothing in namespace dev could be listed so far: it is not known. B says why.';
      expect(screen.rows()).toEqual([unknown]);
      expect(screen.tabs()).toContain('2 Problems …');
      expect(screen.press(']').banner()).toContain(unknown);
      expect(screen.press('2').rows()[0]).toBe(unknown);
    }
  });

  test('take a name that is none by telling so', () => {
    expect(
      restricted()
        .press('n', ...'No!', 'enter')
        .title(),
    ).toContain('▸ shop');
    const listed = opened(calm).press(':', ...'ns dev', 'enter');
    expect(listed.title()).toContain('▸ shop');
  });
});
