/**
 * One run on a real control plane in which each of PodGC's rules has pods to take and pods that only look like them,
 * with what the tool said at its moments. Apart from the tests, which only hold what was said to what happened.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Plan, PodGCCandidateList } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { DEAD_KUBELET_SHOWS_SOON, KUBELET_LABEL } from '../../harness/processes/layout.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { eventually } from '../eventually.ts';
import { openTool, type RunningTool, runTool, startTool } from '../tool.ts';
import { type PodEvent, PodLog } from './pod-log.ts';

export const THRESHOLD = 4;
export const HOLD = 'example.com/hold';
export const SECOND = 1_000;

export type Answer = PodGCCandidateList;

/** A document, and when it was asked for in milliseconds since the epoch. */
export interface Said<T> {
  readonly asked: number;
  readonly answer: T;
}

/** Rows of the screen, and when they were read in milliseconds since the epoch. */
export interface Shown {
  readonly at: number;
  readonly rows: readonly string[];
}

const flag = `--terminated-pod-gc-threshold=${THRESHOLD}`;
/** No scheduler takes such pods. */
const unscheduled = { schedulerName: 'nobody' };

/** Milliseconds between two requests that tell how slow the machine is. */
const ASK_EVERY = 250;

export const isFailed = ({ phase }: PodEvent): boolean => phase === 'Failed';
const isDeleted = ({ type }: PodEvent): boolean => type === 'DELETED';
const isRunning = ({ phase }: PodEvent): boolean => phase === 'Running';

const node6 = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-6', labels: { 'kubernetes.io/hostname': 'node-6', [KUBELET_LABEL]: 'running' } },
};

function pathOf(name: string): string {
  return `/api/v1/namespaces/default/pods/${name}`;
}

export class PodGcStory {
  readonly log: PodLog;
  /**
   * Three of PodGC's cycles in a row, by when something that each did was seen. What is in quarantine from the first on
   * is taken in the third, or in the one after that: both are timers of the same length, and either may be first.
   */
  readonly cycles: number[] = [];
  /** By what has happened last. */
  readonly said = new Map<string, Said<Answer>>();
  /** By the node that they are about. */
  readonly planned = new Map<string, Said<Plan>>();
  readonly shown = new Map<string, Shown>();
  /** Milliseconds that one request took at most while the story was played: how late anything may be here. */
  slowest = 0;
  #isOver = false;
  readonly #cluster: Cluster;
  readonly #kubeconfig: string;
  readonly #watching: RunningTool;
  readonly #screen: Terminal;

  private constructor(cluster: Cluster, kubeconfig: string, log: PodLog) {
    this.#cluster = cluster;
    this.#kubeconfig = kubeconfig;
    this.log = log;
    const options = { kubeconfig };
    this.#watching = startTool(['podgc', '-A', '-o', 'json', '--watch', flag], options);
    this.#screen = openTool(['-A', flag], { kubeconfig, cols: 160, rows: 45 });
  }

