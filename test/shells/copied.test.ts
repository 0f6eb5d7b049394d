/** What `c` on the screen puts into the clipboard for a row with any name, pasted into real shells. */
import { describe, expect, test } from 'vitest';
import { ScreenDriver } from '../app/screen-driver.ts';
import { sampled, visibleNames } from './names.ts';
import { type Received, received, shells } from './shells.ts';

const CONTEXT = "prod; eu'west";

function screenOf(name: string): ScreenDriver {
  const role = {
    kind: 'Role',
    name,
    uid: 'uid-1',
    deletionTimestamp: '2026-11-21T11:48:00Z',
    finalizers: ['example.com/drain'],
  };
  const screen = ScreenDriver.complete(`- ${JSON.stringify(role)}`, { info: { context: CONTEXT } });
  return screen.press('c');
}

/** What can be chosen, each by its hint; what is chosen is what is copied. */
function offered(screen: ScreenDriver): readonly (readonly [text: string, hint: string])[] {
  const { dialog } = screen.state;
  return dialog?.kind === 'picker' ? (dialog.items ?? []).map(({ id, hint }) => [id, hint]) : [];
}

function saidOf(name: string): readonly Received[] {
  const target = `roles.v1.rbac.authorization.k8s.io/${name}`;
  const where = ['-n', 'shop', '--context', CONTEXT];
  const remedy = 'remove-finalizer/example.com/drain';
  const patch = [
    { op: 'test', path: '/metadata/uid', value: 'uid-1' },
    { op: 'test', path: '/metadata/finalizers/0', value: 'example.com/drain' },
    { op: 'remove', path: '/metadata/finalizers/0' },
  ];
  const body = JSON.stringify(patch);
  return [
    ['gc-tree', 'why', target, ...where],
    ['gc-tree', 'unblock', `role/${name}`, '-n', 'shop', '--remedy', remedy, '--context', CONTEXT],
    ['patch', `role/${name}`, '-n', 'shop', '--type=json', '-p', body, '--context', CONTEXT],
    ['gc-tree', 'tree', target, ...where],
    ['get', target, ...where, '-o', 'yaml'],
    ['describe', target, ...where],
  ].map(words => ({ words, input: '' }));
}

describe('copied from the screen', () => {
  const names = [...new Set(sampled(visibleNames, 60, 11))];
  const items = names.map(name => offered(screenOf(name)));

  for (const { shell, missing, title } of shells)
    test.skipIf(missing)(`each command means the row in ${title}`, () => {
      const commands = items.flatMap(each => each.filter(([text]) => text.includes('kubectl ')));
      const lines = commands.map(([text]) => text);
      expect(received(shell, lines)).toEqual(names.flatMap(saidOf));
    });

  test('the name is the exact name', () => {
    expect(items.map(each => each.find(([, hint]) => hint === 'name')?.[0])).toEqual(names);
  });

  test('of a name that cannot be pasted only the uid is offered', () => {
    for (const name of ['a\u001b[2Jb', 'a\nb', 'a\u202eb'])
      expect(offered(screenOf(name))).toEqual([['uid-1', 'uid']]);
  });
});
