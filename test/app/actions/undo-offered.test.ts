/** `Undo: z` stands where the key, pressed then and there, offers to take that back, and nowhere else. */
import { afterEach, describe, expect, test } from 'vitest';
import { ScreenAction, type ScreenActionOptions } from '../../../src/app/actions/screen-action.ts';
import { commands } from '../../../src/app/commands/bindings.ts';
import { keysOf, undoKey } from '../../../src/app/dialogs/footer-keys.ts';
import type { ActionChoice, ActionNews, ActionWish } from '../../../src/app/state/action-dialog.ts';
import type { Uid } from '../../../src/model/object.ts';
import { ActingWorld } from '../../actions/acting-world.ts';
import { deployment, nodes } from '../../forecast/fixtures.ts';
import { ScreenDriver } from '../screen-driver.ts';

interface Told {
  /** How it ended, with everything below that. */
  readonly end: ActionNews;
  readonly text: string;
  /** What could be chosen, where it asked for a choice. */
  readonly choices: readonly ActionChoice[];
  readonly question: string | undefined;
}

/** Runs it on the screen's side, choosing the first that can be taken and answering every question alike. */
async function told(world: ActingWorld, wish: ActionWish, yes = true): Promise<Told> {
  const news: ActionNews[] = [];
  const cluster = {
    view: world.view,
    node: (uid: Uid) => world.view.graph.get(uid),
    problems: undefined,
  } as unknown as ScreenActionOptions['cluster'];
  const source = {
    ...world.source,
    info: { source: 'cluster', context: 'test' },
  } as unknown as ScreenActionOptions['source'];
  let choices: readonly ActionChoice[] = [];
  let question: string | undefined;
  const action: ScreenAction = new ScreenAction({
    cluster,
    source,
    journal: world.journal,
    since: 0,
    ports: {
      now: () => world.now,
      soon: run => {
        setImmediate(run);
        return () => {};
      },
    },
    columns: () => 120,
    undoKey: undoKey(),
    show: each => {
      news.push(each);
      const { stage } = each;
      if (stage?.at === 'asking') {
        ({ question } = stage);
        setImmediate(() => (yes ? action.dialog.answer(true) : action.dialog.close()));
      }
      if (stage?.at !== 'choosing') return;
      ({ choices } = stage);
      const first = choices.find(({ refused }) => refused !== true);
      setImmediate(() => (first === undefined ? action.dialog.close() : action.dialog.choose(first.id)));
    },
    changed: (milliseconds, signal) => {
      if (news.at(-1)?.stage?.at === 'asking')
        return new Promise(resolve => signal?.addEventListener('abort', () => resolve(), { once: true }));
      world.cluster.runFor(Math.min(milliseconds, 100));
      return Promise.resolve();
    },
  });
  await action.run(wish);
  const end = news.findLast(({ stage }) => stage?.at === 'ended') ?? {};
  const text = [
    end.stage?.at === 'ended' ? end.stage.outcome : '',
    ...(end.lines ?? []).map(({ spans }) => spans.map(each => each.text).join('')),
  ].join('\n');
  return { end, text, choices, question };
}

const background = (uid: string): ActionWish => ({ what: 'delete', uids: [uid as Uid] });
const undo: ActionWish = { what: 'undo' };
const saysSo = /Undo: z|\bz lists/u;

function isUndoable({ end: { stage } }: Told): boolean | undefined {
  return stage?.at === 'ended' ? (stage.undoable ?? false) : undefined;
}

/** Whether `z` has an entry that can be taken, and every entry that it then takes does something. */
async function isOffered(world: ActingWorld): Promise<boolean> {
  const { choices } = await told(world, undo, false);
  return choices.some(({ refused }) => refused !== true);
}

describe('the way back is named', () => {
  test('where z offers it, and of an undo that recreated as well', async () => {
    const world = await ActingWorld.of('- {kind: ConfigMap, name: x}');
    const deleted = await told(world, background('x'));
    expect(deleted.text).toMatch(saysSo);
    expect(isUndoable(deleted)).toBe(true);
    expect(await isOffered(world)).toBe(true);
    const undone = await told(world, undo);
    expect(undone.question).toBe('Undo "delete ConfigMap shop/x, background"? y confirms, Esc cancels.');
    expect(undone.text).toContain('As forecast');
    expect(undone.text).toMatch(saysSo);
    expect(isUndoable(undone)).toBe(true);
    const { choices } = await told(world, undo, false);
    // Only the undo can be undone: the undone action can't be undone again.
    expect(choices.map(({ refused }) => refused === true)).toEqual([false, true]);
  });

  test.each([
    ['is held by a finalizer', '- {kind: ConfigMap, name: x, finalizers: [example.com/hold]}', 'x'],
    ['is recreated by its controller', nodes + deployment('api', 1), 'api-h-0'],
  ])('not for what %s', async (_, yaml, uid) => {
    const world = await ActingWorld.of(yaml);
    const deleted = await told(world, background(uid));
    expect(deleted.text).toContain('Undo cannot restore');
    expect(deleted.text).not.toMatch(saysSo);
    expect(isUndoable(deleted)).toBe(false);
    expect(await isOffered(world)).toBe(false);
  });

  test('not where nothing was sent, or nothing was taken', async () => {
    const world = await ActingWorld.of('- {kind: ConfigMap, name: x}');
    const declined = await told(world, background('x'), false);
    expect(declined.text).not.toMatch(saysSo);
    world.intercept = ({ method }) =>
      method === 'DELETE' ? { status: 403, body: { message: 'no' } } : undefined;
    const refused = await told(world, background('x'));
    expect(refused.end.stage).toMatchObject({ at: 'ended', style: 'danger' });
    expect(refused.text).not.toMatch(saysSo);
    expect(isUndoable(refused)).toBe(false);
    expect(await isOffered(world)).toBe(false);
  });
});

describe('where the way back is named', () => {
  const binding = commands.find(({ id }) => id === 'undo');
  const keys = binding?.keys ?? [];
  afterEach(() => Object.assign(binding ?? {}, { keys }));

  function ended(undoable: boolean): ScreenDriver {
    const driver = ScreenDriver.complete('- {kind: ConfigMap, name: x}').press('d');
    const stage = { at: 'ended', outcome: 'As forecast.', style: 'good', undoable } as const;
    driver.send({ type: 'action', number: 1, news: { stage, lines: [] } });
    return driver;
  }

  function footKeys({ state: { dialog } }: ScreenDriver): string[] {
    return dialog === undefined ? [] : Object.keys(keysOf(dialog));
  }

  test('its key works in the panel that names it', () => {
    const driver = ended(true);
    expect(footKeys(driver)).toContain('z');
    driver.press('z');
    expect(driver.effects.at(-1)).toEqual({ type: 'openAction', number: 2, wish: undo });
    expect(driver.state.dialog).toMatchObject({ kind: 'action', number: 2, title: 'Undo' });
  });

  test('elsewhere the panel has no such key', () => {
    const driver = ended(false);
    expect(footKeys(driver)).not.toContain('z');
    driver.press('z');
    expect(driver.effects.at(-1)).toMatchObject({ number: 1 });
  });

  test("it is the user's own key", async () => {
    Object.assign(binding ?? {}, { keys: ['B'] });
    const world = await ActingWorld.of('- {kind: ConfigMap, name: x}');
    expect((await told(world, background('x'))).text).toContain('Undo: B');
    const driver = ended(true);
    expect(footKeys(driver)).toContain('B');
    driver.press('B');
    expect(driver.effects.at(-1)).toMatchObject({ type: 'openAction', wish: undo });
  });
});
