/**
 * Measures a recording of an hour at 100 changes a second: its size, how long it takes to open, and how long any moment of
 * it takes, from the file to the graph. `node test/bench/recording-bench.ts [pods] [changes a second]`.
 */
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import { ClusterModel } from '../../src/app/cluster/model.ts';
import { TimelineRunner } from '../../src/app/session/timeline.ts';
import { update } from '../../src/app/shell/update.ts';
import { initialState } from '../../src/app/state/state.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { PodFacts } from '../../src/model/facts/facts.ts';
import type { KubeObject, ResourceVersion, Uid } from '../../src/model/object.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { ReplaySource } from '../../src/source/recording/replay-source.ts';
import { RecordingWriter } from '../../src/source/recording/writer.ts';
import { plainScreen } from '../app/source-session.ts';
import { median } from './figures.ts';
import { Maker, NOW, served, synced } from './generated-cluster.ts';

const [pods = 10_000, rate = 100] = process.argv.slice(2).map(Number);
const SECONDS = 3_600;
const PODS_OF_DEPLOYMENT = 5;

/** As random as the API server's, which don't compress. */
function uidOf(number: number): Uid {
  const hex = createHash('md5').update(String(number)).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/u, '$1-$2-$3-$4-') as Uid;
}

function cluster(): KubeObject[] {
  const maker = new Maker();
  maker.nodesAndNamespaces();
  for (let i = 0; i < pods / PODS_OF_DEPLOYMENT; i++)
    maker.deployment(`ns-${i % 100}`, `web-${i}`, PODS_OF_DEPLOYMENT);
  const uids = new Map(maker.objects.map(({ uid }, i) => [uid, uidOf(i)]));
  const known = (uid: Uid): Uid => uids.get(uid) ?? uid;
  return maker.objects.map((object, i) =>
    object.with({
      uid: known(object.uid),
      creationTimestamp: NOW - i * 7_919_000,
      owners: object.owners.map(owner => ({ ...owner, uid: known(owner.uid) })),
    }),
  );
}

/** What happens most in clusters: pods come, change three times and go, and workloads count them. */
class Churn {
  readonly #random = new Random(1);
  readonly #objects: KubeObject[];
  #version = 1_000_000;
  #made = 1_000_000;
  changes = 0;

  constructor(objects: readonly KubeObject[]) {
    this.#objects = [...objects];
  }

