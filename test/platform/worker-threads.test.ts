import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = `
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { putWorkersBehind } from ${JSON.stringify(new URL('../../src/platform/worker-threads.ts', import.meta.url).href)};
const priorities = () => Object.groupBy(
  readdirSync('/proc/self/task').map(task => ({
    name: readFileSync('/proc/self/task/' + task + '/comm', 'utf8').trim(),
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

test.runIf(process.platform === 'linux' && Number(process.versions.node.split('.')[0]) >= 24)(
  'V8’s threads go behind the main thread, whose priority stays',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const { before, after } = JSON.parse(stdout) as { readonly before: Threads; readonly after: Threads };
    const own = before['node-MainThread']?.[0]?.priority ?? Number.NaN;
    expect(before['node-V8Worker']?.map(({ priority }) => priority)).toEqual([own, own, own, own]);
    expect(after['node-V8Worker']?.map(({ priority }) => priority)).toEqual([19, 19, 19, 19]);
    expect({ ...after, 'node-V8Worker': [] }).toEqual({ ...before, 'node-V8Worker': [] });
  },
);
