/** An object's YAML, and what is copied of it, by keys and mouse at every size: through tmux and screen as well. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clickOn, cursorRow, programOf, searchFor, sizes, untilJudged } from '../program.ts';
import { keys, type Terminal, type TerminalOptions } from '../terminal.ts';

const program = programOf('main');

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-reading-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** On a pod that a finalizer holds. */
async function onPod(options: Partial<TerminalOptions>): Promise<Terminal> {
  const terminal = program.start(['demo', 'shop'], options);
  await untilJudged(terminal);
  await searchFor(terminal, 'pod web-2', 'Pod shop/web-2');
  return terminal;
}

/** What was sent to the clipboard of the terminal last, and whether screen was to pass it on. */
function sentTo(terminal: Terminal): { readonly text: string; readonly throughScreen: boolean } {
  // oxlint-disable-next-line no-control-regex -- what screen passes on, in parts
  const parts = [...terminal.raw().matchAll(/\u001BP([^\u001B]*(?:\u001B\][^\u001B]*)?)\u001B\\/gu)];
  const raw = parts.length > 0 ? parts.map(([, part = '']) => part).join('') : terminal.raw();
  // oxlint-disable-next-line no-control-regex -- OSC 52 is a control sequence
  const [, sent = ''] = [...raw.matchAll(/\u001B\]52;c;([^\u0007]*)\u0007/gu)].at(-1) ?? [];
  return { text: Buffer.from(sent, 'base64').toString(), throughScreen: parts.length > 0 };
}

const WHY = 'kubectl gc-tree why pods/web-2 -n shop';

