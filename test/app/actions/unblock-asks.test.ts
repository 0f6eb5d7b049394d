/** `u` on one object asks about what clearly frees it, and lists the remedies only where several would do. */
import { describe, expect, test } from 'vitest';
import type { Uid } from '../../../src/model/object.ts';
import { ActingWorld } from '../../actions/acting-world.ts';
import { nodes, pod } from '../../forecast/fixtures.ts';
import { ScreenDriver } from '../screen-driver.ts';
import { type Told, told } from './told.ts';

async function pressed(yaml: string, uid: string): Promise<Told> {
  return told(await ActingWorld.of(yaml), { what: 'unblock', uids: [uid as Uid] }, false);
}

const deleting = 'deletionTimestamp: 2026-11-21T10:00:00Z';

describe('u on an object that is being deleted', () => {
  test('asks for the name where only the removal of its finalizer frees it, and what to try first', async () => {
    const { choices, question, title, asked } = await pressed(
      `- {kind: ConfigMap, name: x, finalizers: [example.com/hold], ${deleting}}`,
      'x',
    );
    expect(choices).toEqual([]);
    expect(title).toMatch(/^Remove example.com\/hold from x/u);
    expect(question).toMatch(/^This is dangerous\. Type x and press enter/u);
    expect(asked).toMatch(/^Remove example.com\/hold from x: the resources it protects are left behind\.$/mu);
    expect(asked).toContain('Try first: bring the controller of example.com/hold back');
    expect(asked).toContain('Other remedies: Esc, then U.');
  });

  test('plans all steps down to what decides, in one question', async () => {
    const { choices, title } = await pressed(
      `
- {kind: Namespace, name: shop, spec: {finalizers: [kubernetes]}, status: {phase: Terminating}, ${deleting}}
- {kind: ConfigMap, name: x, finalizers: [example.com/hold], ${deleting}}
- {kind: ConfigMap, name: y, finalizers: [example.net/hold], ${deleting}}
`,
      'shop',
    );
    expect(choices).toEqual([]);
    expect(title).toBe(
      'Unblock Namespace shop and everything it waits for, deciding objects first, in 2 steps (Namespace shop)',
    );
  });

  test('tells at the end what is still held', async () => {
    const world = await ActingWorld.of(`
- {kind: ConfigMap, name: web, finalizers: [foregroundDeletion], ${deleting}}
- {kind: Secret, name: web-1, owners: [v1 ConfigMap web web +b], creationTimestamp: 2026-11-21T09:00:00Z, finalizers: [example.com/drain], ${deleting}}`);
    const { text } = await told(world, { what: 'unblock', uids: ['web' as Uid] });
    expect(text).toContain('As forecast');
    expect(text).toContain('Secret shop/web-1 is still held: u on it proposes what frees it.');
  });

  test('lists the remedies where the safest one changes a live object of others', async () => {
    const { choices } = await pressed(
      `${nodes}${pod('x', '', `, ${deleting}, deletionGracePeriodSeconds: 30`).replaceAll('node-1', 'node-2')}`,
      'x',
    );
    expect(choices.map(({ id }) => id)).toContain('taint-out-of-service/node-2');
  });
});

test('u on an object that stays asks about its only remedy', async () => {
  const { choices, asked } = await pressed(
    '- {kind: ClusterRole, name: x, owners: [v1 ConfigMap top top]}\n- {kind: ConfigMap, name: top}',
    'x',
  );
  expect(choices).toEqual([]);
  expect(asked).toContain('ClusterRole x loses its owner reference');
});

describe('keys at the question of u', () => {
  const asking = (word: string | undefined): ScreenDriver => {
    const driver = ScreenDriver.complete(
      `- {kind: ConfigMap, name: x, finalizers: [example.com/hold], ${deleting}}`,
      { columns: 120, rows: 30 },
    ).press('u');
    const stage = { at: 'asking', question: 'Remove it?', word, typed: '' } as const;
    driver.send({ type: 'action', number: 1, news: { stage } });
    return driver;
  };
  const opened = ({ state: { dialog } }: ScreenDriver) =>
    dialog?.kind === 'action' ? [dialog.what, dialog.stage.at] : [];

  test('a number, or U, asks for another remedy instead', () => {
    const numbered = asking(undefined).press('2');
    expect(opened(numbered)).toEqual(['remedies', 'working']);
    expect(numbered.effects.at(-1)).toMatchObject({ wish: { what: 'remedies', number: 2 } });
    expect(opened(asking(undefined).press('U'))).toEqual(['remedies', 'working']);
  });

  test('enter answers nothing, and says what would', () => {
    const yes = asking(undefined).press('enter');
    expect(opened(yes)).toEqual(['unblock', 'asking']);
    expect(yes.state.notice?.text).toBe('y does it; n and Esc go back.');
    expect(yes.press('j').state.notice).toBeUndefined();
    const named = asking('web').press('w', 'enter');
    expect(opened(named)).toEqual(['unblock', 'asking']);
    expect(named.state.notice?.text).toBe('Type web exactly, then Enter.');
  });
});

test.each([1, 2])('U begins with the remedy of number %i', async number => {
  const world = await ActingWorld.of(
    `- {kind: ConfigMap, name: x, finalizers: [example.com/hold, example.net/hold], ${deleting}}`,
  );
  const { choices, first } = await told(world, { what: 'remedies', uids: ['x' as Uid], number }, false);
  const applicable = choices.filter(({ refused }) => refused !== true);
  expect(applicable.length).toBeGreaterThan(1);
  expect(first).toBe(applicable[number - 1]?.id);
});
