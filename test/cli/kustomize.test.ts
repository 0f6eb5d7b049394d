/** `-k` by a script in kubectl's place on the PATH, and by kubectl itself where there is one. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { candidates } from '../../src/cli/completion/complete-line.ts';
import { openSource } from '../../src/cli/session/session.ts';
import { folderOf } from '../source/files/reading.ts';
import { command, consoleFor } from './console.ts';

const built = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: dangling
  namespace: infra
  ownerReferences: [{apiVersion: apps/v1, kind: Widget, name: w, uid: 0-2}]
`;

/** A PATH with a kubectl that runs these lines of sh; `$here` is its folder. */
function kubectl(...lines: string[]): { PATH: string; here: string } {
  const here = folderOf({ 'built.yaml': built });
  const script = ['#!/bin/sh', `here='${here}'`, 'PATH=/usr/bin:/bin', ...lines, ''].join('\n');
  writeFileSync(path.join(here, 'kubectl'), script, { mode: 0o755 });
  return { PATH: here, here };
}

const printing = kubectl(`printf '%s\\n' "$@" > "$here/args"`, `cat "$here/built.yaml"`);

test('what kubectl builds of the folder is read, and is a scope by itself', async () => {
  const { out, err, exitCode } = await command('tree -k overlays/$(x) -o name', { env: printing });
  expect(err).toBe('What is not in the files is unknown (see --closed-world).\n');
  expect(out).toBe('infra/configmap/dangling\nshop/deployment.apps/web\n');
  expect(exitCode).toBe(0);
  // The folder is a word of its own, whatever is in it.
  expect(readFileSync(path.join(printing.here, 'args'), 'utf8')).toBe('kustomize\n--\noverlays/$(x)\n');
});

