/**
 * A simulated cluster as an API server answers for it: discovery, reviews, lists, watches, WatchLists, look-ups, dry runs
 * and changes, in JSON, of a few kinds. What goes wrong on the way is `faulty-server.ts`.
 */
import { ActRequest } from '../../../src/model/exchange/act.ts';

import type { ResourceVersion, Uid } from '../../../src/model/object.ts';
import { KubeObject } from '../../../src/model/object.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { ApiClient } from '../../../src/simulation/api/api-client.ts';
import { restRequests } from '../../../src/simulation/api/rest.ts';
import { controlPlane } from '../../../src/simulation/controllers/control-plane.ts';
import { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { now, objects } from '../../cli/documents/cluster.ts';

export interface StubRequest {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
}

export interface StubAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** A watch: it goes on after the body until the client leaves or the server ends it. */
  readonly follow?: (event: (line: string) => void) => () => void;
}

/** One without facts, one with, whose reading takes two steps. */
const kinds = ['configmaps', 'persistentvolumeclaims'];
/** Served once somebody asks for it. */
const lateKind = 'services';

interface Recorded {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

export class StubApi {
  /** Requests that changed something, as `DELETE /api/v1/…`: each as often as it was carried out. */
  readonly carriedOut: string[] = [];
  readonly #cluster: SimulatedCluster;
  readonly #history: Recorded[] = [];
  readonly #kinds: readonly string[];
  #served: readonly ResourceType[];
  readonly #followers = new Set<(recorded: Recorded) => void>();
  #version: number;
  #made = 0;

