/** A disk without room, and a home that cannot be written: what has to be kept first stops everything, the rest is said. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { runTool, type ToolResult } from '../tool.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
/** Enough for what is kept of discovery. */
const ROOM = 4 * 1024 * 1024;

function mount(folder: string, ...options: readonly string[]): boolean {
  const all = [`size=${ROOM}`, 'mode=0700', ...options].join(',');
  return spawnSync('mount', ['-t', 'tmpfs', '-o', all, 'tmpfs', folder]).status === 0;
}

function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder]);
}

/** Only root may mount a small disk, and not in every container. */
function mayMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-mount-'));
  const may = mount(folder);
  unmount(folder);
  rmSync(folder, { recursive: true, force: true });
  return may;
}

const isPossible = process.env['GC_TREE_TEST_KUBECONFIG'] === undefined && mayMount();

describe.skipIf(!isPossible)('the disk', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let home: string;
  let names = 0;

  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    kubeconfig = await cluster.kubeconfig();
  });
  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'gc-tree-disk-'));
  });
  afterEach(() => {
    unmount(home);
    rmSync(home, { recursive: true, force: true });
  });
  afterAll(() => cluster?.stop());

  const run = (...args: readonly string[]): Promise<ToolResult> =>
    runTool(args, {
      kubeconfig,
      env: {
        HOME: home,
        XDG_STATE_HOME: undefined,
        XDG_CACHE_HOME: undefined,
        XDG_CONFIG_HOME: undefined,
        GC_TREE_READ_ONLY: undefined,
      },
    });

  async function newMap(): Promise<string> {
    names += 1;
    const name = `kept-${names}`;
    const data = { of: 'x'.repeat(2_000) };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    await cluster.api.json({ method: 'POST', path: MAPS, body });
    return name;
  }

  async function exists(name: string): Promise<boolean> {
    return (await cluster.api.send({ path: `${MAPS}/${name}` })).status === 200;
  }

  /** Nothing more can be written to the home. */
  function fill(): void {
    const filler = path.join(home, 'filler');
    for (let size = ROOM; size > 0; size = Math.floor(size / 2)) {
      try {
        writeFileSync(filler, Buffer.alloc(size), { flag: 'a' });
      } catch {
        // Smaller pieces may still fit.
      }
    }
  }

  function expectBrief({ code, stderr }: ToolResult): void {
    expect(code).toBe(2);
    expect(stderr.trim().split('\n').length, stderr).toBeLessThan(3);
  }

  describe.each([
    [
      'full',
      (): void => {
        mount(home);
        fill();
      },
    ],
    ['read-only', (): void => void mount(home, 'ro')],
  ] as const)('that is %s', (_, prepare) => {
    it('keeps a deletion from being sent, for nothing could be undone', async () => {
      prepare();
      const name = await newMap();
      const result = await run('delete', `cm/${name}`, '-n', 'default', '--cascade=background', '--yes');
      expectBrief(result);
      expect(result.stderr).toMatch(/journal|backup|nothing (?:was|has been) (?:sent|changed|deleted)/iu);
      expect(await exists(name)).toBe(true);
    });

    it('keeps nothing from being answered that only reads', async () => {
      prepare();
      const name = await newMap();
      for (const command of ['tree', 'why', 'plan']) {
        const words = command === 'plan' ? ['plan', 'delete'] : [command];
        const { code, stdout, stderr } = await run(...words, `cm/${name}`, '-n', 'default');
        expect(code, stderr).toBe(0);
        expect(stdout).toContain(name);
        expect(stderr).toBe('');
      }
    });

    it('leaves no recording that looks like one', async () => {
      prepare();
      const file = path.join(home, 'one.gctree');
      const result = await run('record', file, '-n', 'default', '--for', '1s');
      expectBrief(result);
      expect(existsSync(file) && statSync(file).size > 0).toBe(false);
    });
  });

  it('that fills up while an action is followed loses nothing of what was done', async () => {
    mount(home);
    const name = await newMap();
    const { code, stderr } = await run(
      'delete',
      `cm/${name}`,
      '-n',
      'default',
      '--cascade=background',
      '--yes',
    );
    expect(code, stderr).toBe(0);
    fill();
    const other = await newMap();
    expectBrief(await run('delete', `cm/${other}`, '-n', 'default', '--cascade=background', '--yes'));
    expect(await exists(other)).toBe(true);
    // What was written before is read as ever.
    const { code: listed, stdout } = await run('undo');
    expect(listed).toBe(0);
    expect(stdout).toContain(name);
    expect(stdout).not.toContain(other);
    rmSync(path.join(home, 'filler'));
    mkdirSync(path.join(home, 'room'));
    const [id = ''] = /\d{8}T\d{6}Z-[0-9a-f]{6}/u.exec(stdout) ?? [];
    const undone = await run('undo', id, '--yes');
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    expect(await exists(name)).toBe(true);
  });
});
