/** `Undo: z` stands where the key, pressed then and there, offers to take that back, and nowhere else. */
import { afterEach, describe, expect, test } from 'vitest';
import { commands } from '../../../src/app/commands/bindings.ts';
import { keysOf } from '../../../src/app/dialogs/footer-keys.ts';
import type { ActionWish } from '../../../src/app/state/action-dialog.ts';
import type { Uid } from '../../../src/model/object.ts';
import { ActingWorld } from '../../actions/acting-world.ts';
import { deployment, nodes } from '../../forecast/fixtures.ts';
import { ScreenDriver } from '../screen-driver.ts';
import { type Told, told } from './told.ts';

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
    expect(undone.title).toBe('Undo: delete ConfigMap shop/x, background');
    const { choices } = await told(world, undo, false);
    expect(choices[0]?.label).toBe('undo: delete ConfigMap shop/x, background');
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
