/**
 * The managers of worlds: an Application of Argo CD each, with some objects of the world as its resources, and a small real
 * controller that does with them what Argo CD is documented to do: it deletes them when the Application is deleted with its
 * finalizer, and then removes that, and creates what is missing again where the Application heals itself.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { nameOf, type ObjectName, type ScenarioManifest } from '../../../src/source/demo/scenario.ts';
import type { ApiClient, ApiResponse } from '../../harness/api-client.ts';
import { Placement } from '../prefixed-player.ts';
import { together } from '../real/run.ts';
import type { LiveCluster } from './live-cluster.ts';

const GROUP = 'argoproj.io';
const FINALIZER = 'resources-finalizer.argocd.argoproj.io';
const TRACKING = 'argocd.argoproj.io/tracking-id';

/** Where the Application is, and its name; symbolic. */
const MANAGER_NAMESPACE = 'ops';
const NAME = 'app';
export const APPLICATION: ObjectName = `Application ${MANAGER_NAMESPACE}/${NAME}`;

export const applicationType: ResourceType = {
  group: GROUP,
  version: 'v1alpha1',
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'Application',
  resource: 'applications',
  singular: 'application',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  preferred: true,
};

export const applicationDefinition: ScenarioManifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `applications.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural: 'applications', singular: 'application', kind: 'Application' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Whether a manager removes this finalizer. */
export function isManagers(finalizer: string): boolean {
  return finalizer.startsWith(FINALIZER);
}

export interface WorldManager {
  /** Whether it has the finalizer by which its resources are deleted with it. */
  readonly cascades: boolean;
  /** Whether what is missing is created again. */
  readonly heals: boolean;
  /** Whether anybody does any of that. */
  readonly acts: boolean;
  /** As its status lists them. */
  readonly resources: readonly ManagedResource[];
}

export interface ManagedResource {
  /** Symbolic. */
  readonly of: ObjectName;
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for what is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  /** As it is created again. */
  readonly manifest: ScenarioManifest;
}

export interface Managed {
  readonly manager: WorldManager;
  /** The same objects, those marked that it manages, and the Application. */
  readonly manifests: readonly ScenarioManifest[];
}

/** Manages up to four of these objects; undefined where the world has no manager, as most have none. */
export function managerOf(
  seed: number,
  prefix: string,
  graph: readonly ScenarioManifest[],
): Managed | undefined {
  const random = new Random(seed + 77_000_023);
  const chance = (percent: number): boolean => random.below(100) < percent;
  if (!chance(45)) return undefined;
  const placement = new Placement(prefix);
  const free = graph.filter(
    ({ metadata }) => metadata.ownerReferences?.some(({ controller }) => controller === true) !== true,
  );
  const chosen = new Set(random.shuffled(free).slice(0, 1 + random.below(4)));
  const resources: ManagedResource[] = [];
  const manifests = graph.map(manifest => {
    if (!chosen.has(manifest)) return manifest;
    const { kind, apiVersion, metadata } = manifest;
    const namespace = metadata.namespace === undefined ? '' : placement.namespace(metadata.namespace);
    const name = placement.name(kind, metadata.namespace ?? '', metadata.name);
    const [group = ''] = apiVersion.includes('/') ? apiVersion.split('/') : [];
    const marked: ScenarioManifest = {
      ...manifest,
      metadata: {
        ...metadata,
        annotations: { [TRACKING]: `${NAME}:${group}/${kind}:${namespace || `${prefix}-a`}/${name}` },
      },
    };
    const { finalizers: _, ownerReferences: __, ...source } = marked.metadata;
    const placed = placement.manifest({ ...marked, metadata: source }) as ScenarioManifest;
    resources.push({ of: nameOf(manifest), apiVersion, kind, namespace, name, manifest: placed });
    return marked;
  });
  const [cascades, heals, acts] = [chance(75), chance(50), chance(90)];
  const finalizer = chance(50) ? FINALIZER : `${FINALIZER}/background`;
  const application: ScenarioManifest = {
    apiVersion: applicationType.apiVersion,
    kind: applicationType.kind,
    metadata: { name: NAME, namespace: MANAGER_NAMESPACE, ...(cascades ? { finalizers: [finalizer] } : {}) },
    spec: {
      destination: { server: 'https://kubernetes.default.svc', namespace: `${prefix}-a` },
      syncPolicy: heals ? { automated: { selfHeal: true, prune: true } } : {},
    },
    status: {
      resources: resources.map(({ apiVersion, kind, namespace, name }) => {
        const [version = '', group = ''] = apiVersion.split('/').reverse();
        return { group, version, kind, ...(namespace === '' ? {} : { namespace }), name, status: 'Synced' };
      }),
    },
  };
  return { manager: { cascades, heals, acts, resources }, manifests: [...manifests, application] };
}

/** Milliseconds between two looks. */
const PERIOD = 300;

interface Followed {
  readonly namespace: string;
  /** Those that were there when the action was taken. */
  readonly resources: readonly ManagedResource[];
  readonly heals: boolean;
}

/** Does the work of Argo CD for many worlds, by what the live view shows. */
export class Managers {
  readonly #api: ApiClient;
  readonly #live: LiveCluster;
  readonly #followed = new Map<string, Followed>();
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(api: ApiClient, live: LiveCluster) {
    this.#api = api;
    this.#live = live;
  }

  /** `there`: whether an object of the world was there when the action was taken. */
  follow(prefix: string, { resources, heals }: WorldManager, there: ReadonlySet<ObjectName>): void {
    this.#followed.set(prefix, {
      namespace: `${prefix}-${MANAGER_NAMESPACE}`,
      resources: resources.filter(({ of }) => there.has(of)),
      heals,
    });
    this.#working ??= this.#work();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      await together([...this.#followed.values()], async each => this.#look(each).catch(() => {}));
      await sleep(PERIOD);
    }
  }

  async #look({ namespace, resources, heals }: Followed): Promise<void> {
    const application = this.#find({ ...applicationType, namespace, name: NAME });
    if (application === undefined) return;
    if (application.deletionTimestamp === undefined) {
      for (const each of heals ? resources : [])
        if (this.#find(each) === undefined) await this.#send('POST', each, each.manifest, '');
      return;
    }
    const finalizer = application.finalizers.find(isManagers);
    if (finalizer === undefined) return;
    const left = resources.flatMap(each => {
      const object = this.#find(each);
      return object === undefined ? [] : { each, object };
    });
    const propagationPolicy = finalizer.endsWith('/background') ? 'Background' : 'Foreground';
    for (const { each, object } of left)
      if (object.deletionTimestamp === undefined)
        await this.#send('DELETE', each, { propagationPolicy, preconditions: { uid: object.uid } });
    if (left.length > 0) return;
    const finalizers = application.finalizers.filter(each => each !== finalizer);
    const { resourceVersion } = application;
    await this.#send(
      'PATCH',
      { ...applicationType, namespace, name: NAME },
      { metadata: { resourceVersion, finalizers } },
    );
  }

  #find({ apiVersion, kind, namespace, name }: Place): KubeObject | undefined {
    const { catalog, graph } = this.#live.view;
    const type = catalog.resolveKind(apiVersion, kind);
    const preferred = type && catalog.preferredOf(type);
    return preferred && graph.find(preferred, namespace, name)?.object;
  }

  /** What is refused is tried again at the next look. */
  #send(
    method: 'POST' | 'PATCH' | 'DELETE',
    { apiVersion, kind, namespace, name }: Place,
    body: unknown,
    last = `/${name}`,
  ): Promise<ApiResponse> | undefined {
    const type = this.#live.view.catalog.resolveKind(apiVersion, kind);
    if (type === undefined) return undefined;
    const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
    const scope = namespace === '' ? '' : `/namespaces/${namespace}`;
    const path = `${root}${scope}/${type.resource}${last}`;
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    return this.#api.send({ method, path, body, contentType });
  }
}

type Place = Pick<ManagedResource, 'apiVersion' | 'kind' | 'namespace' | 'name'>;