test('documents say where objects come from, and of no finding at what line', async () => {
  for (const words of ['check', 'why cm/dangling', 'plan delete deploy/web', 'podgc', 'tree']) {
    const { out } = await command(`${words} -k overlays/prod --closed-world -o json`, { env: printing });
    expect(JSON.parse(out), words).toMatchObject({
      basis: { source: 'files', context: 'kustomize overlays/prod' },
    });
    expect(out, words).not.toMatch(/"source": \{/u);
  }
  for (const format of ['sarif', 'junit']) {
    const { out } = await command(`check -k overlays/prod -o ${format}`, { env: printing });
    expect(out).toContain('OwnerKindUnresolvable');
    expect(out).not.toMatch(/physicalLocation| file="/u);
  }
});

test('commands that are printed build the same folder', async () => {
  const { out } = await command('check -k overlays/prod', { env: printing });
  expect(out).toMatch(/kubectl gc-tree .* -k overlays\/prod/u);
});

describe('a failure is one line and exit code 2:', () => {
  test.each<[string, string[] | undefined, string]>([
    [
      'no kubectl',
      undefined,
      'kustomize base: there is no kubectl on the PATH to build it. Install it, or pipe what builds it into kubectl gc-tree -f -.',
    ],
    [
      'its last words, which do nothing to a terminal',
      ['echo "# Warning: old" >&2', `printf 'error: no \\033[31mresource\\033[0m x\\n\\n' >&2`, 'exit 1'],
      'kustomize base: no resource x',
    ],
    ['no words', ['exit 3'], 'kustomize base: kubectl failed with exit code 3.'],
    ['ended', ['kill -9 $$'], 'kustomize base: kubectl was ended by SIGKILL.'],
    [
      'half of it printed',
      [`cat "$here/built.yaml"`, 'echo "error: rest" >&2', 'exit 1'],
      'kustomize base: rest',
    ],
    ['nothing printed', [], 'kustomize base: kubectl printed no objects. Is the kustomization empty?'],
    [
      'something else',
      ['echo "{"'],
      'kustomize base, line 2: the file ends in the middle of the document of line 1.',
    ],
  ])('%s', async (_what, lines, message) => {
    const env = lines === undefined ? { PATH: folderOf({}) } : kubectl(...lines);
    const { out, err, exitCode } = await command('tree -k base', { env });
    expect(err).toBe(`kubectl gc-tree: ${message}\n`);
    expect(out).toBe('');
    expect(exitCode).toBe(2);
  });
});

describe('is refused', () => {
  test.each([
    ['tree -k base -f x.yaml', 'only one of -f or -k can be specified.'],
    ['plan delete -k base -R', 'the -k flag cannot be used with -f or -R.'],
    ['tree -k base --demo shop', '-k and --demo exclude each other. Leave one of them out.'],
    ['tree -k base --context c', '-k reads files, so --context would do nothing. Leave one of them out.'],
    ['tree -k', '--kustomize needs a value. See kubectl gc-tree --help.'],
    ['schema -k base', 'unknown flag for schema: --kustomize. See kubectl gc-tree schema --help.'],
    ...['tree', 'check', 'podgc'].map(name => [
      `${name} -k base --watch`,
      "--watch needs something that changes: files don't.",
    ]),
    [
      'delete deploy/web -k base',
      '-k names what to delete, and so does a target: leave one of them out. ' +
        'kubectl gc-tree plan delete TARGET -k … forecasts what it would do to files.',
    ],
    [
      'unblock deploy/web -k base',
      'unblock needs a cluster or --demo: files cannot be changed by it. Leave -k out. ' +
        'kubectl gc-tree plan unblock … -k … forecasts what it would do to them.',
    ],
    ['undo -k base', 'undo needs a cluster or --demo: files cannot be changed by it. Leave -k out.'],
  ])('%s', async (words, message) => {
    const { err, exitCode } = await command(words, { env: printing });
    expect(err).toBe(`kubectl gc-tree: ${message}\n`);
    expect(exitCode).toBe(2);
  });
});

/** A kubectl that never ends by itself, and writes down the process that it started. */
const silent = ['sleep 1000 & echo $! > "$here/pid"', 'wait'];

async function pidIn(folder: string): Promise<number> {
  const file = path.join(folder, 'pid');
  return vi.waitFor(() => {
    const pid = Number(readFileSync(file, 'utf8'));
    expect(pid).toBeGreaterThan(0);
    return pid;
  });
}

function isGone(pid: number): void {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  expect(stat.slice(stat.lastIndexOf(')'))).toMatch(/^\) Z/u);
}

describe.skipIf(process.platform !== 'linux')('kubectl ends, with what it started,', () => {
  test('at Ctrl-C', async () => {
    const env = kubectl(...silent);
    const { io, services, interrupt } = consoleFor({ env });
    const source = await openSource(
      { kustomize: 'base', headers: true, color: 'auto', verbosity: 0 },
      io,
      services,
    );
    const reading = source.start(() => {});
    const rejected = expect(reading).rejects.toMatchObject({ name: 'Interrupted', exitCode: 130 });
    const pid = await pidIn(env.here);
    interrupt();
    await rejected;
    isGone(pid);
  });

  test('when the source is closed', async () => {
    const env = kubectl(...silent);
    const { io, services } = consoleFor({ env });
    const source = await openSource(
      { kustomize: 'base', headers: true, color: 'auto', verbosity: 0 },
      io,
      services,
    );
    const rejected = expect(source.start(() => {})).rejects.toThrow('reading was stopped.');
    const pid = await pidIn(env.here);
    await source.close();
    await rejected;
    isGone(pid);
  });
});

describe('the screen', () => {
  test('opens on it, over everything in it, and cannot read it a second time', async () => {
    const { screens } = await command('-k base', { env: printing, terminal: true });
    expect(screens[0]?.flags).toMatchObject({ kustomize: 'base', allNamespaces: true });
    const source = await screens[0]?.openSource();
    const types: { kind: string }[] = [];
    await source?.start(batch => types.push(...(batch.types ?? [])));
    const type = types.find(({ kind }) => kind === 'Deployment');
    await expect(source?.get(type as never, 'shop', 'web')).rejects.toThrow(
      'kustomize base cannot be read a second time. Save it to a file, and give that with -f.',
    );
    await expect(screens[0]?.openSource('prod-eu')).rejects.toThrow('no context "prdo"');
  });
});

test('folders are completed by the shell, and names from what is built', async () => {
  const { io, services } = consoleFor({ env: printing });
  expect(await candidates(['tree', '-k', ''], { io, services })).toEqual({ candidates: [], directive: 0 });
  const answer = await candidates(['tree', '-k', 'base', 'deploy/'], { io, services });
  expect(answer.candidates).toEqual([{ word: 'deploy/web' }]);
});

const [real] = globSync(path.join(homedir(), '.cache/kubectl-gc-tree/controlplane/*/kubectl'));

test.skipIf(real === undefined)(
  'kubectl itself builds the folder, its generated names included',
  async () => {
    const folder = folderOf({
      'base/kustomization.yaml': 'resources: [web.yaml]\n',
      'base/web.yaml': built,
      'prod/kustomization.yaml':
        'resources: [../base]\nnamePrefix: prod-\nconfigMapGenerator: [{name: settings, namespace: shop, literals: [a=b]}]\n',
    });
    const env = { PATH: path.dirname(real ?? ''), HOME: folder };
    const { out, exitCode } = await command(`tree -k ${folder}/prod -o name`, { env });
    expect(out).toMatch(/^shop\/deployment\.apps\/prod-web$/mu);
    expect(out).toMatch(/^shop\/configmap\/prod-settings-[a-z0-9]{10}$/mu);
    expect(exitCode).toBe(0);
    const missing = await command(`tree -k ${folder}/nosuch`, { env });
    expect(missing.err).toMatch(/^kubectl gc-tree: kustomize \S+: must build at directory: .*nosuch/u);
    expect(missing.err.trimEnd().split('\n')).toHaveLength(1);
    expect(missing.exitCode).toBe(2);
  },
);
