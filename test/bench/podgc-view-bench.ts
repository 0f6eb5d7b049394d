/**
 * Section `podgc`: what a change of one node costs the screen that shows the PodGC view of a large cluster, from the
 * batch that the source delivers to the lines of the next frame, and what the survey behind it takes of memory. Prints
 * its rows as JSON.
 */

import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import { ClusterModel } from '../../src/app/cluster/model.ts';
import { footerLine } from '../../src/app/screen/frame.ts';
import { tabLine, titleLine } from '../../src/app/screen/title.ts';
import { update } from '../../src/app/shell/update.ts';
import { layoutOf } from '../../src/app/state/layout.ts';
import type { Message } from '../../src/app/state/messages.ts';
import { initialState, type State } from '../../src/app/state/state.ts';
import { movesOf } from '../../src/app/views/lists.ts';
import { detailsLines } from '../../src/app/views/object-details.ts';
import { viewOf } from '../../src/app/views/registry.ts';
import { EndingIndex } from '../../src/graph/index/ending.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { NodeFacts, Taint } from '../../src/model/facts/facts.ts';
import { KubeObject } from '../../src/model/object.ts';
import { outOfServiceNodes } from '../../src/podgc/passes/select-pods.ts';
import { PodGcSurvey } from '../../src/podgc/survey/podgc-survey.ts';
import type { SourceInfo } from '../../src/source/source.ts';
import { plainScreen } from '../app/source-session.ts';
import type { Row } from './figures.ts';
import { NOW } from './generated-cluster.ts';
import { troubledBatches } from './troubled-cluster.ts';

const pods = 150_000;
const nodes = 5_000;
const rounds = 40;
/** Two of twelve objects of the generated cluster own the others. */
const objects = Math.round(pods * 1.2) + nodes;
/** Milliseconds between two frames of the screen. */
const FRAME_MS = 33;

const info: SourceInfo = {
  source: 'cluster',
  context: 'bench',
  namespace: 'ns-0',
  serverVersion: 'v1.36.3',
};

/** The screen's state machine alone, with everything drawn that a frame of 200×50 shows. */
class Screen {
  state: State;
  #now = NOW;

  constructor() {
    this.state = initialState({ options: plainScreen, columns: 200, rows: 50, now: NOW });
    this.send({ type: 'opened', info, cluster: new ClusterModel({ namespace: undefined }) });
    for (const batch of troubledBatches(objects, 200, nodes))
      this.send({ type: 'batch', batch: batch, now: NOW });
    this.send({ type: 'graphComplete', info });
    this.send({ type: 'factsComplete', info, diagnostics });
    while (this.cluster.prepareMore(NOW));
    this.send({ type: 'prepared' });
    while (this.cluster.problems?.judgeMore(1_000) === true);
    this.send({ type: 'judged' });
    this.send({ type: 'key', key: { text: '3' } });
    this.draw();
  }

  get cluster(): ClusterModel {
    const { cluster } = this.state;
    if (cluster === undefined) throw new Error('nothing was opened');
    return cluster;
  }

  send(message: Message): void {
    [this.state] = update(this.state, message);
  }

  draw(): number {
    const { state } = this;
    const { tree, details } = layoutOf(state);
    const list = viewOf(state).lines(state, tree?.width ?? state.columns);
    let drawn = titleLine(state).length + tabLine(state).length + footerLine(state, layoutOf(state)).length;
    for (const { spans } of list.rows(movesOf(state).top(state), tree?.height ?? state.rows))
      drawn += spans.length;
    return drawn + detailsLines(state, details?.width ?? state.columns).length;
  }

