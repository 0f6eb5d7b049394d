/**
 * A cluster of any size that exists in memory alone: for measuring the screen, and for tests that need to say
 * what happens when. Deterministic.
 */
import type { Change, SourceBatch } from '../../src/model/exchange/changes.ts';
import type { ReadPlan } from '../../src/model/exchange/reads.ts';
import type { PodFacts } from '../../src/model/facts/facts.ts';
import { KubeObject, type ObjectInit, type ResourceVersion, type Uid } from '../../src/model/object.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import type { JsonObject, Source, SourceInfo } from '../../src/source/source.ts';

export interface SyntheticOptions {
  /** About how many objects: every sixth is a Deployment or ReplicaSet, the others are Pods. */
  readonly objects: number;
  readonly namespaces?: number;
  /** Changes a second after everything is listed. */
  readonly eventsPerSecond?: number;
  /** Milliseconds after which the connection is lost, and after which it is back. */
  readonly lostAfter?: number;
  readonly backAfter?: number;
  readonly hostile?: boolean;
  /** A namespace: only once it is preferred the rest comes behind the namespace that is read first. */
  readonly restAfter?: string;
  /** Namespaces `stuck-0` and so on, being deleted, each with a ConfigMap that a finalizer without a handler holds. */
  readonly stuck?: number;
  /** Namespaces can't be listed. */
  readonly hidesNamespaces?: boolean;
}

function resourceType(kind: string, group: string, namespaced = true): ResourceType {
  const singular = kind.toLowerCase();
  return {
    group,
    version: 'v1',
    apiVersion: group === '' ? 'v1' : `${group}/v1`,
    kind,
    resource: `${singular}s`,
    singular,
    shortNames: [],
    categories: [],
    namespaced,
    verbs: ['delete', 'list', 'watch', 'get'],
    preferred: true,
  };
}

export const types = {
  namespace: resourceType('Namespace', '', false),
  pod: resourceType('Pod', ''),
  replicaSet: resourceType('ReplicaSet', 'apps'),
  deployment: resourceType('Deployment', 'apps'),
} as const;

/** Without objects, but known: what they could hold or handle is certain. */
const otherTypes = builtInTypes.filter(
  ({ kind, ...type }) =>
    ResourceType.isMonitored({ kind, ...type }) &&
    kind !== 'Node' &&
    !Object.values(types).some(known => known.kind === kind),
);
const configMap = otherTypes.find(({ kind }) => kind === 'ConfigMap');

const START = Date.UTC(2026, 0, 1);

export function object(
  init: Omit<ObjectInit, 'uid' | 'resourceVersion'> & { readonly uid: string },
): KubeObject {
  return new KubeObject({
    creationTimestamp: START,
    ...init,
    uid: init.uid as Uid,
    resourceVersion: '1' as ResourceVersion,
  });
}

