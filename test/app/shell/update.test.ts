import { expect, test } from 'vitest';
import { ClusterModel } from '../../../src/app/cluster/model.ts';
import { isIn } from '../../../src/app/commands/bindings/binding.ts';
import { commands } from '../../../src/app/commands/bindings.ts';
import { footerLine } from '../../../src/app/screen/frame.ts';
import { update } from '../../../src/app/shell/update.ts';
import { layoutOf } from '../../../src/app/state/layout.ts';
import type { Message } from '../../../src/app/state/messages.ts';
import { initialState, type State } from '../../../src/app/state/state.ts';
import { currentNode } from '../../../src/app/views/current.ts';
import type { Change } from '../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../src/model/object.ts';
import { object, ownedBy, population, types } from '../../ui/synthetic-source.ts';
import { ScreenDriver } from '../screen-driver.ts';

const info = { source: 'cluster', context: 'test', namespace: 'team-0', serverVersion: undefined } as const;

function opened(namespace: string | undefined = 'team-0'): State {
  const state = initialState({
    options: {
      namespace: undefined,
      allNamespaces: false,
      ascii: false,
      color: true,
      screenReader: false,
      readOnly: false,
    },
    columns: 120,
    rows: 30,
    now: Date.UTC(2026, 0, 2),
  });
  const cluster = new ClusterModel({ namespace });
  return after(state, { type: 'opened', info, cluster });
}

function after(state: State, ...messages: Message[]): State {
  let at = state;
  for (const message of messages) [at] = update(at, message);
  return at;
}

function arrive(state: State, ...changes: Change[]): State {
  const batch = { changes, types: Object.values(types) };
  return after(state, { type: 'batch', batch: batch, now: state.now });
}

function press(state: State, ...ids: string[]): State {
  const keys = ids.map(id => ({
    type: 'key' as const,
    key: id.length === 1 ? { text: id } : { name: id as 'down' },
  }));
  return after(state, ...keys);
}

function pod(name: string, owner?: string): Change {
  const owners =
    owner === undefined
      ? []
      : [ownedBy(object({ type: types.pod, namespace: 'team-0', name: owner, uid: owner }))];
  return { op: 'upsert', object: object({ type: types.pod, namespace: 'team-0', name, uid: name, owners }) };
}

function gone(name: string): Change {
  return { op: 'delete', uid: name as Uid, type: types.pod };
}

function many(count: number): Change[] {
  return Array.from({ length: count }, (_, i) => pod(`p${String(i).padStart(4, '0')}`));
}

/** Each owns another one. */
function pairs(count: number): Change[] {
  return Array.from({ length: count }, (_, i) => [pod(`q${i}`), pod(`q${i}-a`, `q${i}`)]).flat();
}

const name = (state: State) => currentNode(state)?.identity.name;
const line = (state: State) => state.tree.index - state.tree.top;

test('until somebody moves, the cursor stays on the first row while lists arrive', () => {
  const state = arrive(arrive(opened(), pod('m')), pod('a'));
  expect([name(state), state.tree.index]).toEqual(['a', 0]);
});

/** The group of all of them is unfolded, and the cursor on the one in the middle. */
const inGroup = (): State =>
  press(arrive(opened(), ...many(100)), '*', ...Array.from({ length: 51 }, () => 'j'));

test('the cursor keeps its object and its line when objects come and go above it', () => {
  const before = inGroup();
  expect(name(before)).toBe('p0050');
  const state = arrive(before, pod('a1'), pod('a2'), gone('p0003'));
  expect([name(state), line(state)]).toEqual(['p0050', line(before)]);
  expect(state.tree.index).toBe(before.tree.index + 1);
});

test('when its object is deleted, the cursor keeps its line', () => {
  const before = inGroup();
  const state = arrive(before, gone('p0050'));
  expect([name(state), line(state)]).toEqual(['p0051', line(before)]);
});

test('when its object becomes a root, the cursor follows it', () => {
  const tree = arrive(opened(), pod('owner'), pod('child', 'owner'), pod('z'));
  const before = press(tree, 'j');
  expect(name(before)).toBe('child');
  const state = arrive(before, pod('child'));
  expect(name(state)).toBe('child');
  expect(state.tree.selected?.depth).toBe(0);
});

test('when its object gets an owner, the cursor follows it, also into what is folded', () => {
  const before = press(arrive(opened(), pod('a'), pod('b', 'a'), pod('z')), '-', 'j');
  expect(name(before)).toBe('z');
  const state = arrive(before, pod('z', 'a'));
  expect([name(state), state.tree.selected?.depth]).toEqual(['z', 1]);
});

test('when its object no longer stands alone, the cursor leaves the group with it, and goes into it with it', () => {
  const before = inGroup();
  expect([name(before), before.tree.selected?.depth]).toEqual(['p0050', 1]);
  const owning = arrive(before, pod('child', 'p0050'));
  expect([name(owning), owning.tree.selected?.depth]).toEqual(['p0050', 0]);
  const folded = press(owning, '-');
  const alone = arrive(folded, gone('child'));
  expect([name(alone), alone.tree.selected?.depth]).toEqual(['p0050', 1]);
});

test('folding a group puts the cursor on it', () => {
  const state = press(inGroup(), 'h');
  expect(state.tree.selected).toMatchObject({ kind: 'group', group: { objectKind: 'Pod' } });
  expect(press(state, 'h').cluster?.rows.length).toBe(1);
});

