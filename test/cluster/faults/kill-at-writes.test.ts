/**
 * A tool that is killed at every write and at every request that changes something: what it wrote is read by the next one,
 * which says nothing that isn't so, brings the same action to the same end without doing anything twice, and takes it back.
 */
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journal } from '../../../src/actions/journal/action-journal.ts';
import type { Entry } from '../../../src/actions/journal/journal-entry.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { mapConcurrently } from '../../../src/model/concurrently.ts';
import { type JsonRecord, list, record } from '../../../src/model/json/json.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { journalWords } from '../../../src/text/actions/journal.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { type Actor, openActor } from '../actions/acting.ts';
import { eventually } from '../eventually.ts';
import { runTool, startTool } from '../tool.ts';

const preload = path.join(import.meta.dirname, '../../harness/preloads/killed-at-write.ts');
const NODE_OPTIONS = `--import=${pathToFileURL(preload).href}`;
const HOLD = 'example.com/hold';
/** Two owners with a dependent each. */
const NAMES = ['one', 'one-child', 'two', 'two-child'] as const;
/** So many at a time: each waits for the cluster and for processes to start. */
const AT_ONCE = 3;

type Objects = ReadonlyMap<string, JsonRecord>;

/** A namespace with the objects, and a folder for the journal. */
interface World {
  readonly namespace: string;
  readonly state: string;
  /** As they were before the action. */
  readonly before: Objects;
  /** What is to be run. */
  readonly words: readonly string[];
}

interface Deed {
  readonly words: readonly string[];
  /** Of the objects when the action has ended; nobody else has changed any of them. */
  readonly end: Readonly<Partial<Record<(typeof NAMES)[number], 'as before' | 'without owner'>>>;
  readonly unblocks?: true;
  /** The writing of its backup is among what is killed. */
  readonly backup?: true;
  /** What is killed is the undo of it. */
  readonly undone?: true;
}

const whole = {
  one: 'as before',
  'one-child': 'as before',
  two: 'as before',
  'two-child': 'as before',
} as const;

// What is gone already is no matter to whoever runs it again.
const deletion = ['delete', 'cm/one', 'cm/two', '--cascade=background', '--ignore-not-found'] as const;

