/**
 * A simulated cluster to act on, with a journal in a temporary folder and a clock that only moves when somebody
 * waits: what a live cluster, a disk and the time are to the product.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { Journal } from '../../src/actions/journal/action-journal.ts';
import { actionRun } from '../../src/actions/run/action-run.ts';
import type { ActingSource, RunEvent, RunPorts } from '../../src/actions/run/run-ports.ts';
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../src/diagnosis/engine/diagnosis.ts';
import { offeredRemedies } from '../../src/diagnosis/offers/offered-remedies.ts';
import { remediesForMany } from '../../src/diagnosis/offers/remedies-for-many.ts';
import type { ApplicableRemedy, Cascade, DeleteAction, UnblockAction } from '../../src/forecast/action.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import type { ActAnswer, ActRequest } from '../../src/model/exchange/act.ts';
import { record } from '../../src/model/json/json.ts';
import { KubeObject, type ResourceVersion, type Uid } from '../../src/model/object.ts';
import { objectJson } from '../../src/model/object-json.ts';
import { restRequests } from '../../src/simulation/api/rest.ts';
import { controlPlane } from '../../src/simulation/controllers/control-plane.ts';
import { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gc-tree-actions-'));
  folders.push(folder);
  return folder;
}

export const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** As the API server answers a review of permissions. */
export function reviewed(allowed: boolean): ActAnswer {
  return { status: 201, body: { status: { allowed } } };
}

export class ActingWorld {
  readonly view: ClusterView;
  readonly cluster: SimulatedCluster;
  readonly journal: Journal;
  readonly events: RunEvent[] = [];
  /** What was sent that changes something. */
  readonly sent: ActRequest[] = [];
  /** Called before each change is served; what it returns is the answer in place of the server's. */
  intercept: (request: ActRequest) => ActAnswer | undefined = () => undefined;
  /** Whether the view hears of changes. */
  isWatching = true;
  readonly #missed: (() => void)[] = [];
  #touches = 0;

