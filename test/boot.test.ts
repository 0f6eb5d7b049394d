/** What starts the product, on another Node where this one is too old: signals reach it, and nothing of it stays behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What a shell, a URL or a pattern would read as something else. */
const odd = process.platform === 'win32' ? '' : `b;"q"'$(touch gc-tree-was-here)\`id\`&|\n%41#? `;
const app = mkdtempSync(path.join(tmpdir(), `gc-tree-boot-${odd}`));

/** The oldest Node that runs the product, as `22.23`. */
const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly engines: { readonly node: string };
};
const oldest = engines.node.replace('>=', '');
const [major = 0, minor = 0] = oldest.split('.').map(Number);

/** `version` of Node by its own account, as far as this process goes. */
function start(version = '18.20.0'): ChildProcess {
  const other = `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  )}`;
  return spawn(process.execPath, ['--import', other, path.join(app, 'bin/kubectl-gc_tree')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    // Not told of the signals that end a test run.
    detached: true,
  });
}

/** The first line that it prints. */
function line({ stdout }: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    let text = '';
    stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.includes('\n')) resolve(text.trim());
    });
  });
}

function ended(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  return new Promise(resolve => child.once('exit', (code, signal) => resolve(code ?? signal)));
}

it.each(['README.md', 'CONTRIBUTING.md', 'docs/install.md', 'docs/documents.md', 'bin/boot.mjs'])(
  'the oldest Node that runs the product is the same in package.json and %s',
  file => {
    const named = readFileSync(path.join(root, file), 'utf8').matchAll(/Node (\d+\.\d+) or newer/gu);
    expect(new Set([...named].map(([, version]) => version))).toEqual(new Set([oldest]));
  },
);

describe.skipIf(process.platform === 'win32')('on an old Node the product', () => {
  beforeAll(() => {
    cpSync(path.join(root, 'bin'), path.join(app, 'bin'), { recursive: true });
    mkdirSync(path.join(app, 'node_modules/.bin'), { recursive: true });
    symlinkSync(process.execPath, path.join(app, 'node_modules/.bin/node'));
    mkdirSync(path.join(app, 'dist'));
  });

  afterAll(() => rmSync(app, { recursive: true, force: true }));

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('ends at %s that only its parent gets', async signal => {
    writeFileSync(path.join(app, 'dist/main.js'), "console.log('ready'); setInterval(() => {}, 60_000);\n");
    const child = start();
    const exit = ended(child);
    expect(await line(child)).toBe('ready');
    child.kill(signal);
    expect(await exit).toBe(signal);
  });

  it.each([
    [`${oldest}.0`, true],
    [`${major + 1}.0.0`, true],
    [`${major}.${minor - 1}.9`, false],
    [`${major - 1}.99.0`, false],
  ])('is run by Node %s itself: %s', async (version, isOwn) => {
    writeFileSync(path.join(app, 'dist/main.js'), 'console.log(process.pid);\n');
    const child = start(version);
    const exit = ended(child);
    expect((await line(child)) === String(child.pid)).toBe(isOwn);
    expect(await exit).toBe(0);
  });

  it('has its own exit code at a signal that it heeds', async () => {
    writeFileSync(
      path.join(app, 'dist/main.js'),
      "process.on('SIGINT', () => process.exit(7)); console.log('ready'); setInterval(() => {}, 60_000);\n",
    );
    const child = start();
    const exit = ended(child);
    expect(await line(child)).toBe('ready');
    child.kill('SIGINT');
    expect(await exit).toBe(7);
  });
});