const deeds: Readonly<Record<string, Deed>> = {
  'a deletion of two owners with what they own': {
    words: deletion,
    end: {},
    backup: true,
  },
  'a deletion that orphans': {
    words: ['delete', 'cm/one', '--cascade=orphan', '--ignore-not-found'],
    end: { 'one-child': 'without owner', two: 'as before', 'two-child': 'as before' },
  },
  'the end of a deletion that hangs': {
    words: ['unblock', 'cm/one', '--remedy', `remove-finalizer/${HOLD}`],
    end: { two: 'as before', 'two-child': 'as before' },
    unblocks: true,
  },
  'an undo': { words: deletion, end: whole, undone: true },
};

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'a tool that is killed at every write',
  () => {
    let cluster: Cluster;
    let proxy: FaultProxy;
    let kubeconfig: string;
    let actor: Actor;
    let worlds = 0;

    beforeAll(async () => {
      cluster = await startControlPlane({
        components: ['etcd', 'kube-apiserver', 'kube-controller-manager'],
      });
      const { ca, serving } = cluster.tls;
      proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
      kubeconfig = await cluster.kubeconfig('admin', proxy.url);
      actor = await openActor({ kubeconfig: await cluster.kubeconfig(), folder: newFolder() });
    });
    afterAll(async () => {
      await actor?.close();
      await proxy?.stop();
      await cluster?.stop();
    });

    function newFolder(): string {
      const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'gc-tree-killed-')));
      guardFolder(folder);
      return folder;
    }

    const mapsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

    async function objectsIn(namespace: string): Promise<Objects> {
      const { items } = await cluster.api.json<{ items: readonly JsonRecord[] }>({ path: mapsOf(namespace) });
      const named = items.map(each => [String(record(each['metadata'])['name']), each] as const);
      return new Map(named.filter(([name]) => (NAMES as readonly string[]).includes(name)));
    }

    const envOf = ({ state }: Pick<World, 'state'>): Record<string, string> => ({ XDG_STATE_HOME: state });

    const run = (world: Pick<World, 'namespace' | 'state'>, ...words: readonly string[]) =>
      runTool([...words, '-n', world.namespace], { kubeconfig, env: envOf(world) });

    async function newWorld({ words, unblocks, undone }: Deed): Promise<World> {
      worlds += 1;
      const namespace = `killed-${worlds}`;
      const state = newFolder();
      await cluster.api.json({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      });
      const make = (name: string, more: JsonRecord): Promise<{ metadata: { uid: string } }> =>
        cluster.api.json({
          method: 'POST',
          path: mapsOf(namespace),
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more }, data: { of: name } },
        });
      for (const name of ['one', 'two']) {
        const { metadata } = await make(
          name,
          unblocks === true && name === 'one' ? { finalizers: [HOLD] } : {},
        );
        const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid };
        await make(`${name}-child`, { ownerReferences: [owner] });
      }
      if (unblocks === true) await cluster.api.json({ method: 'DELETE', path: `${mapsOf(namespace)}/one` });
      const world = { namespace, state, before: await objectsIn(namespace), words: [...words, '--yes'] };
      if (undone !== true) return world;
      const { code, stderr } = await run(world, ...world.words);
      expect(code, stderr).toBe(0);
      const [entry] = await new Journal(journalIn(world)).list();
      return { ...world, words: ['undo', entry?.intended.id ?? '', '--yes'] };
    }

    const journalIn = ({ state }: World): string => path.join(state, 'kubectl-gc-tree');

    /** Requests of the tool that change something in the namespace, by what `list` has; dry runs don't. */
    const changesIn = (lines: readonly string[], { namespace }: World): string[] =>
      lines.filter(each =>
        new RegExp(`(?:POST|PUT|PATCH|DELETE) ${mapsOf(namespace)}(?!.*dryRun)`, 'u').test(each),
      );

    /** Runs the action, killed at that point; true where it came to its end before it. */
    async function killedAt(world: World, at: number): Promise<boolean> {
      const env = {
        ...envOf(world),
        NODE_OPTIONS,
        GC_TREE_KILL_BELOW: world.state,
        GC_TREE_KILL_AT: String(at),
      };
      const tool = startTool([...world.words, '-n', world.namespace], { kubeconfig, env });
      const code = await tool.exit;
      if (tool.child.signalCode === 'SIGKILL') return false;
      expect(code, tool.stdout() + tool.stderr()).toBe(0);
      return true;
    }

    /** Every point of an undisturbed run, in its order. */
    async function pointsOf(deed: Deed): Promise<readonly string[]> {
      const world = await newWorld(deed);
      const points = path.join(newFolder(), 'points');
      const env = {
        ...envOf(world),
        NODE_OPTIONS,
        GC_TREE_KILL_BELOW: world.state,
        GC_TREE_KILL_POINTS: points,
      };
      const { code, stderr } = await runTool([...world.words, '-n', world.namespace], { kubeconfig, env });
      expect(code, stderr).toBe(0);
      return readFileSync(points, 'utf8').trimEnd().split('\n');
    }

    /**
     * Of more than two requests the first and the last, and of the files of a backup the first and the last, once: those between
     * them are written alike, and all backups are.
     */
    function sampled(points: readonly string[], { backup }: Deed): number[] {
      const files = points.flatMap(each => /\d{5}\.json/u.exec(each)?.[0] ?? []);
      const kept = new Set([files[0], files.at(-1)]);
      const begin = points.findIndex(each => each.includes('journal.jsonl'));
      const requests = points.flatMap((each, index) => (each.startsWith('before ') ? [index] : []));
      // From the line that says that it is sent up to that of the next.
      const [skipped = 0, last = 0] = [requests[1], requests.at(-1)].map(each => (each ?? 0) - 3);
      return points.flatMap((each, index) => {
        if (requests.length > 2 && index >= skipped && index < last) return [];
        const file = /\d{5}\.json/u.exec(each)?.[0];
        const counts = index >= begin || (backup === true && (file === undefined || kept.has(file)));
        return counts ? [index + 1] : [];
      });
    }

    /** Whether the objects are as the action is to leave them, as far as what makes them is concerned. */
    async function expectEnd({ namespace, before }: World, end: Deed['end']): Promise<void> {
      await eventually(async () => {
        const now = await objectsIn(namespace);
        expect([...now.keys()].toSorted()).toEqual(Object.keys(end).toSorted());
        for (const [name, state] of Object.entries(end)) {
          const [had, has] = [before, now].map(each => each.get(name));
          expect(has?.['data']).toEqual(had?.['data']);
          const owners = list(record(has?.['metadata'])['ownerReferences']).map(record);
          const owner = now.get(name.replace(/-child$/u, ''));
          const isOwned = name.endsWith('-child') && state === 'as before';
          expect(owners.map(({ uid }) => uid)).toEqual(isOwned ? [record(owner?.['metadata'])['uid']] : []);
          expect(record(has?.['metadata'])['finalizers']).toEqual(record(had?.['metadata'])['finalizers']);
        }
      });
    }

    async function toldByTool(world: World): Promise<string> {
      const { code, stdout, stderr } = await run(world, 'undo', '-o', 'wide');
      expect(code, stderr).toBe(0);
      expect(stderr).not.toContain('damaged');
      return stdout;
    }

    /** The same words without a process of their own. */
    async function toldOf(journal: Journal): Promise<string> {
      const judged = (await journal.list()).map(entry => ({
        entry,
        reversibility: { extent: 'nothing' } as const,
      }));
      const lines = journalWords.lines(judged, { wide: true, headers: false, now: Date.now() });
      return [...lines].map(({ spans }) => spans.map(({ text }) => text).join('')).join('\n');
    }

    /** The rest, which leaves the same lines behind, is told without a process of its own. */
    const isTold = (point: string): boolean => /^(?:half of|before|sent|answer to)/u.test(point);

    /** What the next process finds of it: nothing is said that isn't so, and nothing that was changed is lost. */
    async function expectTold(world: World, deed: Deed, byTool: boolean): Promise<void> {
      const received = changesIn(proxy.requests, world);
      const journal = new Journal(journalIn(world));
      expect(await journal.damaged()).toEqual([]);
      const told = (byTool ? await toldByTool(world) : await toldOf(journal)).replaceAll(/\s+/gu, ' ');
      const [latest, earlier] = await journal.list();
      const entry = deed.undone === true && earlier === undefined ? undefined : latest;
      if (entry === undefined) {
        expect(received.length).toBe(deed.undone === true ? 2 : 0);
        return;
      }
      // What was done before it to be undone.
      const own = deed.undone === true ? received.slice(2) : received;
      const counts = { 'not sent': 0, 'sent perhaps': 0, answered: 0 };
      for (const { method, path: asked } of entry.intended.requests) {
        const words = new RegExp(`${method} ${asked}: (not sent|sent perhaps|2\\d\\d)`, 'gu');
        const index = counts['not sent'] + counts['sent perhaps'] + counts.answered;
        const sameBefore = entry.intended.requests.slice(0, index).filter(each => each.path === asked).length;
        const said = [...told.matchAll(words)][sameBefore]?.[1] ?? '';
        expect(said, told).not.toBe('');
        counts[said === 'not sent' || said === 'sent perhaps' ? said : 'answered'] += 1;
      }
      // They are sent one after the other, so numbers tell which: what arrived was said to be sent, or perhaps.
      expect(own.length).toBeLessThanOrEqual(counts.answered + counts['sent perhaps']);
      expect(own.length).toBeGreaterThanOrEqual(counts.answered);
      expect(counts['sent perhaps']).toBeLessThan(2);
      const first = told.slice(told.indexOf(entry.intended.id), told.indexOf(entry.intended.title));
      if (own.length > 0) expect(first).not.toContain('not sent');
      await expectBackup(world, journal);
    }

    /** Each object that was changed is in the backup as it was. */
    async function expectBackup({ namespace, before }: World, journal: Journal): Promise<void> {
      const kept = new Map<string, JsonRecord | undefined>();
      for (const entry of await journal.list())
        for (const { object, json } of await journal.backupOf(entry))
          kept.set(object.name, json ?? kept.get(object.name));
      const now = await objectsIn(namespace);
      for (const [name, had] of before) {
        const { managedFields: _, ...metadata } = record(had['metadata']);
        const isChanged =
          record(now.get(name)?.['metadata'])['resourceVersion'] !== metadata['resourceVersion'];
        if (isChanged || kept.has(name))
          expect(kept.get(name)).toMatchObject({ metadata, data: had['data'] });
      }
    }

    describe.each(Object.entries(deeds))('in %s', (_, deed) => {
      it('loses nothing, does nothing twice and says nothing that is not so', async () => {
        const points = await pointsOf(deed);
        const numbers = sampled(points, deed);
        expect(numbers.length).toBeGreaterThan(15);
        expect(points.filter(each => each.startsWith('before ')).length).toBe(
          deed.undone === true ? 4 : deed.words.filter(each => each.startsWith('cm/')).length,
        );
        await mapConcurrently(numbers, AT_ONCE, async at => {
          const where = `${at}: ${points[at - 1]}`;
          try {
            const world = await newWorld(deed);
            expect(await killedAt(world, at)).toBe(false);
            await expectTold(world, deed, isTold(points[at - 1] ?? ''));
            await expectSameEnd(world, deed);
          } catch (error) {
            throw new Error(`killed at ${where}`, { cause: error });
          }
        });
        // Behind the last one there is none: it ends by itself.
        expect(await killedAt(await newWorld(deed), points.length + 1)).toBe(true);
      });
    });

    async function takeBack(world: World, entry: Entry): Promise<void> {
      const { namespace } = world;
      const journal = new Journal(journalIn(world));
      const now = [...(await objectsIn(namespace)).values()].map(each => versionOf(record(each['metadata'])));
      await actor.until(({ graph }) => {
        const seen = [...graph.nodes()].flatMap(({ object }) =>
          object?.namespace === namespace && object.type.kind === 'ConfigMap' ? [object] : [],
        );
        const named = seen.filter(({ name }) => (NAMES as readonly string[]).includes(name));
        return JSON.stringify(named.map(versionOf).toSorted()) === JSON.stringify(now.toSorted());
      });
      const kept = await journal.backupOf(entry);
      const intent = Undo.intent(entry, Undo.plan(entry, kept, actor.view), kept, actor.view);
      if (intent === undefined) return;
      expect(await actor.act(actor.prepare(intent), { journal })).toMatchObject({
        state: 'reached',
        departures: [],
      });
    }

    const versionOf = ({ uid, resourceVersion }: JsonRecord | KubeObject): string =>
      `${String(uid)}@${String(resourceVersion)}`;

    it('while it keeps what it has discovered, leaves nothing that the next one stumbles over', async () => {
      const { namespace } = await newWorld({ words: [], end: {} });
      const words = ['tree', '-n', namespace, '-o', 'name'];
      const envIn = (home: string, more: Readonly<Record<string, string>>) => ({
        HOME: home,
        XDG_CACHE_HOME: undefined,
        NODE_OPTIONS,
        GC_TREE_KILL_BELOW: home,
        ...more,
      });
      const points = path.join(newFolder(), 'points');
      const first = await runTool(words, {
        kubeconfig,
        env: envIn(newFolder(), { GC_TREE_KILL_POINTS: points }),
      });
      expect(first.stdout).toContain('configmap/one');
      const count = readFileSync(points, 'utf8').trimEnd().split('\n').length;
      expect(count).toBeGreaterThan(10);
      const some = Array.from({ length: 8 }, (_, index) => 1 + Math.floor((index * (count - 1)) / 7));
      await mapConcurrently(some, AT_ONCE, async at => {
        const home = newFolder();
        const env = envIn(home, { GC_TREE_KILL_AT: String(at) });
        const killed = startTool(words, { kubeconfig, env });
        await killed.exit;
        expect(killed.child.signalCode, `${at} of ${count}`).toBe('SIGKILL');
        const { code, stdout, stderr } = await runTool(words, { kubeconfig, env: envIn(home, {}) });
        expect([code, stdout, stderr]).toEqual([0, first.stdout, '']);
      });
    });

    /** The same again, and then all of it taken back. */
    async function expectSameEnd(world: World, deed: Deed): Promise<void> {
      const again = await run(world, ...world.words);
      // Nothing may be left to do, or an object may be gone that the words name.
      expect([0, 2], again.stderr).toContain(again.code);
      await expectEnd(world, deed.end);
      const taken = changesIn(proxy.answers, world).filter(each => each.startsWith('2'));
      const perObject = Map.groupBy(
        taken.filter(each => !each.includes('POST')),
        each => each,
      );
      for (const [what, times] of perObject) expect(times.length, what).toBe(1);
      if (deed.undone === true)
        expect(taken.filter(each => each.includes('POST')).length).toBeLessThanOrEqual(4);
      if (deed.undone === true) return;
      for (const entry of await new Journal(journalIn(world)).list()) await takeBack(world, entry);
      await expectEnd(world, whole);
    }
  },
);
