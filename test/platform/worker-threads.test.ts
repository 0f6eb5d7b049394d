import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = `
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { putWorkersBehind } from ${JSON.stringify(new URL('../../src/platform/worker-threads.ts', import.meta.url).href)};
const priorities = () => Object.groupBy(
  readdirSync('/proc/self/task').map(task => ({
    name: readFileSync('/proc/self/task/' + task + '/comm', 'utf8').trim().replace('node-', ''),
    priority: getPriority(Number(task)),
  })),
  ({ name }) => name,
);
const before = priorities();
putWorkersBehind();
console.log(JSON.stringify({ before, after: priorities() }));
`;

interface Thread {
  readonly name: string;
  readonly priority: number;
}
type Threads = Readonly<Record<string, readonly Thread[]>>;

const hasNames = process.platform === 'linux' && Number(process.versions.node.split('.')[0]) >= 24;

async function threadsOn(processors: string): Promise<{ readonly before: Threads; readonly after: Threads }> {
  const { stdout } = await promisify(execFile)('taskset', [
    '--cpu-list',
    processors,
    process.execPath,
    '--input-type=module',
    '-e',
    script,
  ]);
  return JSON.parse(stdout) as { readonly before: Threads; readonly after: Threads };
}

const prioritiesOf = (threads: readonly Thread[] | undefined) => threads?.map(({ priority }) => priority);

const allowed = hasNames
  ? (/^Cpus_allowed_list:\s+(\S+)$/mu.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '')
  : '';

test.runIf(hasNames)(
  'on a single processor V8’s threads go behind the main thread, whose priority stays',
  async () => {
    const { before, after } = await threadsOn(/^\d+/u.exec(allowed)?.[0] ?? '');
    const own = before['MainThread']?.[0]?.priority ?? Number.NaN;
    expect(prioritiesOf(before['V8Worker'])).toEqual([own, own, own, own]);
    expect(prioritiesOf(after['V8Worker'])).toEqual([19, 19, 19, 19]);
    expect({ ...after, V8Worker: [] }).toEqual({ ...before, V8Worker: [] });
  },
);

test.runIf(hasNames && /[,-]/u.test(allowed))('on several they go beside it', async () => {
  const { before, after } = await threadsOn(allowed);
  expect(after).toEqual(before);
});
