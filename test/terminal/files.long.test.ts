import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { afterAll, expect, test } from 'vitest';
import { programOf, sizes, untilJudged } from './program.ts';
import { keys, type Terminal } from './terminal.ts';

const fixture = fileURLToPath(new URL('../source/files/fixtures/all.yaml', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-files-'));
const program = programOf('main');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(...args: string[]): Terminal {
  return startIn(process.cwd(), ...args);
}

function startIn(cwd: string, ...args: string[]): Terminal {
  return program.start(args, { cols: 120, rows: 40, cwd });
}

test('the screen opens on a file, and shows an object from it without the values of a Secret', async () => {
  const file = path.join(folder, 'all.yaml');
  copyFileSync(fixture, file);
  const terminal = start('-f', file, 'secret/db');
  await terminal.waitFor(/Deployment api/u);
  await terminal.waitFor(/>[ │├└]*Secret db/u);
  terminal.send('y');
  await terminal.waitFor('greeting: (hidden)');
  expect(terminal.text()).not.toMatch(/hello-world|aGVsbG8/u);
  terminal.send(keys.escape);
  await terminal.waitFor(() => !terminal.text().includes('greeting'));
  appendFileSync(file, '# more\n');
  terminal.send('y');
  await terminal.waitFor('has changed since it was read');
  terminal.send(keys.escape);
  await terminal.settle();
  terminal.send('q');
  expect(await terminal.exit).toBe(0);
});

test('a file that is broken is told of, in the end on standard error', async () => {
  const file = path.join(folder, 'broken.yaml');
  writeFileSync(file, 'apiVersion: v1\nkind: "Pod\n');
  const terminal = start('-f', file);
  await terminal.waitFor(/broken\.yaml, line 3, column 1: /u);
  terminal.send('q');
  expect(await terminal.exit).toBe(2);
});

test('w writes what is on the screen to a file of the current folder, each time to another one', async () => {
  const cwd = path.join(folder, 'exports');
  mkdirSync(cwd);
  const terminal = startIn(cwd, 'demo', 'foreground-stuck');
  await untilJudged(terminal);
  terminal.send('w');
  await terminal.waitFor(/Wrote \d+ rows to \S*gc-tree-tree-\S+\.txt/u);
  terminal.send('2');
  await terminal.waitFor('[2 Problems');
  terminal.send('w');
  await terminal.waitFor(/Wrote \d+ rows to \S*gc-tree-problems-\S+\.txt/u);
  terminal.send('jy');
  await terminal.waitFor('kind: ');
  terminal.send('w');
  await terminal.waitFor(() => readdirSync(cwd).length === 3);
  terminal.send(keys.escape);
  await terminal.settle();
  const written = readdirSync(cwd).map(name => readFileSync(path.join(cwd, name), 'utf8'));
  const yaml = written.find(text => text.startsWith('apiVersion:'));
  expect(yaml).toMatch(/^kind: /mu);
  expect(written.filter(text => text.startsWith('gc-tree  foreground-stuck ▸ shop'))).toHaveLength(2);
  // oxlint-disable-next-line no-control-regex -- nothing that a terminal acts on
  for (const text of written) expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/u);
  rmSync(cwd, { recursive: true });
  terminal.send('w');
  await terminal.waitFor('No file was written');
  terminal.send('q');
  expect(await terminal.exit).toBe(0);
});

test.each(sizes)(
  'a played forecast is written as an asciicast, which shows the same again, at %i by %i',
  async (cols, rows) => {
    const cwd = path.join(folder, `casts-${cols}`);
    rmSync(cwd, { recursive: true, force: true });
    mkdirSync(cwd);
    const terminal = program.start(['demo', 'foreground-stuck'], { cols, rows, cwd });
    await untilJudged(terminal);
    await terminal.waitFor(/^>.*StatefulSet web/mu);
    terminal.send(':cast\r');
    await terminal.waitFor('Recording the screen');
    terminal.send('u');
    await terminal.waitFor('. step by step');
    terminal.send('.');
    await terminal.waitFor(/step 1 of \d/u);
    await terminal.settle();
    const played = terminal.text();
    terminal.send(`${keys.escape}`);
    await terminal.waitFor('. step by step');
    terminal.send(keys.escape);
    await terminal.waitFor('q quit');
    terminal.send(':cast\r');
    await terminal.waitFor('Wrote an asciicast');
    const [name = ''] = readdirSync(cwd);
    expect(name).toMatch(/^gc-tree-screen-\S+\.cast$/u);
    const file = path.join(cwd, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [header, ...events] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as unknown);
    expect(header).toMatchObject({ version: 2, width: cols, height: rows });
    const emulator = new xterm.Terminal({ cols, rows, allowProposedApi: true });
    const shown: string[] = [];
    for (const [, , data] of events as [number, string, string][]) {
      await new Promise<void>(resolve => emulator.write(data, resolve));
      const { active } = emulator.buffer;
      const lines = Array.from(
        { length: rows },
        (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
      );
      shown.push(lines.join('\n'));
    }
    expect(shown).toContain(played);
    terminal.send('q');
    expect(await terminal.exit).toBe(0);
  },
);

test('managers stand in a column of the tree at t, and above what they manage at T', async () => {
  const file = path.join(folder, 'managed.yaml');
  const marks = {
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'front', 'meta.helm.sh/release-namespace': 'shop' },
  };
  const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true };
  const objects = [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop', uid: 'd', ...marks },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-5d', namespace: 'shop', uid: 'r', ownerReferences: [controller], ...marks },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'by-hand', namespace: 'shop', uid: 'c' } },
  ];
  writeFileSync(file, objects.map(each => JSON.stringify(each)).join('\n---\n'));
  const terminal = program.start(['-f', file, '-n', 'shop'], { cols: 80, rows: 24 });
  await terminal.waitFor(/2 Problems \d/u);
  terminal.send('t');
  await terminal.waitFor(/ReplicaSet web-5d .* \(Helm\/front\)/u);
  expect(terminal.text()).toMatch(/Deployment web .* Helm\/front/u);
  terminal.send('T');
  await terminal.waitFor(/▾ Helm release shop\/front \(1\) +2 with what they control/u);
  expect(terminal.text()).toContain('▸ No manager (1)');
  terminal.send('G');
  await terminal.waitFor(/no tool is known to manage/u);
  terminal.send(keys.enter);
  await terminal.waitFor('ConfigMap by-hand');
  terminal.send('j');
  await terminal.waitFor(/^> +ConfigMap by-hand/mu);
  terminal.send(keys.enter);
  await terminal.waitFor('[1 Tree]');
  await terminal.waitFor(/^> +ConfigMap by-hand/mu);
  terminal.send('q');
  expect(await terminal.exit).toBe(0);
});