  next(now: number): Parameters<RecordingWriter['add']>[0]['changes'] {
    this.changes += 1;
    this.#version += 1 + this.#random.below(3);
    const at = this.#random.below(this.#objects.length);
    const object = this.#objects[at];
    if (object === undefined) return [];
    const resourceVersion = String(this.#version) as ResourceVersion;
    if (object.type.kind === 'Pod' && this.#random.below(5) === 0) {
      const name = `${object.name.replace(/-[^-]*$/u, '')}-${this.#made.toString(36)}`;
      const made = object.with({ name, uid: uidOf(this.#made++), resourceVersion, creationTimestamp: now });
      this.#objects[at] = made;
      this.changes += 1;
      return [
        { op: 'delete', uid: object.uid, type: object.type },
        { op: 'upsert', object: made },
      ];
    }
    const changed = object.with({ resourceVersion, facts: this.#changedFacts(object, now) });
    this.#objects[at] = changed;
    return [{ op: 'upsert', object: changed }];
  }

  #changedFacts({ facts }: KubeObject, now: number): KubeObject['facts'] {
    if (facts?.kind === 'Workload') return { ...facts, ready: this.#random.below(facts.desired + 1) };
    if (facts?.kind !== 'Pod') return facts;
    const ready = this.#random.below(2);
    const conditions = facts.conditions.map(each =>
      each.type === 'Ready' && ready === 0 ? { ...each, status: 'False', since: now } : each,
    );
    return { ...facts, readyContainers: ready, conditions } satisfies PodFacts;
  }
}

function write(file: string): { bytes: number; objects: number; changes: number; seconds: number } {
  const descriptor = openSync(file, 'w');
  const begun = process.cpuUsage();
  const writer = new RecordingWriter(bytes => writeSync(descriptor, bytes), {
    tool: 'bench',
    startedAt: NOW,
    context: 'bench',
    namespace: 'default',
    serverVersion: 'v1.36.3',
    namespaces: undefined,
  });
  const objects = cluster();
  writer.add(served, NOW);
  writer.add({ ...synced, changes: objects.map(object => ({ op: 'upsert', object })) }, NOW);
  const churn = new Churn(objects);
  const step = 1_000 / rate;
  for (let i = 0; churn.changes < SECONDS * rate; i++) {
    const now = NOW + Math.round(churn.changes * step);
    writer.add({ changes: churn.next(now) }, now);
  }
  writer.end(NOW + SECONDS * 1_000);
  closeSync(descriptor);
  const { user, system } = process.cpuUsage(begun);
  return {
    bytes: writer.bytes,
    objects: writer.objects,
    changes: churn.changes,
    seconds: (user + system) / 1e6,
  };
}

/** Milliseconds. */
function timed<T>(use: () => T): { took: number; value: T } {
  const begun = performance.now();
  const value = use();
  return { took: performance.now() - begun, value };
}

/** To moments back and forth, with what led to each, until everything but findings is there: see `TimelineRunner`. */
function seekTimes(file: string, moments: readonly number[]): number[] {
  const source = new ReplaySource({ file });
  let soon: () => void = () => {};
  let state = initialState({ options: plainScreen, columns: 200, rows: 50, now: NOW });
  const runner = new TimelineRunner({
    ports: { now: () => NOW, after: () => () => {}, soon: run => ((soon = run), () => {}) },
    getState: () => state,
    source: () => source,
    dispatch: message => ([state] = update(state, message)),
    describe: String,
  });
  const cluster = new ClusterModel({ namespace: undefined });
  state = { ...state, cluster, info: source.info };
  cluster.startDiagnosis(diagnostics, NOW);
  while (cluster.prepareMore(NOW));
  const times = moments.map(at => {
    runner.seek(at);
    return timed(() => soon()).took;
  });
  if (state.info?.takenAt !== moments.at(-1)) throw new Error('another moment is shown');
  return times;
}

const folder = mkdtempSync(path.join(tmpdir(), 'recording-bench-'));
try {
  const file = path.join(folder, 'hour.gctree');
  const { bytes, objects, changes, seconds } = write(file);
  const opened = timed(() => new ReplaySource({ file }));
  const { recording } = opened.value;
  const random = new Random(7);
  const moments = Array.from({ length: 25 }, () => NOW + random.below(SECONDS * 1_000));
  const states = moments.map(at => timed(() => recording.stateAt(at)));
  const graphs: number[] = [];
  for (const at of moments.slice(0, 7)) {
    const source = new ReplaySource({ file, at: () => at });
    const view = new ClusterView();
    const begun = performance.now();
    await source.start(batch => view.apply(batch, at));
    graphs.push(performance.now() - begun);
    await source.close();
  }
  const sought = seekTimes(file, moments);
  recording.close();
  const took = states.map(each => each.took);
  console.log(
    `${objects} objects, ${changes} changes in an hour, written in ${seconds.toFixed(1)} s of processor time`,
  );
  console.log(`size            ${(bytes / 1e6).toFixed(1)} MB`);
  console.log(`opened          ${opened.took.toFixed(1)} ms`);
  console.log(
    `any moment      median ${median(took).toFixed(0)} ms, longest ${Math.max(...took).toFixed(0)} ms`,
  );
  console.log(
    `with its graph  median ${median(graphs).toFixed(0)} ms, longest ${Math.max(...graphs).toFixed(0)} ms`,
  );
  console.log(
    `on the screen   median ${median(sought).toFixed(0)} ms, longest ${Math.max(...sought).toFixed(0)} ms`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
