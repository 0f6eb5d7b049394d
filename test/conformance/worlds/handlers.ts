/**
 * The handlers of many worlds: small real controllers, each with a token of its ServiceAccount, that remove their finalizer
 * from what is being deleted as long as a pod of their Deployment runs. All of them hear of objects by the same watches,
 * since a hundred controllers that each list everything would be more work than what they are to show.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { ApiClient, type WatchEvent } from '../../harness/api-client.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { prefixOf } from './live-cluster.ts';
import type { World, WorldHandler } from './random-worlds.ts';

/** Milliseconds between the tries of a handler, twice as long after each refusal. */
const PAUSE = 150;
const LONGEST_PAUSE = 2400;

/** Of requests under way at once. */
const WORKERS = 6;

interface Held {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
}

class Handler {
  readonly #handler: WorldHandler;
  readonly #client: ApiClient;
  /** Whether it has begun to work. */
  works: boolean;
  /** Requests of it that the API server took, and that it refused. */
  removals = 0;
  refusals = 0;
  pause = PAUSE;
  next = 0;

  constructor(handler: WorldHandler, client: ApiClient, works: boolean) {
    this.#handler = handler;
    this.#client = client;
    this.works = works;
  }

  get finalizer(): string {
    return this.#handler.finalizer;
  }

  async remove({ type, namespace, name, resourceVersion, finalizers }: Held): Promise<void> {
    const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
    const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
    const { status } = await this.#client.send({
      method: 'PATCH',
      path: `${root}${scope}/${type.resource}/${name}`,
      contentType: 'application/merge-patch+json',
      body: {
        metadata: { resourceVersion, finalizers: finalizers.filter(each => each !== this.finalizer) },
      },
    });
    const isRefused = status > 299 && status !== 404 && status !== 409;
    if (status < 300) this.removals += 1;
    if (isRefused) this.refusals += 1;
    this.pause = isRefused ? Math.min(LONGEST_PAUSE, this.pause * 2) : PAUSE;
    this.next = Date.now() + this.pause;
  }
}

export class Handlers {
  readonly #cluster: Cluster;
  /** By the prefix of its world, and its finalizer. */
  readonly #handlers = new Map<string, Handler>();
  /** Objects that are being deleted and carry finalizers, by uid. */
  readonly #held = new Map<string, Held>();
  /** Namespace and `app` of each pod that is running and not being deleted, by uid. */
  readonly #running = new Map<string, string>();
  readonly #deployments = new Map<Handler, string>();
  /** By the path that is watched. */
  readonly #watches = new Map<string, () => void>();
  readonly #working: Promise<void>[] = [];
  readonly #underWay = new Set<Handler>();
  #stopped = false;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Gives each handler its token, and has those of prompt worlds begin. */
  async start(worlds: readonly World[], types: readonly ResourceType[]): Promise<void> {
    for (const { prefix, handlers, pace } of worlds)
      for (const handler of handlers) {
        const client = await this.#clientOf(handler, prefix);
        if (client === undefined) continue;
        const made = new Handler(handler, client, pace === 'prompt');
        this.#handlers.set(`${prefix} ${handler.finalizer}`, made);
        if (handler.namespace !== '')
          this.#deployments.set(made, `${prefix}-${handler.namespace} ${handler.name}-pods`);
      }
    for (const type of types) this.#follow(type);
    for (let worker = 0; worker < WORKERS; worker++) this.#working.push(this.#work());
  }

  /** From now on all of them work. */
  release(): void {
    for (const handler of this.#handlers.values()) handler.works = true;
  }

  /** What a handler has achieved so far; undefined where nobody does its work. */
  of(prefix: string, finalizer: string): Pick<Handler, 'removals' | 'refusals'> | undefined {
    return this.#handlers.get(`${prefix} ${finalizer}`);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const stop of this.#watches.values()) stop();
    await Promise.all(this.#working);
  }

  async #clientOf(handler: WorldHandler, prefix: string): Promise<ApiClient | undefined> {
    if (handler.kind === 'outside') return this.#cluster.api;
    if (handler.namespace === '') return undefined;
    const path = `/api/v1/namespaces/${prefix}-${handler.namespace}/serviceaccounts/${handler.name}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const answer = await this.#cluster.api.send({ method: 'POST', path, body });
    // The account may have gone with its owner before anything has begun.
    if (answer.status !== 201) return undefined;
    const { status } = JSON.parse(answer.body) as JsonRecord;
    return new ApiClient({
      server: this.#cluster.server,
      ca: readFileSync(this.#cluster.tls.ca),
      token: text(record(status)['token']),
      connections: 1,
    });
  }

  #follow(type: ResourceType): void {
    const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
    const isPod = type.kind === 'Pod' && type.group === '';
    const path = `${root}/${type.resource}?watch=1&resourceVersion=0&timeoutSeconds=3600`;
    const follow = (): void => {
      if (this.#stopped) return;
      // What went meanwhile is no longer told of.
      for (const [uid, held] of this.#held) if (held.type === type) this.#held.delete(uid);
      if (isPod) this.#running.clear();
      this.#watches.set(
        path,
        this.#cluster.api.watch<JsonRecord>(path, on, () => setTimeout(follow, PAUSE)),
      );
    };
    const on = ({ type: event, object }: WatchEvent<JsonRecord>): void => {
      const metadata = record(object['metadata']);
      const uid = text(metadata['uid']);
      this.#held.delete(uid);
      if (isPod) this.#running.delete(uid);
      if (event === 'DELETED' || event === 'ERROR') return;
      const namespace = text(metadata['namespace']);
      const isDeleting = metadata['deletionTimestamp'] !== undefined;
      const finalizers = list(metadata['finalizers']).map(text);
      const [name, resourceVersion] = [text(metadata['name']), text(metadata['resourceVersion'])];
      if (isDeleting && finalizers.length > 0)
        this.#held.set(uid, { type, namespace, name, resourceVersion, finalizers });
      if (isPod && !isDeleting && text(record(object['status'])['phase']) === 'Running')
        this.#running.set(uid, `${namespace} ${text(record(metadata['labels'])['app'])}`);
    };
    follow();
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const due = this.#due();
      if (due === undefined) {
        await sleep(50);
        continue;
      }
      this.#underWay.add(due.handler);
      try {
        await due.handler.remove(due.held);
      } catch {
        // The connection was lost; it tries again.
      } finally {
        this.#underWay.delete(due.handler);
      }
    }
  }

  #due(): { readonly handler: Handler; readonly held: Held } | undefined {
    const now = Date.now();
    const running = new Set(this.#running.values());
    const waiting = [...this.#held.values()].flatMap(held => {
      const prefix = prefixOf(held);
      return held.finalizers.flatMap(finalizer => {
        const handler = this.#handlers.get(`${prefix} ${finalizer}`);
        if (handler?.works !== true || handler.next > now || this.#underWay.has(handler)) return [];
        const deployment = this.#deployments.get(handler);
        return deployment === undefined || running.has(deployment) ? [{ handler, held }] : [];
      });
    });
    // What is tried in vain must not keep a handler from the others.
    return waiting[Math.floor(Math.random() * waiting.length)];
  }
}
