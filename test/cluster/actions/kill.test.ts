/**
 * A tool that is killed at any step of an action: the journal on the disk tells what was sent, and whoever looks
 * at it afterwards can take back what took effect.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Journal } from '../../../src/actions/journal/action-journal.ts';
import { type Entry, tookEffect } from '../../../src/actions/journal/journal-entry.ts';
import type { UndoIntent } from '../../../src/actions/prepare/action-intent.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { collectorIsAtWork } from '../../conformance/real/run.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import { type Actor, openActor } from './acting.ts';

/** Longer than any of these tests. */
const HELD = { kind: 'delay', milliseconds: 3_600_000 } as const;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a tool that is killed', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let direct: string;
  let through: string;
  let actor: Actor | undefined;
  let child: ChildProcess | undefined;
  let names = 0;
  beforeAll(async () => {
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    const { ca, serving } = cluster.tls;
    proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
    direct = await cluster.kubeconfig();
    through = await cluster.kubeconfig('admin', proxy.url);
  });
  afterEach(async () => {
    proxy.liftRules();
    child?.kill('SIGKILL');
    await actor?.close();
    actor = undefined;
  });
  afterAll(async () => {
    await proxy?.stop();
    await cluster?.stop();
  });

  const maps = '/api/v1/namespaces/default/configmaps';

  /** A ConfigMap with so many others that it owns; resolves with its name. */
  async function family(children: number, finalizers: readonly string[] = []): Promise<string> {
    names += 1;
    const name = `kill-${names}`;
    const { metadata } = await cluster.api.json<{ metadata: { uid: string } }>({
      method: 'POST',
      path: maps,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, finalizers }, data: { of: name } },
    });
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid };
    const numbers = Array.from({ length: children }, (_, index) => index);
    await Promise.all(
      numbers.map(async index => {
        const body = {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: `${name}-${index}`, ownerReferences: [owner] },
        };
        await cluster.api.json({ method: 'POST', path: maps, body });
      }),
    );
    return name;
  }

  async function exists(name: string): Promise<boolean> {
    return (await cluster.api.send({ path: `${maps}/${name}` })).status === 200;
  }

  interface Started {
    readonly folder: string;
    readonly said: () => string;
    /** Of the real deletions that have reached the proxy. */
    readonly sent: () => readonly string[];
    kill(): Promise<void>;
  }

  async function start(...targets: readonly string[]): Promise<Started> {
    const folder = await mkdtemp(join(tmpdir(), 'gc-tree-journal-'));
    guardFolder(folder);
    const before = proxy.requests.length;
    const file = join(import.meta.dirname, 'act-child.ts');
    const running = spawn(process.execPath, [file, through, folder, 'background', ...targets], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = running;
    let output = '';
    for (const stream of [running.stdout, running.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const exit = new Promise<void>(resolve => running.once('close', () => resolve()));
    return {
      folder,
      said: () => output,
      sent: () =>
        proxy.requests.slice(before).filter(each => each.startsWith('DELETE') && !each.includes('dryRun')),
      kill: async () => {
        running.kill('SIGKILL');
        await exit;
      },
    };
  }

  /** The only entry of the journal, as another process reads it; undefined where there is none. */
  async function entryIn(folder: string): Promise<Entry | undefined> {
    const entries = await new Journal(folder).list();
    expect(entries.length).toBeLessThan(2);
    return entries[0];
  }

  /** What every kill must leave, whenever it comes: what was sent is in the journal, and the backup is whole. */
  async function expectNothingHalfKnown(
    { folder, sent }: Started,
    least: number,
  ): Promise<Entry | undefined> {
    const entry = await entryIn(folder);
    const received = sent().length;
    expect(received).toBeGreaterThanOrEqual(least);
    if (entry === undefined) {
      expect(received).toBe(0);
      return undefined;
    }
    const known = entry.requests.filter(({ state }) => state !== 'notSent');
    expect(known.length).toBeGreaterThanOrEqual(received);
    for (const kept of await new Journal(folder).backupOf(entry)) {
      expect(kept.json).toMatchObject({ kind: 'ConfigMap', metadata: { name: kept.object.name } });
    }
    return entry;
  }

  async function undoOf(
    folder: string,
  ): Promise<{ readonly intent: UndoIntent | undefined; lost: readonly string[] }> {
    actor = await openActor({ kubeconfig: direct, folder });
    const { journal, view } = actor;
    const [entry] = await journal.list();
    if (entry === undefined) throw new Error('no entry');
    const kept = await journal.backupOf(entry);
    const undo = Undo.plan(entry, kept, view);
    return { intent: Undo.intent(entry, undo, kept, view), lost: undo.lost };
  }

  it.each([
    ['while permissions are asked', /POST .*selfsubjectaccessreviews/],
    ['during the dry run', /DELETE .*dryRun=All/],
    ['while the object is read again', /GET .*\/configmaps\/kill-\d+$/],
    ['while the backup is read', /GET .*\/configmaps\/kill-\d+-0$/],
  ])('%s has sent nothing and leaves no entry', async (_, match) => {
    const name = await family(1);
    const rule = proxy.addRule({ match, fault: HELD });
    const tool = await start(name);
    await eventually(() => expect(rule.hits).toBeGreaterThan(0));
    await tool.kill();
    expect(await expectNothingHalfKnown(tool, 0)).toBeUndefined();
    expect(await exists(name)).toBe(true);
  });

  it('with a request that the API server never got says that it may have taken effect', async () => {
    const name = await family(2);
    proxy.addRule({ match: /DELETE (?!.*dryRun)/, fault: HELD });
    const tool = await start(name);
    await eventually(() => expect(tool.sent()).toHaveLength(1));
    await tool.kill();
    const entry = await expectNothingHalfKnown(tool, 1);
    expect(entry?.requests).toEqual([{ state: 'unknown' }]);
    expect(entry?.ended).toBeUndefined();
    expect(entry && tookEffect(entry)).toBe('perhaps');
    expect(await exists(name)).toBe(true);
    // Everything is still there, so nothing is to be taken back.
    expect((await undoOf(tool.folder)).intent).toBeUndefined();
  });

  it('before it heard that its request was taken says that it may have taken effect, and undo makes it again', async () => {
    const name = await family(2);
    proxy.addRule({ match: /DELETE (?!.*dryRun)/, fault: { kind: 'stall', afterBytes: 0 } });
    const tool = await start(name);
    await eventually(async () =>
      expect([await exists(`${name}-0`), await exists(`${name}-1`)]).toEqual([false, false]),
    );
    await tool.kill();
    const entry = await expectNothingHalfKnown(tool, 1);
    expect(entry?.requests).toEqual([{ state: 'unknown' }]);
    expect(entry && tookEffect(entry)).toBe('perhaps');
    const { intent, lost } = await undoOf(tool.folder);
    expect(lost).toEqual([]);
    expect(intent?.does.toSorted()).toEqual(
      ['', '-0', '-1'].map(part => `recreate ConfigMap ${name}${part}`),
    );
    if (intent === undefined || actor === undefined) return;
    expect(await actor.act(actor.prepare(intent))).toMatchObject({ state: 'reached', taken: 3 });
    const again = await cluster.api.json<{ data: unknown }>({ path: `${maps}/${name}` });
    expect(again.data).toEqual({ of: name });
    // Its dependents refer to the new one, or the collector would take them.
    await collectorIsAtWork(cluster, `after-${name}`);
    expect(await exists(`${name}-0`)).toBe(true);
  });

  it('between two requests tells the one that was sent from the one that was not', async () => {
    const [one, two, three] = [await family(0), await family(0), await family(0)];
    proxy.addRule({ match: new RegExp(`DELETE (?!.*dryRun).*/${two}$`), fault: HELD });
    const tool = await start(one, two, three);
    await eventually(() => expect(tool.sent()).toHaveLength(2));
    await tool.kill();
    const entry = await expectNothingHalfKnown(tool, 2);
    expect(entry?.requests).toEqual([
      { state: 'answered', status: 200 },
      { state: 'unknown' },
      { state: 'notSent' },
    ]);
    expect(entry && tookEffect(entry)).toBe('yes');
    expect(await Promise.all([one, two, three].map(exists))).toEqual([false, true, true]);
    expect((await undoOf(tool.folder)).intent?.does).toEqual([`recreate ConfigMap ${one}`]);
  });

  it('while it follows knows the answer, and not how it ended', async () => {
    const name = await family(1, ['example.com/hold']);
    const tool = await start(name);
    await eventually(() => expect(tool.said()).toContain('progress'));
    await tool.kill();
    const entry = await expectNothingHalfKnown(tool, 1);
    expect(entry?.requests).toEqual([{ state: 'answered', status: 200 }]);
    expect(entry?.ended).toBeUndefined();
    const { intent, lost } = await undoOf(tool.folder);
    expect(lost).toContain(`ConfigMap ${name} is being deleted, which cannot be undone`);
    // The dependent is collected meanwhile or not; a deleting owner is no owner to come back to.
    expect(JSON.stringify(intent?.requests ?? [])).not.toContain('ownerReferences":[{');
  });

  /** Kills as soon as the condition holds, looked at without pause. */
  async function killWhen(tool: Started, isSo: (journal: string) => boolean): Promise<void> {
    const journal = join(tool.folder, 'journal');
    const deadline = Date.now() + 120_000;
    while (!(existsSync(journal) && isSo(journal))) {
      if (Date.now() > deadline) throw new Error(`it has not come so far: ${tool.said()}`);
      await new Promise(resolve => setImmediate(resolve));
    }
    await tool.kill();
  }

  const filesIn = (journal: string): string[] =>
    readdirSync(journal).flatMap(entry => readdirSync(join(journal, entry)));

  it.each([
    ['when the entry has its folder', (journal: string) => readdirSync(journal).length > 0],
    ['in the middle of the backup', (journal: string) => filesIn(journal).length > 20],
    ['when the journal begins', (journal: string) => filesIn(journal).includes('journal.jsonl')],
  ])('%s leaves no half entry', async (_, isSo) => {
    const name = await family(60);
    const tool = await start(name);
    await killWhen(tool, isSo);
    const entry = await expectNothingHalfKnown(tool, 0);
    if (entry?.requests.every(({ state }) => state === 'notSent') ?? true) {
      expect(tool.sent()).toEqual([]);
      expect(await exists(name)).toBe(true);
    }
    expect(entry === undefined || entry.intended.backup.length === 61).toBe(true);
  });
});
