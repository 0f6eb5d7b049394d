/** Pipes that stay silent or never end: the first signal, or the first key, ends what reads them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programOf } from './program.ts';
import { keys } from './terminal.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-pipes-'));
const program = programOf('main');
const running: ChildProcess[] = [];
let pipe: string;

beforeEach(() => {
  pipe = path.join(mkdtempSync(path.join(folder, 'pipe-')), 'pipe.yaml');
  execFileSync('mkfifo', [pipe]);
});

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(args: readonly string[], stdin: FileHandle | 'ignore'): ChildProcess {
  const stdio = [stdin === 'ignore' ? 'ignore' : stdin.fd, 'ignore', 'ignore'] as const;
  const child = spawn(process.execPath, [program.file, ...args], { stdio: [...stdio] });
  running.push(child);
  return child;
}

function ended(child: ChildProcess): Promise<number> {
  return new Promise(resolve => {
    child.once('exit', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 143)));
  });
}

/** Until the process has opened the pipe, which is when it waits for what comes. */
async function hasOpened({ pid = 0 }: ChildProcess): Promise<void> {
  const folders = `/proc/${pid}/fd`;
  const opens = (): boolean =>
    readdirSync(folders).some(each => {
      try {
        return readlinkSync(path.join(folders, each)) === pipe;
      } catch {
        return false;
      }
    });
  while (!opens()) await sleep(20);
}

const signals = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

describe.skipIf(process.platform !== 'linux')('a pipe', () => {
  describe.each(['tree', 'check', 'plan'])('that %s reads', command => {
    test.each(signals)('and nobody writes to is left at %s', async (signal, code) => {
      const child = run([command, '-f', pipe], 'ignore');
      const exit = ended(child);
      await hasOpened(child);
      child.kill(signal);
      expect(await exit).toBe(code);
    });

    test.each(signals)('and that stays silent is left at %s', async (signal, code) => {
      const child = run([command, '-f', pipe], 'ignore');
      const exit = ended(child);
      const writer = await open(pipe, 'w');
      await writer.write('apiVersion: v1\n');
      child.kill(signal);
      expect(await exit).toBe(code);
      await writer.close();
    });

    test.each(signals)('as standard input is left at %s', async (signal, code) => {
      const both = await open(pipe, 'r+');
      const child = run([command, '-f', '-'], both);
      const exit = ended(child);
      await both.write('apiVersion: v1\n');
      await hasOpened(child);
      child.kill(signal);
      expect(await exit).toBe(code);
      await both.close();
    });
  });

  test('is read to its end, whenever its writer comes', async () => {
    const child = spawn(process.execPath, [program.file, 'tree', '-f', pipe, '-o', 'name'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    running.push(child);
    const exit = ended(child);
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await hasOpened(child);
    const writer = await open(pipe, 'w');
    await writer.write('apiVersion: v1\nkind: ConfigMap\n');
    await writer.write('metadata: {name: a, namespace: b}\n');
    await writer.close();
    expect(await exit).toBe(0);
    expect(output).toBe('b/configmap/a\n');
  });

  test.each([
    ['q', 0],
    [keys.ctrlC, 130],
  ])('that nobody writes to keeps no screen open at %j', async (key, code) => {
    const terminal = program.start(['-f', pipe], { cols: 120, rows: 40 });
    await terminal.waitFor('pipe.yaml');
    terminal.send(key);
    expect(await terminal.exit).toBe(code);
  });

  describe('as a kubeconfig', () => {
    test.each([...signals])('that nobody writes to is left at %s', async (signal, code) => {
      const child = run(['tree', '--kubeconfig', pipe], 'ignore');
      const exit = ended(child);
      await hasOpened(child);
      child.kill(signal);
      expect(await exit).toBe(code);
    });

    test.each([
      ['q', 0],
      [keys.ctrlC, 130],
    ])('that stays silent keeps no screen open at %j', async (key, code) => {
      const env = { KUBECONFIG: `${folder}/none:${pipe}`, HOME: folder };
      const terminal = program.start([], { cols: 120, rows: 40, env });
      const writer = await open(pipe, 'w');
      await writer.write('apiVersion: v1\n');
      await terminal.waitFor('connecting');
      terminal.send(key);
      expect(await terminal.exit).toBe(code);
      await writer.close();
    });
  });
});
