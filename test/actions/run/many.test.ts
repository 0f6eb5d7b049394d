import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/actions/journal/action-journal.ts';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { Question } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import type { ActAnswer, ActRequest } from '../../../src/model/exchange/act.ts';
import type { Uid } from '../../../src/model/object.ts';
import { ActingWorld, lines } from '../acting-world.ts';

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `m-${index}`);
const held = (count: number): string =>
  names(count)
    .map(
      name => `
- {kind: ConfigMap, name: ${name}, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]}`,
    )
    .join('');
const orphans = (count: number): string =>
  names(count)
    .map(name => `\n- {kind: ConfigMap, name: ${name}, owners: [example.com/v1 Widget w-${name} +c]}`)
    .join('');

const DRAIN = 'remove-finalizer-from-all/configmap/example.com/drain';
const WIDGETS = 'prune-reference-from-all/configmap/Unresolvable/example.com/v1/Widget';

describe('one finalizer removed from many objects', () => {
  it('is one question, answered by how many there are, and one entry in the journal', async () => {
    const world = await ActingWorld.of(held(4));
    const prepared = world.unblock('m-0', DRAIN);
    expect(prepared.confirmation).toMatchObject({ kind: 'typed', word: '4' });
    const ended = await actionRun.perform(prepared, world.ports());
    expect(ended.state).toBe('reached');
    expect(lines(world.sent)).toEqual(['PATCH m-1', 'PATCH m-2', 'PATCH m-3', 'PATCH m-0']);
    expect(await world.journal.list()).toHaveLength(1);
    for (const uid of names(4)) expect(world.has(uid)).toBe(false);
  });

  it('goes on where it was cut short', async () => {
    const world = await ActingWorld.of(held(4));
    world.intercept = ({ path }) =>
      path.endsWith('/m-3') ? { status: 403, body: { message: 'not now' } } : undefined;
    await actionRun.perform(world.unblock('m-0', DRAIN), world.ports());
    expect(names(4).filter(uid => world.has(uid))).toEqual(['m-0', 'm-3']);
    world.intercept = () => undefined;
    world.sent.length = 0;
    const rest = await actionRun.perform(world.unblock('m-0', DRAIN), world.ports());
    expect(rest.state).toBe('reached');
    expect(lines(world.sent)).toEqual(['PATCH m-3', 'PATCH m-0']);
  });

  it('keeps to those that were chosen, when it goes on as well', async () => {
    const world = await ActingWorld.of(held(4));
    const chosen = ['m-0', 'm-1', 'm-2'];
    world.intercept = ({ path }) =>
      path.endsWith('/m-1') ? { status: 403, body: { message: 'not now' } } : undefined;
    const prepared = world.unblockChosen(chosen, DRAIN);
    expect(prepared.confirmation).toMatchObject({ kind: 'typed', word: '3' });
    await actionRun.perform(prepared, world.ports());
    world.intercept = () => undefined;
    // Of what was chosen, one is left after another.
    const rest = chosen.filter(uid => world.has(uid));
    expect(rest).toEqual(['m-1', 'm-2']);
    await actionRun.perform(world.unblockChosen(rest, DRAIN), world.ports());
    expect(names(4).filter(uid => world.has(uid))).toEqual(['m-3']);
    const titles = (await world.journal.list()).map(({ intended }) => intended.title);
    expect(titles.some(each => each.includes('all 2 chosen configmaps'))).toBe(true);
  });

  it('continues by itself where one has gone in the meantime, without a second question', async () => {
    const world = await ActingWorld.of(held(4));
    const asked: Question[] = [];
    world.intercept = ({ path }) => {
      if (path.endsWith('/m-2')) {
        world.intercept = () => undefined;
        world.letGo('m-2');
      }
      return undefined;
    };
    const ended = await actionRun.perform(
      world.unblock('m-0', DRAIN),
      world.ports({
        confirm: question => {
          asked.push(question);
          return Promise.resolve(true);
        },
      }),
    );
    expect(ended.state).toBe('reached');
    expect(asked).toHaveLength(1);
    expect(lines(world.sent)).toEqual(['PATCH m-1', 'PATCH m-2', 'PATCH m-3', 'PATCH m-0']);
    expect(names(4).some(uid => world.has(uid))).toBe(false);
  });
});

