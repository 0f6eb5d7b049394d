/**
 * etcd restored from a backup below an API server that is being followed: its resource versions go back, and a watch
 * from a version still to come is answered with silence. What the tool shows afterwards equals a fresh start, and it
 * never calls what is gone live.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { eventually } from '../eventually.ts';
import { comparable, type OwnershipTree, readTree, title } from '../ownership-document.ts';
import { openTool, type RunningTool, startTool } from '../tool.ts';

const scope = ['-n', 'default'];

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a restored etcd', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let direct: string;
  let through: string;
  let running: RunningTool | undefined;
  let terminal: Terminal | undefined;
  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
    const { ca, serving } = cluster.tls;
    proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
    direct = await cluster.kubeconfig();
    through = await cluster.kubeconfig('admin', proxy.url);
  });
  afterEach(async () => {
    proxy.liftRules();
    running?.child.kill('SIGINT');
    await running?.exit;
    running = undefined;
    await terminal?.close();
    terminal = undefined;
  });
  afterAll(async () => {
    await proxy.stop();
    await cluster.stop();
  });

  async function configMaps(prefix: string, count: number): Promise<void> {
    const items = Array.from({ length: count }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${prefix}-${index}` },
      data: { written: String(Date.now()) },
    }));
    await cluster.apply(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  }

  interface Followed {
    readonly backup: string;
    readonly latest: () => OwnershipTree;
    /** Milliseconds for which the screen called something live that the restored cluster doesn't have; then no more. */
    readonly liveThoughGone: () => number;
    /** From here on what the backup doesn't hold is gone. */
    readonly restored: () => void;
  }

  /** Screen and watched document on a cluster that goes on after its backup. */
  async function follow(kubeconfig: string, name: string): Promise<Followed> {
    await cluster.kubectl(['delete', 'configmap', '--all', '--namespace=default', '--wait=false']);
    await configMaps(`kept-${name}`, 3);
    const folder = mkdtempSync(join(tmpdir(), 'gc-tree-backup-'));
    guardFolder(folder);
    const backup = join(folder, 'etcd');
    await cluster.backUpEtcd(backup);
    running = startTool(['tree', ...scope, '-o', 'json', '--watch'], { kubeconfig });
    const tool = running;
    const latest = (): OwnershipTree => lastDocument(tool.stdout());
    const screen = openTool(scope, { kubeconfig });
    terminal = screen;
    await eventually(() => expect(latest().roots.map(title)).toContain(`ConfigMap/kept-${name}-0`));
    await screen.waitFor(/\blive\b/);
    // What a restored backup takes back: objects that came, went and changed.
    await configMaps(`gone-${name}`, 10);
    await cluster.kubectl(['delete', 'configmap', `kept-${name}-0`, '--namespace=default']);
    await cluster.kubectl(['label', 'configmap', `kept-${name}-1`, 'late=yes', '--namespace=default']);
    await eventually(() => expect(latest().roots.map(title)).toContain(`ConfigMap/gone-${name}-9`));
    await screen.waitFor(`gone-${name}-9`);
    let isRestored = false;
    let wrong = 0;
    const timer = setInterval(() => {
      const shown = screen.text();
      if (isRestored && /\blive\b/.test(shown) && shown.includes(`gone-${name}`)) wrong += 50;
    }, 50);
    timer.unref();
    return {
      backup,
      latest,
      restored: () => {
        isRestored = true;
      },
      liveThoughGone: () => {
        clearInterval(timer);
        return wrong;
      },
    };
  }

  async function expectSameAsFresh({ latest }: Followed): Promise<number> {
    const began = Date.now();
    await eventually(async () => {
      const fresh = await readTree(scope, { kubeconfig: direct });
      expect(comparable(latest())).toEqual(comparable(fresh));
    });
    return Date.now() - began;
  }

  it('is noticed when the API server comes back at an earlier version', async () => {
    const followed = await follow(direct, 'direct');
    await cluster.restoreEtcd(followed.backup);
    followed.restored();
    const took = await expectSameAsFresh(followed);
    await terminal?.waitFor(
      screen => /\blive\b/.test(screen[0] ?? '') && screen.join('\n').includes('kept-direct-0'),
    );
    expect(terminal?.text()).not.toContain('gone-direct');
    report('the API server comes back at an earlier version', took, followed.liveThoughGone());
    expect(followed.liveThoughGone()).toBe(0);
    await configMaps('after-direct', 1);
    await expectSameAsFresh(followed);
  });

  it('is noticed when the API server is past the version seen last before it is reached again', async () => {
    const followed = await follow(through, 'passed');
    const rule = proxy.addRule({ match: /./, fault: { kind: 'status', status: 503 } });
    proxy.cutEverything();
    await terminal?.waitFor('not connected');
    await cluster.restoreEtcd(followed.backup);
    // More changes than were lost, so that no number gives it away.
    for (let round = 0; round < 5; round++) await configMaps('other-passed', 10);
    followed.restored();
    rule.lift();
    const took = await expectSameAsFresh(followed);
    await terminal?.waitFor(
      screen => /\blive\b/.test(screen[0] ?? '') && screen.join('\n').includes('other-passed-9'),
    );
    report('the API server is past the version seen last', took, followed.liveThoughGone());
    expect(followed.liveThoughGone()).toBe(0);
  });

  it('is noticed where no connection breaks, and every watch is silent', async () => {
    const followed = await follow(through, 'silent');
    // Something to compare with: how far the server was, asked for every 30 s.
    const asked = looks();
    await eventually(() => expect(looks()).toBeGreaterThan(asked + 3));
    for (const exchange of proxy.exchanges(/watch=/)) exchange.stall();
    await cluster.restoreEtcd(followed.backup);
    followed.restored();
    const took = await expectSameAsFresh(followed);
    await terminal?.waitFor(
      screen => /\blive\b/.test(screen[0] ?? '') && screen.join('\n').includes('kept-silent-0'),
    );
    report('every watch is silent', took, followed.liveThoughGone());
  });

  function looks(): number {
    return proxy.requests.filter(request => request.includes('/leases?labelSelector')).length;
  }
});

function report(what: string, took: number, wrong: number): void {
  process.stdout.write(`${what}: equal after ${took} ms, called live though gone for ${wrong} ms\n`);
}

/** The last whole JSON document of a stream of pretty-printed ones. */
function lastDocument(output: string): OwnershipTree {
  const end = output.lastIndexOf('\n}\n');
  const start = Math.max(0, output.lastIndexOf('\n{\n', end));
  return JSON.parse(output.slice(start, end + 2)) as OwnershipTree;
}
