/** What the screen opens on, by keys alone, at four sizes: the worst problem, or an overview where there is none. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cursorRow, panelSays, programOf, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal } from '../terminal.ts';

const program = programOf('main');

let folder = '';
let file = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'first-glance-'));
  file = path.join(folder, 'healthy.yaml');
  await writeFile(file, healthy());
});

afterAll(() => rm(folder, { recursive: true }));

/** Nothing is wrong: a Deployment that owns, 12 ConfigMaps in one namespace, three in another, 31 ClusterRoles. */
function healthy(): string {
  const one = (apiVersion: string, kind: string, name: string, more = ''): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: ${name}, uid: ${kind}-${name}${more} }\n`;
  const several = (count: number, of: (i: number) => string): string[] =>
    Array.from({ length: count }, (_, i) => of(i));
  const owned =
    ', namespace: calm, ownerReferences: [{ apiVersion: apps/v1, kind: Deployment, name: api, uid: Deployment-api }]';
  return [
    one('v1', 'Namespace', 'calm'),
    one('v1', 'Namespace', 'quiet'),
    one('apps/v1', 'Deployment', 'api', ', namespace: calm'),
    one('apps/v1', 'ReplicaSet', 'api-1', owned),
    ...several(12, i => one('v1', 'ConfigMap', `settings-${i}`, ', namespace: calm')),
    ...several(3, i => one('v1', 'Secret', `key-${i}`, ', namespace: quiet')),
    ...several(31, i => one('rbac.authorization.k8s.io/v1', 'ClusterRole', `role-${i}`)),
  ].join('---\n');
}

async function opened(args: readonly string[], [cols, rows]: readonly [number, number]): Promise<Terminal> {
  const terminal = program.start(args, { cols, rows });
  await untilJudged(terminal);
  await terminal.settle();
  return terminal;
}

/** Returns the rows of the tree without guide lines and the details beside it. */
function tree(terminal: Terminal): string {
  return terminal
    .screen()
    .map(line =>
      line
        .replace(/ [│┃] [^│┃]*$/u, '')
        .replaceAll(/[│├└]/gu, ' ')
        .trimEnd(),
    )
    .join('\n');
}

describe.each(sizes)('at %i by %i', (...size) => {
  test('the screen opens on the worst problem, and u acts on it', async () => {
    const terminal = await opened(['demo', 'shop'], size);
    expect(terminal.screen()[0]).toMatch(/^ gc-tree {2}shop ▸ shop .* ✗ 2 ⚠ 7$/u);
    expect(cursorRow(terminal)).toMatch(/^>▾ StatefulSet web .*✗ (?:waits for web-2|exampl)/u);
    if (size[1] >= 24) expect(terminal.text()).toContain('StatefulSet shop/web is stuck');
    expect(terminal.screen().at(-1)).toMatch(/^ enter fold {2}u unblock {2}d delete {2}p plan .* q quit *$/u);
    terminal.send('u');
    const asked = await panelSays(terminal, 'y confirms');
    expect(asked).toMatch(/Unblock web: stop waiting for web-2/u);
  });

  test('in 5,000 objects the worst problem is unfolded, and nothing else', async () => {
    const terminal = await opened(['demo', 'fleet', '-A'], size);
    expect(tree(terminal)).toMatch(
      /▾ region-6 \(569 objects\) +✗ 2\n +▾ 10 Stores +✗ 2\n> +▸ Store store-07/u,
    );
    if (size[1] > 24) expect(tree(terminal)).toContain('▸ region-1 (630 objects)');
    terminal.send('-');
    await terminal.waitFor(() => cursorRow(terminal).startsWith('>▸ region-6'));
    expect(tree(terminal)).toMatch(/▸ cluster-scoped \(17/u);
  });

  test('where nothing is wrong it is an overview, with what has no relations as a count', async () => {
    const terminal = await opened(['-f', file, '-A'], size);
    expect(terminal.screen()[0]).not.toMatch(/✗|⚠ \d+$/u);
    expect(cursorRow(terminal)).toMatch(/^>├ ▾ Deployment api/u);
    expect(tree(terminal)).toMatch(
      /^ ▾ calm \(14 objects\)\n.*\n.*\n {3}▸ 12 ConfigMaps\n ▾ quiet \(3 objects\)$/mu,
    );
    terminal.send('G');
    await terminal.waitFor(() => cursorRow(terminal).includes('▸ 31 ClusterRoles'));
    terminal.send('/configmap settings-7');
    await terminal.waitFor('ConfigMap calm/settings-7');
    terminal.send(keys.enter);
    await terminal.waitFor(() => cursorRow(terminal).includes('ConfigMap settings-7'));
    terminal.send(keys.left);
    await terminal.waitFor(() => cursorRow(terminal).includes('▾ 12 ConfigMaps'));
    terminal.send(keys.enter);
    await terminal.waitFor(() => cursorRow(terminal).includes('▸ 12 ConfigMaps'));
  });

  test('the first line leads to the owners of the row, as far as there is room', async () => {
    const terminal = await opened(['demo', 'shop'], size);
    terminal.send('jjjj');
    await terminal.waitFor(() => cursorRow(terminal).includes('ReplicaSet api-'));
    expect(terminal.screen()[0]).toContain('shop ▸ shop ▸ Deployment api');
    terminal.send('j');
    await terminal.waitFor(() => cursorRow(terminal).includes('Pod api-'));
    const way = size[0] > 80 ? /shop ▸ Deployment api ▸ ReplicaSet api-\w+ /u : /shop ▸ … ▸ ReplicaSet api-/u;
    expect(terminal.screen()[0]).toMatch(way);
    expect(terminal.screen()[0]).toMatch(/✗ 2 ⚠ 7$/u);
  });
});
