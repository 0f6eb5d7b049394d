/**
 * PodGC as the tool foretells it and as a real kube-controller-manager does it: one run, in which every rule has pods
 * to take and pods that only look like them. What was said beforehand is held to what then happens.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PodGcCandidateDocument, PodGcCandidateListDocument } from '../../src/documents/podgc.ts';
import type { Cluster } from '../harness/cluster.ts';
import { startControlPlane } from '../harness/control-plane.ts';
import { eventually } from './eventually.ts';
import { type PodEvent, PodLog } from './pod-log.ts';
import { type RunningTool, runTool, startTool } from './tool.ts';

const THRESHOLD = 4;
const HOLD = 'example.com/hold';
const SECOND = 1_000;
const CYCLE = 20 * SECOND;
/** Times in documents are whole seconds, and watches take a moment. */
const ROUNDED = 2 * SECOND;

type Answer = PodGcCandidateListDocument;

/** What was said at some moment, with the moment at which it was asked. */
interface Said {
  readonly asked: number;
  readonly answer: Answer;
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('PodGC, as foretold', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let log: PodLog;
  let watching: RunningTool;
  /** By the moment in the story. */
  let lost: Said;
  let tainted: Said;
  let ended: Said;
  let late: Said;
  /** PodGC's cycles, by when what they did first was seen. */
  const cycles: number[] = [];

  async function say(...more: readonly string[]): Promise<Said> {
    const asked = Date.now();
    const words = ['podgc', '-A', '-o', 'json', `--terminated-pod-gc-threshold=${THRESHOLD}`, ...more];
    const { code, stdout, stderr } = await runTool(words, { kubeconfig });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return { asked, answer: JSON.parse(stdout) as Answer };
  }

  const path = (name: string): string => `/api/v1/namespaces/default/pods/${name}`;

  async function create(name: string, spec: object, finalizers: readonly string[] = []): Promise<void> {
    const containers = [{ name: 'app', image: 'example.com/app:1' }];
    await cluster.api.json({
      method: 'POST',
      path: path(''),
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name, finalizers }, spec: { containers, ...spec } },
    });
  }

  const remove = (name: string) => cluster.api.json({ method: 'DELETE', path: path(name) });

  const finish = (name: string, status: object) =>
    cluster.api.json({
      method: 'PATCH',
      path: `${path(name)}/status`,
      contentType: 'application/merge-patch+json',
      body: { status },
    });

  const taint = (node: string, effect: string) =>
    cluster.kubectl(['taint', 'node', node, `node.kubernetes.io/out-of-service=shutdown:${effect}`]);

  async function silent(...nodes: readonly string[]): Promise<void> {
    await eventually(async () => {
      for (const node of nodes) {
        const ready = '{.status.conditions[?(@.type=="Ready")].status}';
        expect(await cluster.kubectl(['get', 'node', node, '-o', `jsonpath=${ready}`])).toBe('Unknown');
      }
    }, 60_000);
  }

  /** No scheduler takes them. */
  const unscheduled = { schedulerName: 'nobody' };
  const isFailed = ({ phase }: PodEvent): boolean => phase === 'Failed';
  const isDeleted = ({ type }: PodEvent): boolean => type === 'DELETED';
  const isRunning = ({ phase }: PodEvent): boolean => phase === 'Running';

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 5,
      controllerManagerFlags: [`--terminated-pod-gc-threshold=${THRESHOLD}`],
    });
    kubeconfig = await cluster.kubeconfig();
    log = new PodLog(cluster.api);
    await play();
  });
  afterAll(async () => {
    watching?.child.kill('SIGINT');
    log?.stop();
    await cluster?.stop();
  });

  async function play(): Promise<void> {
    // What finalizers hold is older than what has finished by itself.
    await create('sentinel', unscheduled, [HOLD]);
    await create('gone-a', { nodeName: 'node-1' });
    await create('gone-b', { nodeName: 'node-1' });
    await create('gone-held', { nodeName: 'node-1' }, [HOLD]);
    for (const node of ['node-2', 'node-3']) {
      await create(`${node}-deleting`, { nodeName: node, terminationGracePeriodSeconds: 600 });
      await create(`${node}-held`, { nodeName: node, terminationGracePeriodSeconds: 600 }, [HOLD]);
      await create(`${node}-live`, { nodeName: node });
      await create(`${node}-tolerant`, { nodeName: node, tolerations: [{ operator: 'Exists' }] });
    }
    await create('node-4-held', { nodeName: 'node-4' }, [HOLD]);
    await create('never-held', unscheduled, [HOLD]);
    await create('never-free', unscheduled);
    await create('never-live', unscheduled);
    await sleep(SECOND + 100);
    await create('done-z', { nodeName: 'node-5' });
    await sleep(SECOND + 100);
    const finished = ['done-a', 'done-b', 'done-c', 'done-late', 'evicted-a', 'evicted-b'];
    for (const name of finished) await create(name, { nodeName: 'node-5' });
    for (const name of ['gone-held', 'node-3-tolerant', 'node-4-held', 'done-z', ...finished]) {
      await log.until(name, isRunning);
    }
    watching = startTool(
      ['podgc', '-A', '-o', 'json', '--watch', `--terminated-pod-gc-threshold=${THRESHOLD}`],
      { kubeconfig, timeout: 300_000 },
    );

    await remove('sentinel');
    await Promise.all([cluster.stopKubelet('node-2'), cluster.stopKubelet('node-3')]);
    await silent('node-2', 'node-3');
    await cluster.kubectl(['delete', 'node', 'node-1']);
    for (const node of ['node-2', 'node-3']) {
      await Promise.all([remove(`${node}-deleting`), remove(`${node}-held`)]);
    }
    lost = await say();

    // A cycle is over: for what comes now there are 20 seconds.
    cycles.push((await log.until('sentinel', isFailed)).at);
    await Promise.all([
      taint('node-2', 'NoExecute'),
      taint('node-4', 'NoSchedule'),
      remove('node-4-held'),
      remove('never-held'),
      remove('never-free'),
      ...['done-z', 'done-a', 'done-b', 'done-c'].map(name => finish(name, { phase: 'Succeeded' })),
      ...['evicted-a', 'evicted-b'].map(name => finish(name, { phase: 'Failed', reason: 'Evicted' })),
    ]);
    await log.until('node-2-live', ({ deleting }) => deleting);
    tainted = await say();
    cycles.push((await log.until('never-held', isFailed)).at);
    await log.until('node-2-deleting', isDeleted);
    ended = await say();
    // Apart from what the cycle did, so that what is said in between can be told from it.
    await sleep(2 * SECOND);
    await finish('done-late', { phase: 'Failed' });
    late = await say();
    cycles.push((await log.until('gone-held', isFailed)).at);
    await log.until('gone-a', isDeleted);
    await log.until('gone-b', isDeleted);
    watching.child.kill('SIGINT');
    await watching.exit;
  }

  /** The documents that `--watch` printed, by when they were taken. */
  const watched = (): Answer[] =>
    watching
      .stdout()
      .split(/^(?=\{)/mu)
      .map(text => JSON.parse(text) as Answer);
  const takenAt = ({ basis }: Answer): number => Date.parse(basis.takenAt);

  const item = ({ answer }: Said, name: string): PodGcCandidateDocument | undefined =>
    answer.items.find(({ pod }) => pod.name === name);
  const due = ({ answer }: Said): PodGcCandidateDocument[] => answer.items.filter(each => each.due !== 'no');
  const names = (items: readonly PodGcCandidateDocument[]): string[] => items.map(({ pod }) => pod.name);

  /** When PodGC acted on a pod: the patch of its status, or where it had finished the deletion. */
  function actOn(name: string, said: Said): PodEvent | undefined {
    const before = log.of(name).findLast(({ at }) => at <= said.asked);
    const wasFinished = before?.phase === 'Failed' || before?.phase === 'Succeeded';
    return log.first(
      name,
      event => event.at > said.asked && (wasFinished ? event.deleting : event.phase === 'Failed'),
    );
  }

  function expectOnTime(said: Said, name: string): void {
    const { dueAt, dueBy } = item(said, name) ?? {};
    const at = actOn(name, said)?.at ?? Number.NaN;
    expect(Date.parse(dueBy ?? ''), `${name} is taken at the latest by`).toBeGreaterThanOrEqual(at - ROUNDED);
    if (dueAt === undefined) expect(at - said.asked, `${name} is taken within`).toBeLessThan(CYCLE + ROUNDED);
    else expect(Math.abs(Date.parse(dueAt) - at), `${name} is taken around`).toBeLessThanOrEqual(CYCLE);
  }

  it('is told before it happens', () => {
    const [first = 0, second = 0, third = 0] = cycles;
    expect(Date.parse(lost.answer.basis.takenAt)).toBeLessThan(third - CYCLE);
    expect(Date.parse(tainted.answer.basis.takenAt)).toBeLessThan(second);
    expect(Date.parse(late.answer.basis.takenAt)).toBeLessThan(third);
    // Cycles follow each other as the estimates have it.
    for (const length of [second - first, third - second]) {
      expect(length).toBeGreaterThan(CYCLE - SECOND);
      expect(length).toBeLessThan(CYCLE + 2 * SECOND);
    }
  });

  describe('a node deleted under running pods', () => {
    const pods = ['gone-a', 'gone-b', 'gone-held'];

    it('has its pods named, with the condition they get and what holds them', () => {
      for (const name of pods) {
        expect(item(lost, name)).toMatchObject({
          node: { kind: 'Node', name: 'node-1' },
          rule: 'Orphaned',
          due: 'at',
          conditionAdded: 'DisruptionTarget',
          heldBy: name === 'gone-held' ? [HOLD] : [],
        });
      }
    });

    it.each(pods)('%s is taken at the time that was told', name => {
      for (const said of [lost, tainted, ended, late]) expectOnTime(said, name);
      expect(actOn(name, lost)?.conditions).toContain('DisruptionTarget/DeletionByPodGC');
    });

    it('is not believed to be gone before 40 seconds are over', () => {
      const [first = 0, , third = 0] = cycles;
      expect(third - first).toBeGreaterThan(2 * CYCLE - SECOND);
    });
  });

  describe('a node that stops with terminating pods', () => {
    it('keeps them until it is tainted', () => {
      for (const name of ['node-2-deleting', 'node-2-held', 'node-3-deleting', 'node-3-held']) {
        expect(item(lost, name)).toMatchObject({ rule: 'OutOfService', due: 'no' });
        expect(item(lost, name)?.because).toContain('not tainted out-of-service');
      }
    });

    it('has those named that the taint would evict besides', () => {
      const node = lost.answer.nodes.find(each => each.node.name === 'node-2');
      expect(node).toMatchObject({ state: 'NotReady', pods: 4, deleting: 2 });
      expect(node?.evictable?.map(({ name }) => name)).toEqual(['node-2-live']);
    });

    it('has its deleting pods named once it is tainted, those that the taint evicted among them', () => {
      const pods = due(tainted).filter(({ rule }) => rule === 'OutOfService');
      expect(names(pods).sort()).toEqual(['node-2-deleting', 'node-2-held', 'node-2-live']);
      for (const pod of pods) expect(pod).toMatchObject({ due: 'now', node: { name: 'node-2' } });
    });

    it.each(['node-2-deleting', 'node-2-held', 'node-2-live'])('%s is taken in the next cycle', name => {
      expectOnTime(tainted, name);
      expect(actOn(name, tainted)?.conditions).not.toContain('DisruptionTarget/DeletionByPodGC');
      expect(log.isGone(name)).toBe(name !== 'node-2-held');
    });
  });

  describe('a pod deleted before it was scheduled', () => {
    it('is named while a finalizer holds it, and taken in the next cycle', () => {
      expect(item(tainted, 'never-held')).toMatchObject({
        rule: 'UnscheduledTerminating',
        due: 'now',
        heldBy: [HOLD],
      });
      expect(item(tainted, 'never-held')).not.toHaveProperty('node');
      expectOnTime(tainted, 'never-held');
    });

    it('needs no PodGC where nothing holds it', () => {
      expect(item(tainted, 'never-free')).toBeUndefined();
      expect(log.isGone('never-free')).toBe(true);
      expect(log.of('never-free').some(isFailed)).toBe(false);
    });
  });

  describe('more finished pods than the threshold', () => {
    const terminated = (said: Said): PodGcCandidateDocument[] =>
      due(said).filter(({ rule }) => rule === 'Terminated');
    const free = ({ heldBy }: PodGcCandidateDocument): boolean => heldBy.length === 0;

    it('are counted, those that PodGC has marked and finalizers hold among them', () => {
      expect(tainted.answer).toMatchObject({ threshold: THRESHOLD, thresholdAssumed: false });
      // Four that are done, two that were evicted, and the one that the first cycle marked.
      expect(tainted.answer.terminatedPods).toBe(7);
      expect(ended.answer.terminatedPods).toBe(7);
      expect(late.answer.terminatedPods).toBe(8);
    });

    it('go evicted ones first', () => {
      expect(names(terminated(tainted).filter(free))).toEqual(['evicted-a', 'evicted-b']);
      for (const name of ['evicted-a', 'evicted-b']) {
        expectOnTime(tainted, name);
        expect(log.isGone(name)).toBe(true);
      }
    });

    it('then stay while those beyond the threshold are ones that finalizers hold', () => {
      expect(terminated(ended).filter(free)).toEqual([]);
    });

    it('then go the oldest first', () => {
      expect(names(terminated(late).filter(free))).toEqual(['done-z']);
      expectOnTime(late, 'done-z');
      expect(log.isGone('done-z')).toBe(true);
      for (const name of ['done-a', 'done-b', 'done-c', 'done-late']) expect(log.isGone(name)).toBe(false);
    });

    it('are measured by the default where nobody says what the threshold is', async () => {
      const { code, stdout } = await runTool(['podgc', '-A', '-o', 'json'], { kubeconfig });
      const answer = JSON.parse(stdout) as Answer;
      expect(code).toBe(0);
      expect(answer).toMatchObject({ threshold: 12_500, thresholdAssumed: true });
      expect(answer.items.some(({ rule, due: when }) => rule === 'Terminated' && when !== 'no')).toBe(false);
    });
  });

  describe('pods that look alike', () => {
    it.each([
      ['node-3-deleting', 'not ready, but not tainted out-of-service'],
      ['node-3-held', 'not ready, but not tainted out-of-service'],
      ['node-4-held', 'tainted out-of-service, but ready'],
      ['node-2-tolerant', 'not being deleted'],
    ])('%s is told apart, and stays', (name, because) => {
      expect(item(tainted, name)).toMatchObject({ due: 'no' });
      expect(item(tainted, name)?.because).toContain(because);
      expect(log.isGone(name)).toBe(false);
      expect(log.of(name).some(isFailed)).toBe(false);
    });

    it('are not named where there is nothing to tell', () => {
      for (const said of [lost, tainted, ended, late]) {
        for (const name of ['node-3-live', 'never-live', 'done-c']) {
          expect(item(said, name)?.due ?? 'no').toBe('no');
        }
      }
    });
  });

  describe('told live', () => {
    const taken = [
      'gone-a',
      'gone-b',
      'gone-held',
      'node-2-deleting',
      'node-2-live',
      'never-held',
      'evicted-a',
      'done-z',
    ];

    it.each(taken)('%s is named until PodGC takes it, and never for a time that is too early', name => {
      const act = actOn(name, tainted)?.at ?? Number.NaN;
      const before = watched().filter(answer => takenAt(answer) < act - SECOND);
      const named = before.flatMap(({ items }) =>
        items.filter(({ pod, due: when }) => pod.name === name && when !== 'no'),
      );
      expect(before.at(-1)?.items.find(({ pod }) => pod.name === name)?.due).toMatch(/now|at/u);
      for (const { dueBy } of named) expect(Date.parse(dueBy ?? '')).toBeGreaterThanOrEqual(act - ROUNDED);
    });

    it('counts down more exactly once PodGC was seen to act', () => {
      const act = actOn('gone-a', tainted)?.at ?? Number.NaN;
      const [, second = 0] = cycles;
      const between = watched().filter(
        answer => takenAt(answer) > second + SECOND && takenAt(answer) < act - SECOND,
      );
      expect(between.length).toBeGreaterThan(0);
      for (const { items } of between) {
        const { dueAt } = items.find(({ pod }) => pod.name === 'gone-a') ?? {};
        expect(Math.abs(Date.parse(dueAt ?? '') - act)).toBeLessThan(5 * SECOND);
      }
    });

    it('names nothing for which nobody comes', () => {
      const end = log.of('gone-b').at(-1)?.at ?? 0;
      for (const answer of watched()) {
        for (const { pod, due: when, dueBy } of answer.items) {
          if (when === 'no' || Date.parse(dueBy ?? '') > end) continue;
          const before = log.of(pod.name).findLast(({ at }) => at <= takenAt(answer));
          // What finalizers hold is tried again in each cycle, which changes nothing that could be seen.
          if (before?.deleting === true && isFailed(before)) continue;
          expect(
            actOn(pod.name, { asked: takenAt(answer), answer }),
            `${pod.name} by ${dueBy}`,
          ).toBeDefined();
        }
      }
    });
  });

  it('takes the passes in the order in which they are named', () => {
    const order = due(tainted)
      .filter(each => each.due === 'now')
      .map(({ rule }) => rule);
    expect([...new Set(order)]).toEqual(['Terminated', 'OutOfService', 'UnscheduledTerminating']);
    const versions = (...pods: readonly string[]): number[] =>
      pods.map(name => actOn(name, tainted)?.version ?? Number.NaN);
    const evicted = versions('evicted-a', 'evicted-b');
    const outOfService = versions('node-2-deleting', 'node-2-held', 'node-2-live');
    expect(Math.max(...evicted)).toBeLessThan(Math.min(...outOfService));
    expect(Math.max(...outOfService)).toBeLessThan(Math.min(...versions('never-held')));
  });

  it('does nothing else', () => {
    const taken = log
      .names()
      .filter(
        name => log.isGone(name) && log.of(name).at(-1)!.at > (cycles[0] ?? 0) && name !== 'never-free',
      );
    const named = [lost, tainted, ended, late].flatMap(said => names(due(said)));
    expect(taken.filter(name => !named.includes(name))).toEqual([]);
    expect(taken.sort()).toEqual(
      ['done-z', 'evicted-a', 'evicted-b', 'gone-a', 'gone-b', 'node-2-deleting', 'node-2-live'].sort(),
    );
  });
});
