/**
 * Loaded into the tool (`node --import`): it is killed at one of the points at which something can be half done. Points are
 * writes below the folder `GC_TREE_KILL_BELOW`, before each and in its middle, and requests that change a cluster, before
 * they leave, when they have left, when the answer begins and when it is whole. `GC_TREE_KILL_AT` is the number of the
 * point, from 1 on; without it none is, and all of them are written to the file `GC_TREE_KILL_POINTS`, a line each.
 */
import { subscribe } from 'node:diagnostics_channel';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';

const below = process.env['GC_TREE_KILL_BELOW'] ?? '';
const at = Number(process.env['GC_TREE_KILL_AT'] ?? 0);
const points = process.env['GC_TREE_KILL_POINTS'];
const { appendFileSync, writeSync } = fs;
let count = 0;

/** `half`: what is done before it ends there. */
function point(what: string, half: () => void = () => {}): void {
  count += 1;
  if (points !== undefined) appendFileSync(points, `${what}\n`);
  if (count !== at) return;
  half();
  process.kill(process.pid, 'SIGKILL');
  // No other thread of this process may see a moment more.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Relative; undefined for what lies elsewhere. */
function within(file: unknown): string | undefined {
  if (typeof file !== 'string') return undefined;
  const relative = path.relative(below, path.resolve(file));
  return relative.startsWith('..') ? undefined : relative;
}

type Call = (...args: never[]) => unknown;

/** A function of a module that changes what it names first. */
function watchPaths<M extends object>(module: M, names: readonly (keyof M & string)[]): void {
  for (const name of names) {
    const real = module[name] as Call;
    const watched = function (this: unknown, ...args: never[]): unknown {
      const file = within(args[0]);
      if (file !== undefined) point(`${name} ${file}`);
      return real.apply(this, args);
    };
    Object.assign(module, { [name]: watched });
  }
}

watchPaths(fs, ['mkdirSync', 'chmodSync', 'renameSync', 'writeFileSync', 'rmSync']);
watchPaths(fs.promises, ['mkdir', 'rename', 'writeFile', 'rm']);

const files = new WeakMap<object, string>();
const open = fs.promises.open;
const probe = await open(process.execPath, 'r');
const handles = Object.getPrototypeOf(probe) as fs.promises.FileHandle;
await probe.close();

fs.promises.open = async (file, flags, mode) => {
  const known = flags === 'r' || typeof flags === 'number' ? undefined : within(file);
  if (known !== undefined) point(`open ${known}`);
  const handle = await open(file, flags, mode);
  const name = within(file);
  if (name !== undefined) files.set(handle, name);
  return handle;
};

for (const name of ['appendFile', 'writeFile'] as const) {
  const real = handles[name] as (this: fs.promises.FileHandle, data: string) => Promise<void>;
  handles[name] = function (this: fs.promises.FileHandle, data: string): Promise<void> {
    const file = files.get(this);
    if (file !== undefined) {
      point(`${name} ${file}`);
      point(`half of ${name} ${file}`, () => writeSync(this.fd, data.slice(0, data.length / 2)));
    }
    return real.call(this, data);
  } as typeof real;
}

for (const name of ['datasync', 'sync'] as const) {
  const real = handles[name];
  handles[name] = function (this: fs.promises.FileHandle): Promise<void> {
    const file = files.get(this);
    if (file !== undefined) point(`${name} ${file}`);
    return real.call(this);
  };
}

syncBuiltinESMExports();

const moments = {
  'undici:request:create': 'before',
  'undici:request:bodySent': 'sent',
  'undici:request:headers': 'answer to',
  'undici:request:trailers': 'whole answer to',
} as const;

for (const [channel, moment] of Object.entries(moments)) {
  subscribe(channel, message => {
    const { method, path: asked } = (message as { readonly request: { method: string; path: string } })
      .request;
    if (method === 'GET' || asked.includes('dryRun') || asked.includes('authorization.k8s.io')) return;
    point(`${moment} ${method} ${asked}`);
  });
}