  /** `more`: resources of the core group that are served from the beginning. */
  constructor(yaml: string, more: readonly string[] = []) {
    this.#kinds = [...kinds, ...more];
    this.#served = typesOf(this.#kinds);
    const seeds = objects(yaml).flatMap(change => (change.op === 'upsert' ? [change.object] : []));
    this.#version = 100 + seeds.length;
    this.#cluster = new SimulatedCluster({
      now,
      types: builtInTypes,
      objects: seeds.map(
        (object, index) =>
          new KubeObject({ ...object, resourceVersion: `${100 + index}` as ResourceVersion }),
      ),
      processes: controlPlane(),
    });
    this.#cluster.api.identifyAs({ revision: this.#version, uid: number => `server-${number}` as Uid });
    this.#cluster.start('replay');
    this.#settle();
    this.#cluster.api.onWrite(({ op, object }) => this.#record(op, object));
  }

  /** `kind/name@version`, sorted, of everything that is served. */
  get state(): string[] {
    const state = this.#served.flatMap(type =>
      this.#list(type).map(({ name, resourceVersion }) => `${type.kind}/${name}@${resourceVersion}`),
    );
    return state.toSorted();
  }

  /** Somebody else makes a ConfigMap, and changes another one. */
  stir(): void {
    this.#made += 1;
    const [type] = this.#served;
    if (type === undefined) throw new Error('no type');
    this.#as('somebody').create({ type, namespace: 'shop', name: `late-${this.#made}` }, {});
    const object = this.#cluster.store.find(type, 'shop', 'bystander');
    if (object !== undefined) this.#as('somebody').patch(object, { labels: ['stirred', String(this.#made)] });
    this.#settle();
  }

  /** A kind more is served, of which there is an object. */
  serveMore(): void {
    this.#served = typesOf([...this.#kinds, lateKind]);
  }

  answer(request: StubRequest): StubAnswer {
    const url = new URL(request.url, 'http://stub');
    if (request.method === 'GET') return this.#read(url);
    const body: unknown = JSON.parse(request.body);
    if (url.pathname.startsWith('/apis/authorization.k8s.io/')) {
      return json(201, { kind: 'SelfSubjectAccessReview', status: { allowed: true } });
    }
    const dryRun = url.searchParams.get('dryRun') === 'All';
    const { method, contentType } = request;
    const asked = { method, path: url.pathname, contentType, body } as ActRequest;
    const answer = restRequests.playRequest(this.#as('user'), asked, { types: builtInTypes, dryRun });
    if (!dryRun && answer.status < 300) this.carriedOut.push(`${method} ${url.pathname}`);
    this.#settle();
    return json(answer.status, answer.body);
  }

  #read(url: URL): StubAnswer {
    switch (url.pathname) {
      case '/version':
        return json(200, { gitVersion: 'v1.36.3' });
      case '/api':
        return { ...json(200, discovery(this.#served)), contentType: aggregated };
      case '/apis':
        return { ...json(200, { kind: 'APIGroupDiscoveryList', items: [] }), contentType: aggregated };
    }
    const place = ActRequest.placeOf(url.pathname);
    const type = this.#served.find(
      ({ group, resource }) => group === place?.group && resource === place.resource,
    );
    if (place === undefined || type === undefined) return json(404, { kind: 'Status', code: 404 });
    if (place.name !== '') {
      const object = this.#cluster.store.find(type, place.namespace, place.name);
      return object === undefined
        ? json(404, { kind: 'Status', code: 404, details: { name: place.name } })
        : json(200, objectJson.write(object));
    }
    if (url.searchParams.get('watch') !== null) return this.#watch(type, url.searchParams);
    const metadata = { resourceVersion: String(this.#version) };
    return json(200, { kind: `${type.kind}List`, metadata, items: this.#list(type).map(objectJson.write) });
  }

  #watch(type: ResourceType, query: URLSearchParams): StubAnswer {
    const isInitial = query.get('sendInitialEvents') === 'true';
    const from = Number(query.get('resourceVersion') ?? 0);
    const missed = this.#history.filter(({ version, object }) => version > from && object.type === type);
    const lines = isInitial
      ? [...this.#list(type).map(object => line('ADDED', object)), this.#bookmark(type)]
      : missed.map(recorded => line(recorded.type, recorded.object));
    return {
      status: 200,
      contentType: 'application/json',
      body: lines.join(''),
      follow: event => {
        const follower = (recorded: Recorded): void => {
          if (recorded.object.type === type) event(line(recorded.type, recorded.object));
        };
        this.#followers.add(follower);
        return () => this.#followers.delete(follower);
      },
    };
  }

  #bookmark({ apiVersion, kind }: ResourceType): string {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(this.#version), annotations };
    return `${JSON.stringify({ type: 'BOOKMARK', object: { apiVersion, kind, metadata } })}\n`;
  }

  #list(type: ResourceType): KubeObject[] {
    return this.#cluster.store
      .list(type, undefined)
      .toSorted((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
  }

  #record(op: 'added' | 'modified' | 'deleted', object: KubeObject): void {
    // etcd gives a deletion a version of its own, which the simulation has no use for.
    const version = op === 'deleted' ? this.#nextVersion() : object.resourceVersion;
    this.#version = Math.max(this.#version, Number(version));
    const recorded: Recorded = {
      version: this.#version,
      type: op === 'added' ? 'ADDED' : op === 'deleted' ? 'DELETED' : 'MODIFIED',
      object: new KubeObject({ ...object, resourceVersion: version }),
    };
    this.#history.push(recorded);
    for (const follower of this.#followers) follower(recorded);
  }

  #nextVersion(): ResourceVersion {
    const [type] = this.#served;
    if (type === undefined) throw new Error('no type');
    const answer = this.#as('etcd').create({ type, namespace: 'shop', name: 'nothing' }, { dryRun: true });
    if (!answer.ok) throw new Error(answer.message);
    return answer.object.resourceVersion;
  }

  #as(user: string): ApiClient {
    return this.#cluster.as(user);
  }

  /** The controllers do what is to be done. */
  #settle(): void {
    this.#cluster.run({ tasks: 10_000 });
  }
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function typesOf(resources: readonly string[]): readonly ResourceType[] {
  return builtInTypes.filter(({ group, resource }) => group === '' && resources.includes(resource));
}

function discovery(served: readonly ResourceType[]): unknown {
  const resources = served.map(({ resource, kind, singular, namespaced, verbs }) => ({
    resource,
    responseKind: { group: '', version: 'v1', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
  }));
  const versions = [{ version: 'v1', resources, freshness: 'Current' }];
  return { kind: 'APIGroupDiscoveryList', items: [{ metadata: { name: '' }, versions }] };
}

function json(status: number, body: unknown): StubAnswer {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

function line(type: string, object: KubeObject): string {
  return `${JSON.stringify({ type, object: objectJson.write(object) })}\n`;
}