describe('one kind of bad reference of many objects', () => {
  it('is one question, answered by how many there are, and one entry in the journal', async () => {
    const world = await ActingWorld.of(orphans(3));
    const prepared = world.unblock('m-0', WIDGETS);
    expect(prepared.confirmation).toMatchObject({ kind: 'typed', word: '3' });
    const ended = await actionRun.perform(prepared, world.ports());
    expect(ended.state).toBe('reached');
    expect(lines(world.sent)).toEqual(['PATCH m-1', 'PATCH m-2', 'PATCH m-0']);
    expect(names(3).map(uid => world.object(uid).owners)).toEqual([[], [], []]);
    expect(await world.journal.list()).toHaveLength(1);
  });

  it('goes on with those that are left of a run that was cut short', async () => {
    const world = await ActingWorld.of(orphans(3));
    world.intercept = ({ path }) =>
      path.endsWith('/m-2') ? { status: 403, body: { message: 'not now' } } : undefined;
    const cut = await actionRun.perform(world.unblock('m-0', WIDGETS), world.ports());
    expect(cut).toMatchObject({ state: 'refused', taken: 1 });
    world.intercept = () => undefined;
    world.sent.length = 0;
    const rest = await actionRun.perform(world.unblock('m-0', WIDGETS), world.ports());
    expect(rest.state).toBe('reached');
    expect(lines(world.sent)).toEqual(['PATCH m-2', 'PATCH m-0']);
  });

  it.each(['m-0', 'm-1', 'm-2'])('is not sent where the owner of %s is there after all', async name => {
    const world = await ActingWorld.of(orphans(3));
    const { source } = world;
    const identity = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'owner' } as const;
    const ended = await actionRun.perform(
      world.unblockChosen(names(3), WIDGETS),
      world.ports({
        absencesBehind: objects =>
          objects.some(each => each.name === name)
            ? [{ of: 'object', ...identity, uid: 'owner' as Uid }]
            : [],
        source: {
          ...source,
          get: (type, namespace, asked, signal) =>
            asked === 'owner'
              ? Promise.resolve({ metadata: { name: asked, namespace, uid: 'owner' } })
              : source.get(type, namespace, asked, signal),
        },
      }),
    );
    expect(ended.state).toBe('stale');
    expect(ended.because).toContain('ConfigMap owner is there');
    expect(world.sent).toEqual([]);
  });
});

it('a process that is killed at one of 150 deletions leaves a journal that takes back what was deleted, and a next run goes on', async () => {
  const maps = names(150)
    .map(name => `\n- {kind: ConfigMap, name: ${name}}`)
    .join('');
  const world = await ActingWorld.of(maps);
  const killed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<never>();
  const { source } = world;
  const act = (request: ActRequest): Promise<ActAnswer> => {
    if (!request.path.endsWith('/m-75')) return source.act(request);
    killed.resolve();
    return ended.promise;
  };
  const running = actionRun.perform(
    world.delete('background', ...names(150)),
    world.ports({ source: { ...source, act } }),
  );
  await killed.promise;

  const journal = new Journal(world.journal.folder);
  const [entry] = await journal.list();
  if (entry === undefined) throw new Error('no entry');
  const states = Map.groupBy(entry.requests, ({ state }) => state);
  expect([...states].map(([state, { length }]) => [state, length])).toEqual([
    ['answered', 75],
    ['unknown', 1],
    ['notSent', 74],
  ]);
  const undo = Undo.plan(entry, await journal.backupOf(entry), world.view);
  expect([undo.extent, undo.requests.length]).toEqual(['whole', 75]);

  const left = names(150).filter(uid => world.has(uid));
  const rest = await actionRun.perform(world.delete('background', ...left), world.ports());
  expect([rest.state, rest.taken]).toEqual(['reached', 75]);
  expect(await journal.list()).toHaveLength(2);
  ended.reject(new Error('killed'));
  await running;
});
