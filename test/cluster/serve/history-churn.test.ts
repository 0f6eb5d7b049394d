/**
 * The history of `serve` through churn and crashes: its size, its answers, and its losses. It needs a machine that does
 * nothing else, so it runs only if asked: `GC_TREE_CHURN=2000000` plays that many events, `GC_TREE_RATE=1500` that many a
 * second.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startControlPlane } from '../../harness/control-plane.ts';
import { startFaultProxy } from '../../harness/fault-proxy.ts';
import { flow, inventedCluster, settle, treeDifferences } from '../../soak/invented-cluster.ts';
import { churn } from '../../soak/real-churn.ts';
import { World } from '../../soak/world.ts';
import { eventually } from '../eventually.ts';
import { HistoryUser } from './history-user.ts';

const EVENTS = Number(process.env['GC_TREE_CHURN']);
const RATE = Number(process.env['GC_TREE_RATE'] ?? 1_000);
const CRASHES = Math.max(3, EVENTS / 200_000);
const MOST_BYTES = 50e6;
const MOST_MS = 300;
/** Milliseconds of changes that a crash may lose. */
const UNWRITTEN_MS = 1_000;

it.runIf(EVENTS > 0)(
  'keeps its history small through churn, answers at once, and loses nothing older than a second when killed',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'gct-churn-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const cluster = await startControlPlane({ nodes: 1 });
    onTestFinished(() => cluster.stop());
    const { world, overlay } = await inventedCluster(cluster, 1);
    onTestFinished(() => overlay.stop());
    const proxy = await startFaultProxy({
      upstream: overlay.url,
      upstreamCa: cluster.tls.ca,
      certificate: cluster.tls.serving,
    });
    onTestFinished(() => proxy.stop());
    const kubeconfig = await cluster.kubeconfig(undefined, proxy.url);
    const user = new HistoryUser(cluster, kubeconfig, ['--history', folder, '--history-size=50M']);
    onTestFinished(() => user.kill());
    await user.start();

    const stop = new AbortController();
    const real = churn({ cluster, writes: 25, reached: each => world.reached(each), signal: stop.signal });
    const before = world.events;
    const began = Date.now();
    const happened = (): number => world.events - before;
    const isOver = (): boolean => happened() >= EVENTS || stop.signal.aborted;
    const memory: number[] = [];
    const compared: number[] = [];
    const lost: string[] = [];
    let greatest = 0;
    const weigh = async (): Promise<void> => {
      for (; !isOver(); await sleep(100)) greatest = Math.max(greatest, await bytesIn(folder));
    };
    const crash = async (): Promise<void> => {
      await sleep(UNWRITTEN_MS);
      const at = Date.now();
      await user.kill();
      await user.start();
      const after = await user.lost(at - UNWRITTEN_MS);
      lost.push(...after.lost);
      compared.push(after.compared);
    };
    const use = async (): Promise<void> => {
      for (let round = 0; !isOver(); round++) {
        const namespace = `soak-${round % World.namespaces().length}`;
        const [gone] = (await user.deletions(namespace, '&since=20s')).items;
        if (gone !== undefined) expect(await user.why(gone.object)).toContain(gone.object.uid);
        memory.push(await user.memory());
        if (happened() >= ((compared.length + 1) * EVENTS) / (CRASHES + 1)) await crash();
        await sleep(500);
      }
    };
    try {
      await Promise.all([flow(world, RATE, isOver), weigh(), use()]);
      await settle(world);
      await eventually(async () => {
        expect(treeDifferences(world, await user.get('/v1alpha1/tree?all-namespaces=true'))).toEqual([]);
      });
    } finally {
      stop.abort();
      await real;
    }
    const answers = user.answers.toSorted((a, b) => a - b);
    const percentile = (part: number): number => answers[Math.ceil(answers.length * part) - 1] ?? 0;
    const [p50, p99, longest] = [0.5, 0.99, 1].map(percentile);
    const minutes = (Date.now() - began) / 60_000;
    console.error({
      events: happened(),
      minutes,
      greatest,
      told: user.told.size,
      lost: lost.length,
      compared,
    });
    console.error({
      answers: answers.length,
      p50,
      p99,
      longest,
      memory: [memory[0], Math.max(...memory), memory.at(-1)],
    });
    expect(lost).toEqual([]);
    expect(Math.min(...compared)).toBeGreaterThan(500);
    expect(greatest).toBeLessThanOrEqual(MOST_BYTES);
    expect(percentile(0.99)).toBeLessThanOrEqual(MOST_MS);
  },
  2 ** 31 - 1,
);

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder);
  const sizes = names.map(name => stat(path.join(folder, name)).catch(() => ({ size: 0 })));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
}