  /** Milliseconds from the delivery of these changes to the lines of the frame that shows them. */
  deliver(changes: readonly Change[]): number {
    this.#now += 1_000;
    const from = performance.now();
    this.send({ type: 'batch', batch: { changes }, now: this.#now });
    this.draw();
    return performance.now() - from;
  }

  tick(): number {
    this.#now += 1_000;
    const from = performance.now();
    this.send({ type: 'tick', now: this.#now });
    this.draw();
    return performance.now() - from;
  }
}

const outOfService: Taint = {
  key: outOfServiceNodes.key,
  value: 'nodeshutdown',
  effect: 'NoExecute',
  timeAdded: undefined,
};

function nodeAs(node: KubeObject, status: string, taints: readonly Taint[]): KubeObject {
  const condition = { type: 'Ready', status, reason: '', message: '', since: NOW };
  const facts: NodeFacts = { kind: 'Node', unschedulable: false, taints, conditions: [condition] };
  return new KubeObject({ ...node, facts });
}

function upsert(object: KubeObject): Change {
  return { op: 'upsert', object };
}

const screen = new Screen();
const { view } = screen.cluster;
const all = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
const nodeObjects = all.filter(({ facts }) => facts?.kind === 'Node');
const steps = ['not ready', 'tainted', 'removed', 'back'] as const;
const samples = new Map<string, number[]>([...steps, 'second'].map(name => [name, []]));
// One round more: the first one compiles.
for (let round = 0; round <= rounds; round++) {
  const node = nodeObjects[(round * 7919) % nodeObjects.length];
  if (node === undefined) throw new Error('no nodes');
  const before = screen.cluster.podGc?.counts().due ?? 0;
  const times: Record<string, number> = {
    'not ready': screen.deliver([upsert(nodeAs(node, 'Unknown', []))]),
    tainted: screen.deliver([upsert(nodeAs(node, 'Unknown', [outOfService]))]),
    removed: screen.deliver([{ op: 'delete', uid: node.uid, type: node.type }]),
    second: screen.tick(),
  };
  const due = screen.cluster.podGc?.counts().due ?? 0;
  if (due <= before) throw new Error('the pods of the node that went are missing');
  times['back'] = screen.deliver([upsert(node)]);
  if (screen.cluster.podGc?.counts().due !== before) throw new Error('pods of a node that is back are due');
  if (round > 0) for (const [name, time] of Object.entries(times)) samples.get(name)?.push(time);
}

function megabytes(make: () => unknown): number[] {
  const sizes: number[] = [];
  const kept: unknown[] = [];
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    kept.push(make());
    globalThis.gc?.();
    sizes.push((process.memoryUsage().heapUsed - before) / 2 ** 20);
  }
  return kept.length === sizes.length ? sizes : [];
}

function milliseconds(make: () => unknown): number[] {
  return Array.from({ length: 5 }, () => {
    const from = performance.now();
    return make() === undefined ? Number.NaN : performance.now() - from;
  });
}

const makeSurvey = (): unknown => new PodGcSurvey(view, { now: NOW });
const makeIndex = (): unknown => new EndingIndex(view.graph.nodes());

const words: Readonly<Record<string, string>> = {
  'not ready': 'PodGC view, 150,000 pods on 5,000 nodes: a node is not ready any more',
  tainted: '— it is tainted out-of-service',
  removed: '— it is removed',
  second: '— the next second of the countdown',
  back: '— it is back',
};
const rows: Row[] = [...samples].map(([name, times]) => ({
  what: words[name] ?? name,
  unit: 'ms',
  values: times,
  reach: `${FRAME_MS} ms`,
  limit: FRAME_MS,
}));
rows.push({ what: '— once: the survey', unit: 'ms', values: milliseconds(makeSurvey) });
rows.push({ what: '— once: the pods of each node', unit: 'ms', values: milliseconds(makeIndex) });
if (globalThis.gc !== undefined) {
  rows.push({ what: '— memory of the survey', unit: 'MB', values: megabytes(makeSurvey) });
  rows.push({ what: '— memory of the pods of each node', unit: 'MB', values: megabytes(makeIndex) });
}

process.stdout.write(JSON.stringify(rows));
