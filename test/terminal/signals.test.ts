/** A signal ends a command at once, whatever it reads or computes: scripts have time-outs, and people have no patience. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const executable = join(import.meta.dirname, '..', '..', 'bin', 'kubectl-gc_tree');
/** Reading and forecasting so many takes seconds, and a signal at any of these moments is in the middle of it. */
const OBJECTS = 200_000;
const MOMENTS = [300, 900, 1800];

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gc-tree-signals-'));
  file = join(folder, 'dump.json');
  const items = Array.from({ length: OBJECTS }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: 'shop',
      name: `c${index}`,
      uid: `u${index}`,
      ownerReferences:
        index === 0
          ? []
          : [{ apiVersion: 'v1', kind: 'ConfigMap', name: `c${index >> 1}`, uid: `u${index >> 1}` }],
    },
  }));
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The exit code as a shell reports it. */
async function exitCode(
  args: readonly string[],
  signal: 'SIGINT' | 'SIGTERM',
  after: number,
): Promise<number> {
  const child = spawn(process.execPath, [executable, ...args], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await sleep(after);
  child.kill(signal);
  const [code, by] = (await ended) as [number | null, 'SIGINT' | 'SIGTERM' | null];
  return code ?? 128 + constants.signals[by ?? signal];
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', signal => {
  const code = 128 + constants.signals[signal];

  it.each(MOMENTS)('ends a forecast over 200,000 objects after %i ms', async after => {
    const args = ['plan', 'delete', 'cm/c0', '-n', 'shop', '-o', 'json', '-f', file];
    expect(await exitCode(args, signal, after)).toBe(code);
  });

  it('ends the reading of standard input that never ends', async () => {
    const child = spawn(process.execPath, [executable, 'check', '-f', '-'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = once(child, 'exit');
    child.stdin?.write('apiVersion: v1\n');
    await sleep(MOMENTS[1] ?? 0);
    child.kill(signal);
    const [exited, by] = (await ended) as [number | null, string | null];
    expect(exited ?? by).toBe(exited === null ? signal : code);
  });
});