export function ownedBy(owner: KubeObject) {
  return {
    apiVersion: owner.type.apiVersion,
    kind: owner.type.kind,
    name: owner.name,
    uid: owner.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

function podFacts(nodeName: string, phase = 'Running'): PodFacts {
  return {
    kind: 'Pod',
    phase,
    reason: '',
    nodeName,
    terminationGracePeriodSeconds: 30,
    containers: 1,
    readyContainers: 1,
    restarts: 0,
    containerReason: '',
    claims: [],
    ephemeralVolumes: [],
    nodeSelector: [],
    hasEmptyDir: false,
    schedulingGroup: '',
    tolerations: [],
    managerFlags: [],
    conditions: [],
  };
}

const PODS = 5;

/** Long enough ago to be stuck. */
const ENDED = START + 3_600_000;

function* stuckNamespaces(count: number): Generator<KubeObject> {
  const deletionTimestamp = ENDED;
  for (let i = 0; i < count; i++) {
    const namespace = `stuck-${i}`;
    yield object({
      type: types.namespace,
      name: namespace,
      uid: `ns-${namespace}`,
      deletionTimestamp,
      facts: { kind: 'Namespace', phase: 'Terminating', specFinalizers: ['kubernetes'], conditions: [] },
    });
    if (configMap === undefined) continue;
    const uid = `held-${namespace}`;
    yield object({
      type: configMap,
      namespace,
      name: 'held',
      uid,
      finalizers: ['example.com/drain'],
      deletionTimestamp,
    });
  }
}

export function* population(options: SyntheticOptions): Generator<KubeObject> {
  const { objects, namespaces = 20, hostile, stuck = 0 } = options;
  yield* stuckNamespaces(stuck);
  for (let i = 0; i < namespaces; i++) {
    yield object({ type: types.namespace, name: `team-${i}`, uid: `ns-${i}` });
  }
  if (hostile === true) {
    yield object({
      type: types.pod,
      namespace: 'team-0',
      name: 'evil\u001B[2J\u001B]0;owned\u0007\u202Etxt\nline',
      uid: 'evil',
      labels: ['a', '\u001B[31mred\u001B[0m'],
    });
  }
  for (let app = 0; app * (PODS + 2) < objects; app++) {
    const namespace = `team-${app % namespaces}`;
    const labels = ['app', `app-${app}`];
    const deployment = object({
      type: types.deployment,
      namespace,
      name: `app-${app}`,
      uid: `d-${app}`,
      labels,
    });
    const replicaSet = object({
      type: types.replicaSet,
      namespace,
      name: `app-${app}-658b5b55dd`,
      uid: `r-${app}`,
      owners: [ownedBy(deployment)],
      labels,
    });
    yield deployment;
    yield replicaSet;
    for (let n = 0; n < PODS; n++) yield pod(replicaSet, app, n);
  }
}

function pod(replicaSet: KubeObject, app: number, n: number, phase?: string): KubeObject {
  return object({
    type: types.pod,
    namespace: replicaSet.namespace,
    name: `app-${app}-658b5b55dd-${n}`,
    uid: `p-${app}-${n}`,
    owners: [ownedBy(replicaSet)],
    labels: ['app', `app-${app}`],
    facts: podFacts(`node-${(app + n) % 50}`, phase),
  });
}

export class SyntheticSource implements Source {
  readonly info: SourceInfo = {
    source: 'cluster',
    context: 'test',
    namespace: 'team-0',
    serverVersion: 'v1.36.3',
  };
  readonly graphComplete: Promise<void>;
  readonly factsComplete: Promise<void>;
  readonly #options: SyntheticOptions;
  readonly #completed = Promise.withResolvers<undefined>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly prefer?: (namespace: string) => void;
  #listener: (batch: SourceBatch) => void = () => undefined;
  #deliverRest = (): void => undefined;
  /** Where everything was delivered ahead of the rest. */
  readonly #ahead = new Set<string>();

  constructor(options: SyntheticOptions) {
    this.#options = options;
    if (options.restAfter !== undefined) this.prefer = namespace => this.#deliverAhead(namespace);
    this.graphComplete = this.#completed.promise;
    this.factsComplete = this.#completed.promise;
  }

  start(listener: (batch: SourceBatch) => void, { first }: ReadPlan = {}): Promise<void> {
    const { restAfter } = this.#options;
    this.#listener = listener;
    const others = this.#options.stuck === undefined ? [] : otherTypes;
    const all = [...Object.values(types), ...others];
    const status = (state: 'listing' | 'synced') =>
      all.map(type =>
        this.#options.hidesNamespaces === true && type === types.namespace
          ? ({ type, state: 'blind', count: 0, facts: false, reason: 'forbidden' } as const)
          : { type, state, count: 0, facts: state === 'synced' },
      );
    listener({ changes: [], types: all, statuses: status('listing'), connection: { state: 'live' } });
    if (restAfter !== undefined && first !== undefined) this.#deliverAhead(first);
    const objects = population(this.#options);
    const deliver = (): void => {
      const changes: Change[] = [];
      while (changes.length < 2_000) {
        const { value, done } = objects.next();
        if (done === true) {
          listener({ changes, statuses: status('synced') });
          this.#completed.resolve(undefined);
          this.#live();
          return;
        }
        if (this.#options.hidesNamespaces !== true || value.type !== types.namespace)
          changes.push({ op: 'upsert', object: value });
      }
      listener({ changes });
      this.#later(0, deliver);
    };
    if (restAfter === undefined) this.#later(0, deliver);
    else this.#deliverRest = deliver;
    return Promise.resolve();
  }

  #deliverAhead(namespace: string): void {
    if (namespace === this.#options.restAfter) this.#deliverRest();
    this.#ahead.add(namespace);
    const changes = [...population(this.#options)]
      .filter(object => object.namespace === namespace || !object.type.namespaced)
      .map(object => ({ op: 'upsert', object }) as const);
    const statuses = Object.values(types)
      .filter(type => type.namespaced)
      .map(
        type => ({ type, state: 'listing', count: 0, facts: true, namespaces: [...this.#ahead] }) as const,
      );
    this.#listener({ changes, statuses });
  }

  #later(milliseconds: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, milliseconds);
    this.#timers.add(timer);
  }

  #live(): void {
    const { eventsPerSecond = 0, lostAfter, backAfter, objects } = this.#options;
    if (lostAfter !== undefined) {
      this.#later(lostAfter, () =>
        this.#listener({
          changes: [],
          connection: { state: 'lost', reason: 'connection refused', since: Date.now() },
        }),
      );
    }
    if (backAfter !== undefined) {
      this.#later(backAfter, () => this.#listener({ changes: [], connection: { state: 'live' } }));
    }
    if (eventsPerSecond === 0) return;
    const apps = Math.max(1, Math.floor(objects / (PODS + 2)));
    let turn = 0;
    const churn = (): void => {
      const changes: Change[] = [];
      for (let i = 0; i < eventsPerSecond / 100; i++) {
        turn += 1;
        const app = (turn * 7919) % apps;
        const namespace = `team-${app % (this.#options.namespaces ?? 20)}`;
        const owner = object({
          type: types.replicaSet,
          namespace,
          name: `app-${app}-658b5b55dd`,
          uid: `r-${app}`,
        });
        const changed = pod(owner, app, turn % PODS, turn % 2 === 0 ? 'Pending' : 'Running');
        // Now and then an object goes, and comes back a little later.
        if (turn % 5 === 0) changes.push({ op: 'delete', uid: changed.uid, type: changed.type });
        else changes.push({ op: 'upsert', object: changed });
      }
      this.#listener({ changes });
      this.#later(10, churn);
    };
    churn();
  }

  get(type: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
    return Promise.resolve({ apiVersion: type.apiVersion, kind: type.kind, metadata: { namespace, name } });
  }

  close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    return Promise.resolve();
  }
}