test('folding everything puts the cursor on the row that its object went into', () => {
  const state = press(arrive(opened(), pod('owner'), pod('child', 'owner')), 'j', '-');
  expect(name(state)).toBe('owner');
});

test('h on a folded row goes to the row above it, l on an unfolded one into it', () => {
  const state = press(arrive(opened(), pod('owner'), pod('child', 'owner')), 'l');
  expect(name(state)).toBe('child');
  expect(name(press(state, 'h'))).toBe('owner');
});

test('a scope that grows large while it is listed folds, one that grows afterwards does not', () => {
  const small = () => arrive(opened(), pod('owner'), pod('child', 'owner'));
  expect(small().cluster?.rows.length).toBe(2);
  expect(arrive(small(), ...pairs(150)).cluster?.rows.length).toBe(151);
  const settled = after(small(), { type: 'graphComplete', info });
  expect(arrive(settled, ...pairs(150)).cluster?.rows.length).toBe(302);
});

test('pages and ends never leave the rows', () => {
  const state = press(arrive(opened(), ...many(100)), '*');
  expect(name(press(state, 'G', 'pagedown', 'pagedown', 'j'))).toBe('p0099');
  expect(name(press(state, 'G', 'g', 'pageup', 'k', 'j'))).toBe('p0000');
  const bottom = press(state, 'G');
  expect(bottom.tree.top + (layoutOf(bottom).tree?.height ?? 0)).toBe(101);
});

test('every row that a window shows is inside the screen after any resize', () => {
  let state = press(arrive(opened(), ...many(100)), '*', 'G');
  for (const [columns, rows] of [
    [60, 15],
    [200, 60],
    [80, 24],
    [120, 20],
  ] as const) {
    state = after(state, { type: 'resized', columns, rows });
    const height = layoutOf(state).tree?.height ?? 0;
    expect(line(state)).toBeGreaterThanOrEqual(0);
    expect(line(state)).toBeLessThan(height);
    expect(name(state)).toBe('p0099');
  }
});

test('the first connection that fails ends the program, a later one does not', () => {
  const fresh = { ...opened(), cluster: undefined };
  expect(update(fresh, { type: 'openFailed', message: 'refused' })[1]).toEqual([
    { type: 'quit', code: 2, error: 'refused' },
  ]);
  const switching = { ...arrive(opened(), pod('a')), opening: 'other' };
  const [state, effects] = update(switching, { type: 'openFailed', message: 'refused' });
  expect(effects).toEqual([]);
  expect([state.dialog?.kind, name(state)]).toEqual(['text', 'a']);
});

test('enter before the hits are there jumps once they are', () => {
  const state = press(arrive(opened(), ...many(50)), '/', 'p', '0', '0', '4', '2', 'enter');
  const node = state.cluster?.node('p0042' as Uid);
  if (node === undefined) throw new Error('the pod is missing');
  const stale = after(state, { type: 'found', query: 'p00', hits: [], total: 0, done: true });
  expect(stale.dialog?.kind).toBe('search');
  const hit = { node, title: 'Pod team-0/p0042', places: [], besides: '' };
  const found = after(stale, { type: 'found', query: 'p0042', hits: [hit], total: 1, done: false });
  expect([found.dialog, name(found)]).toEqual([undefined, 'p0042']);
});

test('jumping to an object in another namespace shows that namespace', () => {
  const changes = Array.from(population({ objects: 100, namespaces: 3 }), each => ({
    op: 'upsert' as const,
    object: each,
  }));
  const state = press(arrive(opened('team-0'), ...changes), '/', 'x');
  const node = state.cluster?.node('p-1-0' as Uid);
  if (node === undefined) throw new Error('the pod is missing');
  const hits = [{ node, title: '', places: [], besides: '' }];
  const jumped = press(after(state, { type: 'found', query: 'x', hits, total: 1, done: true }), 'enter');
  expect([jumped.cluster?.namespace, name(jumped)]).toEqual(['team-1', node.identity.name]);
});

test('the footer names only keys that work now', () => {
  const text = (state: State) =>
    footerLine(state, layoutOf(state))
      .map(span => span.text)
      .join('');
  const root = arrive(opened(), pod('owner'), pod('child', 'owner'));
  expect(text(root)).toContain('enter fold');
  expect(text(root)).not.toContain('b owner');
  const leaf = press(root, 'j');
  expect(text(leaf)).toContain('enter details');
  expect(text(leaf)).toContain('b owner');
});

test.each([
  [60, 30],
  [80, 24],
  [160, 40],
])('the footer of the details names the YAML of the object, at %i by %i', (columns, rows) => {
  const held = `
- {kind: Pod, name: web-0, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}`;
  const screen = ScreenDriver.complete(held, { columns, rows }).press('tab');
  expect(screen.footer()).toMatch(/^ enter follow {2}Esc back {2}y yaml {2}u unblock/u);
  expect(screen.footer()).toMatch(/\? help {2}q quit$/u);
  expect(screen.footer().length).toBeLessThanOrEqual(columns);
});

test.each(['tree', 'problems'] as const)('no key is bound twice in the view %s', view => {
  const keys = commands.filter(command => isIn(command, view)).flatMap(command => command.keys);
  expect(new Set(keys).size).toBe(keys.length);
});