  private constructor(yaml: string, folder: string) {
    this.view = viewOf(yaml);
    this.journal = new Journal(folder);
    const objects = [...this.view.graph.nodes()]
      .flatMap(({ object }) => object ?? [])
      .map(
        (object, index) => new KubeObject({ ...object, resourceVersion: `${index + 1}` as ResourceVersion }),
      );
    this.cluster = new SimulatedCluster({
      now,
      types: builtInTypes,
      objects,
      processes: controlPlane(),
      namespacesKnown: false,
    });
    this.cluster.api.identifyAs({ revision: 5000, uid: number => `server-${number}` as Uid });
    this.cluster.start('replay');
    this.cluster.run({ tasks: 10_000 });
    // What happened while everything started belongs to the snapshot.
    for (const { object } of Array.from(this.view.graph.nodes())) {
      const stored = object && this.cluster.store.byUid(object.uid);
      if (object !== undefined && stored === undefined) this.#forget(object);
    }
    for (const object of this.cluster.store.all()) this.#show(object);
    this.cluster.api.onWrite(({ op, object }) => {
      const apply = (): void => (op === 'deleted' ? this.#forget(object) : this.#show(object));
      if (this.isWatching) apply();
      else this.#missed.push(apply);
    });
  }

  static async of(yaml: string): Promise<ActingWorld> {
    return new ActingWorld(yaml, await temporaryFolder());
  }

  get now(): number {
    return this.cluster.clock.now;
  }

  /** The view hears of what it has missed. */
  resume(): void {
    this.isWatching = true;
    for (const apply of this.#missed.splice(0)) apply();
  }

  get source(): ActingSource {
    return {
      get: (type, namespace, name) => {
        const object = this.cluster.store.find(type, namespace, name);
        return Promise.resolve(object && objectJson.write(object));
      },
      act: request => {
        if (request.path === REVIEWS) return Promise.resolve(this.intercept(request) ?? reviewed(true));
        this.sent.push(request);
        const answer = this.intercept(request);
        return Promise.resolve(answer ?? this.#play(request, false));
      },
      dryRun: request =>
        Promise.resolve(this.#play({ ...request, path: request.path.replace(/\?.*/u, '') }, true)),
    };
  }

  ports(more: Partial<RunPorts> = {}): RunPorts {
    return {
      view: this.view,
      source: this.source,
      journal: this.journal,
      now: () => this.now,
      changed: milliseconds => {
        this.cluster.runFor(Math.min(milliseconds, 100));
        return Promise.resolve();
      },
      confirm: () => Promise.resolve(true),
      tell: event => this.events.push(event),
      remedyFor: (...asked) => offeredRemedies.byId(this.#diagnosis(), ...asked),
      context: 'test',
      secretData: false,
      timeout: 120_000,
      ...more,
    };
  }

  object(uid: string): KubeObject {
    const object = this.view.graph.get(uid as Uid)?.object;
    if (object === undefined) throw new Error(`no ${uid}`);
    return object;
  }

  has(uid: string): boolean {
    return this.cluster.store.byUid(uid as Uid) !== undefined;
  }

  delete(cascade: Cascade, ...uids: readonly string[]): ReturnType<typeof actionRun.prepare> {
    const intent: DeleteAction = { verb: 'delete', cascade, targets: uids.map(uid => this.object(uid)) };
    return actionRun.prepare(intent, this.ports());
  }

  unblock(uid: string, id: string): ReturnType<typeof actionRun.prepare> {
    const target = this.object(uid);
    const intent: UnblockAction = { verb: 'unblock', target, remedy: this.#remedy(target, id) };
    return actionRun.prepare(intent, this.ports());
  }

  /** The same for several that somebody chose. */
  unblockChosen(uids: readonly string[], id: string): ReturnType<typeof actionRun.prepare> {
    const chosen = uids.map(uid => this.object(uid));
    const [first] = chosen;
    if (first === undefined) throw new Error('nothing is chosen');
    return actionRun.prepare(
      remediesForMany.action(first, this.#remedy(first, id, chosen), chosen),
      this.ports(),
    );
  }

  #remedy(...asked: Parameters<RunPorts['remedyFor']>): ApplicableRemedy {
    const remedy = offeredRemedies.byId(this.#diagnosis(), ...asked);
    if (remedy === undefined) throw new Error(`${asked[0].name} gives no cause for ${asked[1]}`);
    return remedy;
  }

  #diagnosis(): Diagnosis {
    return diagnoseCluster(this.view, this.now, { asked: true });
  }

  /** Somebody else changes labels, and with them the resourceVersion. */
  touch(uid: string): void {
    const object = this.cluster.store.byUid(uid as Uid);
    if (object === undefined) throw new Error(`no ${uid}`);
    this.#touches += 1;
    this.cluster.as('somebody').patch(object, { labels: ['touched', String(this.#touches)] });
  }

  /** Somebody else takes its finalizers off. */
  letGo(uid: string): void {
    const object = this.cluster.store.byUid(uid as Uid);
    if (object === undefined) throw new Error(`no ${uid}`);
    this.cluster.as('somebody').patch(object, { finalizers: [] });
  }

  /** Somebody else adds an owner. */
  giveTo(uid: string, owner: string): void {
    const object = this.cluster.store.byUid(uid as Uid);
    if (object === undefined) throw new Error(`no ${uid}`);
    const { type, name } = this.object(owner);
    const added = {
      apiVersion: type.apiVersion,
      kind: type.kind,
      name,
      uid: owner as Uid,
      controller: undefined,
      blockOwnerDeletion: undefined,
    };
    this.cluster.as('somebody').patch(object, { owners: [...object.owners, added] });
  }

  /** Somebody else lets it go, and creates another object under its name. */
  replace(uid: string): void {
    const { type, namespace, name } = this.object(uid);
    this.letGo(uid);
    const json = { apiVersion: type.apiVersion, kind: type.kind, metadata: { name, namespace } };
    this.#play(
      {
        method: 'POST',
        path: `/api/v1/namespaces/${namespace}/${type.resource}`,
        contentType: 'application/json',
        body: json,
      },
      false,
    );
  }

  /** Somebody else deletes it. */
  remove(uid: string): void {
    const object = this.cluster.store.byUid(uid as Uid);
    if (object === undefined) throw new Error(`no ${uid}`);
    this.cluster.as('somebody').delete(object, {});
  }

  #play(request: ActRequest, dryRun: boolean): ActAnswer {
    return restRequests.playRequest(this.cluster.as('user'), request, { types: builtInTypes, dryRun });
  }

  #show(object: KubeObject): void {
    this.view.apply({ changes: [{ op: 'upsert', object }] }, this.now);
  }

  #forget({ uid, type }: KubeObject): void {
    this.view.apply({ changes: [{ op: 'delete', uid, type }] }, this.now);
  }
}

/** `DELETE web`, with the name of what a request is about. */
export function lines(requests: readonly ActRequest[]): string[] {
  return requests.map(({ method, path, body }) => {
    const { name } = record(record(body)['metadata']);
    return `${method} ${method === 'POST' ? String(name) : (path.split('/').at(-1) ?? '')}`;
  });
}