describe.each(sizes)('at %i by %i', (cols, rows) => {
  test('y: finalizers, owners, managed fields and status are one key away, words are found, and c copies it', async () => {
    const terminal = await onPod({ cols, rows });
    const shows = (line: RegExp) => terminal.waitFor(screen => screen.some(each => line.test(each)));
    terminal.send('y');
    await shows(/│ apiVersion: v1 /u);
    const first = terminal.screen().findIndex(line => line.includes('apiVersion: v1'));
    expect(terminal.screen()[first + 1]).toContain('│ kind: Pod ');
    expect(terminal.screen().at(-1)).toMatch(/\/ find {2}Esc back {2}f finalizers {2}o owners/u);
    const standsOut = (words: string): boolean =>
      terminal.screen().some((line, row) => {
        const column = line.indexOf(words);
        return column >= 0 && terminal.cell(row, column).inverse;
      });
    terminal.send('f');
    await terminal.waitFor(() => standsOut('finalizers:'));
    await shows(/- example\.com\/drain /u);
    terminal.send('o');
    await terminal.waitFor(() => standsOut('ownerReferences:'));
    await shows(/│ +kind: StatefulSet /u);
    expect(terminal.text()).not.toContain('manager: ');
    terminal.send('m');
    await shows(/│ +- manager: kube/u);
    terminal.send('m');
    await shows(/managedFields: \(\d+ lines folded\)/u);
    terminal.send('s');
    await terminal.waitFor(() => standsOut('status:'));
    await shows(/│ +phase: /u);
    // What is folded is found as well.
    terminal.send('/KUBECTL-PATCH');
    await shows(/manager: kubectl-patch/u);
    await shows(/line 1 of \d+ that contain it/u);
    terminal.send(`${keys.enter}n`);
    await shows(/line (?:2|1 of 1)\b/u);
    terminal.send('Nx');
    await terminal.waitFor('No key x here; Esc goes back.');
    terminal.send('c');
    await terminal.waitFor(/by OSC 52: \d+ lines/u);
    expect(sentTo(terminal).text).toMatch(/^apiVersion: v1\nkind: Pod\nmetadata:\n {2}name: web-2\n/u);
    expect(sentTo(terminal).text).toContain('\n  - manager: kubectl-patch\n');
    // The first Esc forgets the words, the second one goes back.
    terminal.send(keys.escape);
    await terminal.waitFor(screen => screen.at(-1)?.includes('/ find') === true);
    terminal.send('g');
    await shows(/│ apiVersion: v1 /u);
    terminal.send(keys.wheelDown(Math.floor(cols / 2), Math.floor(rows / 2)));
    await terminal.waitFor(() => !terminal.text().includes('│ apiVersion: v1 '));
    clickOn(terminal, 'Esc back', rows - 1);
    await terminal.waitFor(() => !terminal.text().includes('╭─'));
    expect(cursorRow(terminal)).toContain('Pod web-2');
  });

  test('c copies through tmux, and says so', async () => {
    const folder = temporaryFolder();
    const script = `#!/bin/sh\nprintf '%s ' "$@" > ${folder}/argv\ncat > ${folder}/buffer\n`;
    writeFileSync(path.join(folder, 'tmux'), script, { mode: 0o755 });
    const PATH = `${folder}:${process.env['PATH']}`;
    const terminal = await onPod({ cols, rows, env: { TMUX: '/tmp/tmux-0/default,1,0', PATH } });
    terminal.send('c');
    await terminal.waitFor(`> ${WHY.slice(0, cols - 20)}`);
    terminal.send(keys.enter);
    await terminal.waitFor('Copied through tmux');
    expect(readFileSync(path.join(folder, 'buffer'), 'utf8')).toBe(WHY);
    expect(readFileSync(path.join(folder, 'argv'), 'utf8')).toBe('load-buffer -w - ');
    // A tmux that does not answer leaves it to the terminal.
    writeFileSync(path.join(folder, 'tmux'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    terminal.send('c');
    await terminal.waitFor('╭─ Copy to');
    terminal.send(keys.enter);
    await terminal.waitFor('Sent to tmux by OSC 52');
    expect(sentTo(terminal)).toEqual({ text: WHY, throughScreen: false });
  });

  test('c copies through screen, and says so', async () => {
    const terminal = await onPod({ cols, rows, env: { STY: '1.pts-0.here' } });
    terminal.send('c');
    await terminal.waitFor('╭─ Copy to');
    // The longest one, in several parts.
    terminal.send('json');
    await terminal.waitFor(/> kubectl patch pod\/web-2/u);
    terminal.send(keys.enter);
    await terminal.waitFor('Sent through screen');
    const { text, throughScreen } = sentTo(terminal);
    expect(throughScreen).toBe(true);
    expect(text).toMatch(/^kubectl patch pod\/web-2 -n shop --type=json -p '\[.*\]'$/u);
  });

  test('where the terminal has no clipboard, the text is there to be marked', async () => {
    const terminal = await onPod({ cols, rows, env: { TERM: 'linux' } });
    terminal.send('c');
    await terminal.waitFor('Copy to the clipboard');
    terminal.send(keys.enter);
    await terminal.waitFor('Copy by hand');
    expect(terminal.text()).toContain(WHY);
    expect(terminal.text()).toContain('No clipboard of this terminal can be reached');
    expect(terminal.raw()).not.toContain('\u001B]52;');
  });
});

const hasTmux = spawnSync('tmux', ['-V']).status === 0;

test.skipIf(!hasTmux)(
  'in a real tmux, what was copied is in its buffer and in the clipboard outside',
  async () => {
    const socket = path.join(temporaryFolder(), 'socket');
    const tmux = (...args: readonly string[]): string =>
      execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
    onTestFinished(() => {
      spawnSync('tmux', ['-S', socket, 'kill-server']);
    });
    const command = `'${process.execPath}' '${program.file}' demo shop`;
    const outside = program.open({
      file: 'tmux',
      // Without a locale it takes a terminal for one of ASCII.
      args: ['-u', '-S', socket, '-f', '/dev/null', 'new-session', command],
      cols: 120,
      rows: 36,
    });
    await untilJudged(outside);
    tmux('set', '-g', 'set-clipboard', 'on');
    outside.send('c');
    await outside.waitFor('╭─ Copy to');
    outside.send(keys.enter);
    await outside.waitFor('Copied through tmux');
    expect(tmux('show-buffer')).toBe('kubectl gc-tree why statefulsets.v1.apps/web -n shop');
    outside.send('q');
    await outside.exit;
  },
);
