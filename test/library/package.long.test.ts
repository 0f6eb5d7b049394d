/** The package as another program has it: packed, unpacked in an empty folder, type-checked strictly, and run. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..', '..');

const sample = `
import { type Cluster, check, type Diagnosis, type Finding, GcTreeError, graph, openDemo, openFiles, type Plan, plan, why } from 'kubectl-gc-tree';

const before = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM') + process.listenerCount('exit');
const told: Record<string, unknown> = {};
{
  await using cluster: Cluster = await openDemo('foreground-stuck');
  const diagnosis: Diagnosis = await why(cluster, 'sts/web', { namespace: 'shop' });
  told['summary'] = diagnosis.items[0]?.summary;
  const forecast: Plan = await plan(cluster, { verb: 'delete', targets: ['sts/web'], cascade: 'orphan' }, { namespace: 'shop' });
  told['outcome'] = forecast.outcome;
  told['deleted'] = forecast.deleted.map(({ object }) => object.name);
  told['none'] = (await plan(cluster, { verb: 'none' })).terminating.length;
  const { nodes, edges } = await graph(cluster, { namespace: 'shop' });
  told['graph'] = nodes.length > 5 && edges.length > 3;
  const findings: readonly Finding[] = (await check(cluster, { allNamespaces: true })).items;
  told['worst'] = findings[0]?.severity;
  told['missing'] = await why(cluster, 'sts/nope').catch((error: unknown) =>
    error instanceof GcTreeError ? [error.reason, error.message] : error,
  );
  const stop = new AbortController();
  const broken = plan(cluster, { verb: 'none' }, { signal: stop.signal });
  stop.abort(new Error('enough'));
  told['broken'] = await broken.catch((error: unknown) => error instanceof Error && error.message);
  // @ts-expect-error there is no such policy
  told['wrong'] = await plan(cluster, { verb: 'delete', targets: 'sts/web', cascade: 'all' }).catch(({ reason }) => reason);
  told['closing'] = typeof cluster.close;
}
const files = await openFiles('world.yaml');
told['held'] = (await check(files)).items.map(({ code }) => code);
await files.close();
told['closed'] = await check(files).catch((error: unknown) => error instanceof GcTreeError && error.reason);
told['listeners'] = process.listenerCount('SIGINT') + process.listenerCount('SIGTERM') + process.listenerCount('exit') - before;
console.log(JSON.stringify(told));
`;

/** Node 22 has no `await using`. */
const ownSample =
  Number(process.versions.node.split('.')[0]) >= 24
    ? sample
    : sample
        .replace('await using cluster:', 'const cluster:')
        .replace(/(told\['closing'\].*)/u, '$1 await cluster.close();');

const world = `
apiVersion: v1
kind: ConfigMap
metadata: { name: held, namespace: shop, uid: c-1, deletionTimestamp: 2026-10-01T12:00:00Z, finalizers: [example.com/drain] }
`;

describe('the package', () => {
  let folder: string;
  let home: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-library-'));
    const { stdout } = await run(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
      {
        cwd: root,
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    const packed = JSON.parse(stdout) as Record<string, { filename: string }> | { filename: string }[];
    const [{ filename }] = Object.values(packed) as [{ filename: string }];
    home = path.join(folder, 'node_modules', 'kubectl-gc-tree');
    await mkdir(home, { recursive: true });
    await run('tar', ['-xzf', path.join(folder, filename), '--strip-components=1', '-C', home]);
    await symlink(path.join(root, 'node_modules', '@types'), path.join(folder, 'node_modules', '@types'));
    await symlink(
      path.join(root, 'node_modules', 'undici-types'),
      path.join(folder, 'node_modules', 'undici-types'),
    );
    await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(path.join(folder, 'sample.ts'), ownSample);
    await writeFile(path.join(folder, 'world.yaml'), world);
    // npm takes its time.
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('has types that stand alone, under strict, for node16 resolution', async () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
      target: 'es2022',
      lib: ['es2022', 'esnext.disposable'],
      types: ['node'],
      module: 'node16',
      moduleResolution: 'node16',
    };
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['sample.ts'] }),
    );
    const tsc = path.join(root, 'node_modules', '.bin', 'tsc');
    const { stdout } = await run(tsc, [], { cwd: folder }).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  test('answers another program, and leaves its process alone', async () => {
    const { stdout, stderr } = await run(process.execPath, ['sample.ts'], {
      cwd: folder,
      env: { ...process.env, XDG_CONFIG_HOME: folder, NODE_NO_WARNINGS: '1' },
    });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      summary: expect.stringContaining('StatefulSet shop/web is stuck'),
      outcome: expect.stringMatching(/^(?:Completes|Stuck|Depends)$/u),
      deleted: ['web'],
      none: expect.any(Number),
      graph: true,
      worst: 'error',
      missing: ['usage', expect.stringMatching(/^statefulset "nope" not found/u)],
      broken: 'enough',
      wrong: 'usage',
      closing: 'function',
      held: ['TerminatingHeldByFinalizer'],
      closed: 'source',
      listeners: 0,
    });
  });

  test('lets nothing else be imported but the schemas', async () => {
    const script = `
      const tried = [];
      for (const name of ['kubectl-gc-tree/dist/library.js', 'kubectl-gc-tree/package.json', 'kubectl-gc-tree/schema/plan.schema.json'])
        tried.push(await import(name, { with: { type: 'json' } }).then(() => 'there', ({ code }) => code));
      console.log(tried.join(' '));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    expect(stdout.trim()).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED there there');
    expect(existsSync(path.join(home, 'dist', 'library.d.ts'))).toBe(true);
    expect((await readdir(path.join(home, 'dist'))).filter(name => name.endsWith('.d.ts'))).toEqual([
      'documents.d.ts',
      'library.d.ts',
    ]);
  });
});