  /** Resolves when everything has happened, after about 100 seconds. */
  static async play(): Promise<PodGcStory> {
    const cluster = await startControlPlane({
      nodes: 6,
      controllerManagerFlags: [flag, DEAD_KUBELET_SHOWS_SOON],
    });
    const log = new PodLog(cluster.api);
    let story: PodGcStory | undefined;
    try {
      await createPods(cluster, log);
      // It takes longest until the silence of a node is noticed.
      await Promise.all([cluster.stopKubelet('node-2'), cluster.stopKubelet('node-3')]);
      await createFinishing(cluster, log);
      story = new PodGcStory(cluster, await cluster.kubeconfig(), log);
      await story.#run();
      return story;
    } catch (error) {
      await (story?.stop() ?? cluster.stop());
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#watching.child.kill('SIGINT');
    this.log.stop();
    await this.#screen.close();
    await this.#cluster.stop();
  }

  /** What `--watch` printed. */
  watched(): readonly Answer[] {
    const texts = this.#watching.stdout().split(/^(?=\{)/mu);
    return texts.map(text => JSON.parse(text) as Answer);
  }

  async document<T>(words: readonly string[]): Promise<Said<T>> {
    const asked = Date.now();
    const { code, stdout, stderr } = await runTool([...words, '-o', 'json'], {
      kubeconfig: this.#kubeconfig,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return { asked, answer: JSON.parse(stdout) as T };
  }

  async #say(moment: string): Promise<void> {
    this.said.set(moment, await this.document<Answer>(['podgc', '-A', flag]));
  }

  async #plan(node: string, ...words: readonly string[]): Promise<void> {
    this.planned.set(node, await this.document<Plan>(['plan', ...words]));
  }

  /** What the screen shows once it shows `expected`. */
  async #show(moment: string, expected: RegExp): Promise<void> {
    await this.#screen.waitFor(expected);
    this.shown.set(moment, { at: Date.now(), rows: this.#screen.screen() });
  }

  #remove(name: string): Promise<unknown> {
    return this.#cluster.api.json({ method: 'DELETE', path: pathOf(name) });
  }

  #finish(name: string, status: object): Promise<unknown> {
    const contentType = 'application/merge-patch+json';
    return this.#cluster.api.json({
      method: 'PATCH',
      path: `${pathOf(name)}/status`,
      contentType,
      body: { status },
    });
  }

  #taint(node: string, effect: string): Promise<unknown> {
    return this.#cluster.kubectl([
      'taint',
      'node',
      node,
      `node.kubernetes.io/out-of-service=shutdown:${effect}`,
    ]);
  }

  async #silent(...nodes: readonly string[]): Promise<void> {
    const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
    await eventually(async () => {
      for (const node of nodes)
        expect(await this.#cluster.kubectl(['get', 'node', node, '-o', ready])).toBe('Unknown');
    });
  }

  async #cycle(name: string, isDone = isFailed): Promise<void> {
    this.cycles.push((await this.log.until(name, isDone)).at);
  }

  /** What the running command has printed last, once that is up to date: another one would take long to start. */
  async #sayWatched(moment: string, gone: readonly string[]): Promise<void> {
    const answer = await eventually(() => {
      const last = this.watched().at(-1) ?? expect.unreachable('nothing was printed');
      expect(last.terminatedPods).toBe(this.log.names().filter(name => this.log.isFinished(name)).length);
      expect(last.items.filter(({ pod }) => gone.includes(pod.name))).toEqual([]);
      return last;
    });
    this.said.set(moment, { asked: Date.now(), answer });
  }

  /**
   * Resolves when a cycle is just over, so that there are 20 seconds until the next: what is done and said in them is
   * meant to come between two cycles, however long it took to get here.
   */
  async #beat(): Promise<void> {
    await creator(this.#cluster)('beat', unscheduled, [HOLD]);
    await this.#remove('beat');
    await this.log.until('beat', isFailed);
    // It is one of the finished pods until it is gone.
    const contentType = 'application/merge-patch+json';
    const body = { metadata: { finalizers: null } };
    await this.#cluster.api.json({ method: 'PATCH', path: pathOf('beat'), contentType, body });
    await this.log.until('beat', isDeleted);
  }

  async #watchSlowness(): Promise<void> {
    while (!this.#isOver) {
      const asked = Date.now();
      await this.#cluster.api.send({ path: pathOf('sentinel') });
      this.slowest = Math.max(this.slowest, Date.now() - asked);
      await sleep(ASK_EVERY);
    }
  }

  async #run(): Promise<void> {
    const { log } = this;
    const cluster = this.#cluster;
    await this.#screen.waitFor(/live/u);
    this.#screen.send('3');
    await this.#plan('node-1', 'delete', 'node/node-1');
    await this.#silent('node-2', 'node-3');
    for (const node of ['node-2', 'node-3']) {
      await Promise.all([this.#remove(`${node}-deleting`), this.#remove(`${node}-held`)]);
    }
    await this.#plan('node-2', 'taint', 'node/node-2', 'out-of-service');
    const slowness = this.#watchSlowness();
    await this.#beat();
    // What happens close to a cycle may belong to it or to the next, for all that can be seen from outside.
    await sleep(5 * SECOND);

    // The cycle that marks the sentinel is the one that misses the node first.
    await Promise.all([
      this.#remove('sentinel'),
      cluster.api.json({ method: 'DELETE', path: '/api/v1/nodes/node-1' }),
      cluster.api.json({ method: 'DELETE', path: '/api/v1/nodes/node-6' }),
    ]);
    await Promise.all([this.#say('lost'), this.#show('lost', /Orphaned \(4\)[^]*Not deleted \(4\)/u)]);

    // In quarantine, or about to be.
    await cluster.api.json({ method: 'POST', path: '/api/v1/nodes', body: node6 });

    // A cycle is over: for what comes now there are 20 seconds.
    await this.#cycle('sentinel');
    await Promise.all([
      this.#taint('node-2', 'NoExecute'),
      this.#taint('node-4', 'NoSchedule'),
      this.#remove('node-4-held'),
      this.#remove('never-held'),
      this.#remove('never-free'),
      ...['done-z', 'done-a', 'done-b', 'done-c'].map(name => this.#finish(name, { phase: 'Succeeded' })),
      ...['evicted-a', 'evicted-b'].map(name => this.#finish(name, { phase: 'Failed', reason: 'Evicted' })),
    ]);
    await log.until('node-2-live', ({ deleting }) => deleting);
    await Promise.all([
      this.#say('tainted'),
      this.#show('tainted', /OutOfService \(3\)[^]*UnscheduledTerminating \(1\)[^]*but ready/u),
    ]);

    await this.#cycle('never-held');
    const taken = ['evicted-a', 'evicted-b', 'node-2-deleting', 'node-2-live'];
    for (const name of taken) await log.until(name, isDeleted);
    await this.#sayWatched('ended', taken);
    // Apart from what the cycle did, so that what is said in between can be told from it.
    await sleep(2 * SECOND);
    await this.#finish('done-late', { phase: 'Failed' });
    await Promise.all([this.#say('late'), this.#show('late', /done-z/u)]);

    await this.#cycle('done-z', isDeleted);
    await log.until('gone-held', isFailed);
    for (const name of ['gone-a', 'gone-b']) await log.until(name, isDeleted);
    await this.#screen.waitFor(rows => !rows.some(row => /gone-[ab]|done-z/u.test(row)));
    this.shown.set('over', { at: Date.now(), rows: this.#screen.screen() });
    this.#isOver = true;
    await slowness;
    this.#watching.child.kill('SIGINT');
    await this.#watching.exit;
  }
}

type Create = (name: string, spec: object, finalizers?: readonly string[]) => Promise<unknown>;

function creator({ api }: Cluster): Create {
  return (name, spec, finalizers = []) => {
    const containers = [{ name: 'app', image: 'example.com/app:1' }];
    const metadata = { name, finalizers };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } };
    return api.json({ method: 'POST', path: pathOf(''), body });
  };
}

/** Resolves when all that have a node run. */
async function createPods(cluster: Cluster, log: PodLog): Promise<void> {
  const create = creator(cluster);
  for (const node of ['node-2', 'node-3']) {
    const patient = { nodeName: node, terminationGracePeriodSeconds: 600 };
    await create(`${node}-deleting`, patient);
    await create(`${node}-held`, patient, [HOLD]);
    await create(`${node}-live`, { nodeName: node });
    await create(`${node}-tolerant`, { nodeName: node, tolerations: [{ operator: 'Exists' }] });
  }
  await create('gone-a', { nodeName: 'node-1' });
  await create('gone-b', { nodeName: 'node-1' });
  await create('gone-held', { nodeName: 'node-1' }, [HOLD]);
  await create('back', { nodeName: 'node-6' });
  await create('node-4-held', { nodeName: 'node-4' }, [HOLD]);
  await running(log);
  await create('sentinel', unscheduled, [HOLD]);
  await create('never-held', unscheduled, [HOLD]);
  await create('never-free', unscheduled);
  await create('never-live', unscheduled);
}

/** Younger than what finalizers hold. Ages count in whole seconds, and names where they are equal. */
async function createFinishing(cluster: Cluster, log: PodLog): Promise<void> {
  const create = creator(cluster);
  await sleep(SECOND + 100);
  await create('done-z', { nodeName: 'node-5' });
  await sleep(SECOND + 100);
  const finished = ['done-a', 'done-b', 'done-c', 'done-late', 'evicted-a', 'evicted-b'];
  for (const name of finished) await create(name, { nodeName: 'node-5' });
  await running(log);
}

async function running(log: PodLog): Promise<void> {
  for (const name of log.names()) if (!/^(sentinel|never)/u.test(name)) await log.until(name, isRunning);
}
