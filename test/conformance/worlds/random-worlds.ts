/**
 * Random worlds for the forecast of everything that acts: a random graph, whose objects carry finalizers and the marks of
 * package managers, the controllers that remove these finalizers, with what they need to do so, and an action.
 */
import type { Cascade } from '../../../src/forecast/action.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import {
  isPlayed,
  type ManifestMetadata,
  nameOf,
  type ObjectName,
  type Scenario,
  type ScenarioManifest,
  type SymbolicReference,
} from '../../../src/source/demo/scenario.ts';
import { graphTypes, randomScenario } from '../fuzz/random-graphs.ts';
import { APPLICATION, managerOf, type WorldManager } from './managers.ts';

/**
 * What there is of a handler, as it was made.
 * - `runs`: a Deployment beside the world; `within`: in it, so that the action may take it along.
 * - `partly`: it may act in one namespace of the world only; `forbidden`: nowhere.
 * - `scaledDown`, `pending`: no pod of it runs.
 * - `outside`: it runs beside the cluster; `notOutside`: it is said to, and nobody does.
 * - `absent`: nothing is there.
 */
const handlerKinds = [
  'runs',
  'within',
  'partly',
  'forbidden',
  'scaledDown',
  'pending',
  'outside',
  'notOutside',
  'absent',
] as const;

export type HandlerKind = (typeof handlerKinds)[number];

const weights: Readonly<Record<HandlerKind, number>> = {
  runs: 30,
  within: 26,
  partly: 10,
  forbidden: 6,
  scaledDown: 6,
  pending: 4,
  outside: 6,
  notOutside: 3,
  absent: 9,
};

export interface WorldHandler {
  readonly kind: HandlerKind;
  readonly finalizer: string;
  /** Of its Deployment and its ServiceAccount, which are called alike. */
  readonly name: string;
  /** Symbolic; `''` for one without a Deployment. */
  readonly namespace: string;
}

/**
 * What a webhook has behind it.
 * - `allows`, `refuses`: a Service beside the world that leads to what answers so.
 * - `within`: the same in the world, so that the action may take it along; it allows.
 * - `url`: no Service; it allows.
 * - `dead`: a Service that isn't there. `ignored`: the same, and the API server goes on without an answer.
 */
const webhookKinds = ['allows', 'refuses', 'within', 'url', 'dead', 'ignored'] as const;

export type WebhookKind = (typeof webhookKinds)[number];

/** Those that may keep requests from being carried out. */
const stopping: ReadonlySet<WebhookKind> = new Set(['refuses', 'within', 'dead']);

export interface WorldWebhook {
  readonly kind: WebhookKind;
  /** Of its configuration, as it is on the cluster. */
  readonly name: string;
}

/** Where webhooks are answered. */
export interface WebhookBackend {
  readonly port: number;
  /** As a webhook's `clientConfig` has it. */
  readonly caBundle: string;
}

/** The Service of webhooks, in a namespace of its own or in the world. */
export const WEBHOOK_SERVICE = 'hooks';

/** Symbolic names of all namespaces that a world may have such a Service in. */
export const webhookNamespaces = ['a', 'b', 'ops'] as const;

export interface World {
  readonly seed: number;
  /** Begins the names of its namespaces, and of what is in none. */
  readonly prefix: string;
  /** Makes everything of it in one step, and in another the webhooks, which nothing of that is to wait for. */
  readonly scenario: Scenario;
  readonly handlers: readonly WorldHandler[];
  readonly webhooks: readonly WorldWebhook[];
  readonly manager: WorldManager | undefined;
  /** YAML as `--catalogue` takes it. */
  readonly catalogue: string;
  /** `slow`: handlers begin to work when everything else has come to rest. */
  readonly pace: 'prompt' | 'slow';
}

export interface WorldAction {
  /** In this order. */
  readonly targets: readonly ObjectName[];
  readonly cascade: Cascade;
}

type Chance = (percent: number) => boolean;

interface Making {
  readonly random: Random;
  readonly chance: Chance;
  readonly prefix: string;
}

const GROUP = graphTypes[0]?.group ?? '';

/** Of the graph, and beside it. */
const WITHIN = ['a', 'b'] as const;
const BESIDE = 'ops';

/** Each handler has a domain of its own, and what is called after it is its own. */
const birds = ['kestrel', 'merlin', 'osprey', 'harrier'] as const;

export function randomWorld(seed: number, prefix: string, backend: WebhookBackend): World {
  const random = new Random(seed);
  const chance: Chance = percent => random.below(100) < percent;
  const making = { random, chance, prefix };
  const graph = graphOf(seed);
  const handlers: WorldHandler[] = [];
  const parts: ScenarioManifest[] = [];
  const catalogue: string[] = [];
  for (const bird of birds.slice(0, 1 + random.below(3))) {
    const made = handlerOf(bird, graph, making);
    handlers.push(made.handler);
    parts.push(...made.parts);
    catalogue.push(...made.catalogue);
  }
  const finalizers = handlers.map(({ finalizer }) => finalizer);
  const made = graph.map(manifest => marked(carrying(manifest, finalizers, making), making));
  const others = parts.map(part => (chance(4) ? carrying(part, finalizers, making) : part));
  const guarded = webhooksOf(backend, making);
  // What is refused to a manager, no plan tells: its requests are no part of the forecast.
  const isFree = guarded.webhooks.every(({ kind }) => !stopping.has(kind));
  const managed = isFree ? managerOf(seed, prefix, made) : undefined;
  const steps = [{ create: [...(managed?.manifests ?? made), ...others] }, { create: guarded.manifests }];
  return {
    seed,
    prefix,
    scenario: { title: `random world ${seed}`, nodes: 1, scheduler: false, steps },
    handlers,
    webhooks: guarded.webhooks,
    manager: managed?.manager,
    catalogue: catalogue.join(''),
    pace: chance(50) ? 'slow' : 'prompt',
  };
}

/** What is made of a random graph, without what is done to it. */
function graphOf(seed: number): readonly ScenarioManifest[] {
  return randomScenario(seed, 'running').steps.flatMap(step =>
    isPlayed(step) && 'create' in step ? step.create : [],
  );
}

function withMetadata(manifest: ScenarioManifest, more: Partial<ManifestMetadata>): ScenarioManifest {
  return { ...manifest, metadata: { ...manifest.metadata, ...more } };
}

function carrying(
  manifest: ScenarioManifest,
  finalizers: readonly string[],
  { random, chance }: Making,
): ScenarioManifest {
  const own = finalizers.filter(() => chance(Math.ceil(40 / finalizers.length)));
  if (own.length === 0) return manifest;
  const all = [...(manifest.metadata.finalizers ?? []), ...own];
  return withMetadata(manifest, { finalizers: random.below(2) === 0 ? all : all.reverse() });
}

/** Relations that the garbage collector knows nothing of. */
const marks: readonly Omit<ManifestMetadata, 'name'>[] = [
  {
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: { 'meta.helm.sh/release-name': 'shop', 'meta.helm.sh/release-namespace': 'shop' },
  },
  { annotations: { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/web' } },
  { labels: { 'app.kubernetes.io/instance': 'shop', 'argocd.argoproj.io/instance': 'shop' } },
  {
    labels: {
      'kustomize.toolkit.fluxcd.io/name': 'shop',
      'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
    },
  },
];

function marked(manifest: ScenarioManifest, { random, chance }: Making): ScenarioManifest {
  const mark = marks[random.below(marks.length)];
  return mark === undefined || !chance(15) ? manifest : withMetadata(manifest, mark);
}

interface MadeHandler {
  readonly handler: WorldHandler;
  readonly parts: readonly ScenarioManifest[];
  /** An entry of a catalogue, or nothing. */
  readonly catalogue: readonly string[];
}

function handlerOf(
  species: (typeof birds)[number],
  graph: readonly ScenarioManifest[],
  making: Making,
): MadeHandler {
  const { chance, prefix } = making;
  // Worlds on one cluster don't share handlers.
  const bird = `${species}${prefix}`;
  const kind = randomKind(making);
  const finalizer = `${bird}.dev/cleanup`;
  if (kind === 'absent' || kind === 'outside' || kind === 'notOutside') {
    const entry = catalogueEntry(finalizer, `the ${bird} service`, 'elsewhere', []);
    const handler = { kind, finalizer, name: '', namespace: '' };
    return { handler, parts: [], catalogue: kind === 'absent' ? [] : [entry] };
  }
  // It is recognised by its name, by a label, or because the catalogue has its name.
  const known = chance(25);
  const labelled = !known && chance(30);
  const name = known ? `tidy-${birds.indexOf(species)}` : labelled ? `${bird}-1` : `${bird}-operator`;
  const namespace = kind === 'within' ? pick(making.random, WITHIN) : BESIDE;
  const labels = labelled ? { 'app.kubernetes.io/name': bird } : {};
  const handler = { kind, finalizer, name, namespace };
  return {
    handler,
    parts: partsOf(handler, labels, graph, making),
    catalogue: known ? [catalogueEntry(finalizer, `the ${bird} tool`, 'cluster', [name])] : [],
  };
}

function randomKind({ random }: Making): HandlerKind {
  let at = random.below(handlerKinds.reduce((sum, kind) => sum + weights[kind], 0));
  for (const kind of handlerKinds) {
    at -= weights[kind];
    if (at < 0) return kind;
  }
  return 'absent';
}

function catalogueEntry(
  finalizer: string,
  controller: string,
  runsIn: 'cluster' | 'elsewhere',
  workloads: readonly string[],
): string {
  return `- controller: ${controller}
  runsIn: ${runsIn}
${workloads.length === 0 ? '' : `  workloads: [${workloads.join(', ')}]\n`}  finalizers:
    - names: [${finalizer}]
      carriedBy: anything
      protects: something outside is tidied up first
      cost: it is left behind
`;
}

/** The Deployment of a handler, the account that it runs as, and what that may do. */
function partsOf(
  { kind, name, namespace, finalizer }: WorldHandler,
  labels: Readonly<Record<string, string>>,
  graph: readonly ScenarioManifest[],
  { random, chance, prefix }: Making,
): readonly ScenarioManifest[] {
  const here = graph.filter(({ metadata }) => metadata.namespace === namespace);
  const owner = chance(25) ? here[random.below(Math.max(1, here.length))] : undefined;
  const app = { app: `${name}-pods` };
  const deployment: ScenarioManifest = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels, ...ownedBy(owner, chance(50)) },
    spec: {
      replicas: kind === 'scaledDown' ? 0 : 1,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: {
          serviceAccountName: name,
          // Nobody schedules pods here.
          ...(kind === 'pending' ? {} : { nodeName: 'node-1' }),
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'manager', image: 'registry.example.com/manager' }],
        },
      },
    },
  };
  const ofDeployment = (): ReturnType<typeof ownedBy> => ownedBy(chance(20) ? deployment : undefined, false);
  const account: ScenarioManifest = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace, ...ofDeployment() },
  };
  const rbac = 'rbac.authorization.k8s.io';
  const rules = [
    {
      apiGroups: ['', 'apps', 'batch', rbac, GROUP],
      resources: ['*'],
      verbs: ['get', 'list', 'watch', ...(kind === 'forbidden' ? [] : [chance(50) ? 'patch' : '*'])],
    },
  ];
  const subjects = [{ kind: 'ServiceAccount', name, namespace: `${prefix}-${namespace}` }];
  // Names of permissions tell nothing for certain.
  const called = chance(70) ? name : `tools-${birds.findIndex(bird => finalizer.startsWith(bird))}`;
  const everywhere = kind !== 'partly' && chance(60);
  const places = everywhere ? [] : kind === 'partly' ? WITHIN.slice(0, 1) : WITHIN;
  const own = kind === 'partly' && chance(50);
  const permissions: ScenarioManifest[] = [];
  const roleKind = own ? 'Role' : 'ClusterRole';
  const roleRef = { apiGroup: rbac, kind: roleKind, name: own ? called : `${prefix}-${called}` };
  permissions.push({
    apiVersion: `${rbac}/v1`,
    kind: roleKind,
    metadata: { name: called, ...(own ? { namespace: WITHIN[0] } : {}) },
    rules,
  });
  if (everywhere)
    permissions.push({
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: called },
      roleRef,
      subjects,
    });
  for (const place of places)
    permissions.push({
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: called, namespace: place, ...(place === namespace ? ofDeployment() : {}) },
      roleRef,
      subjects,
    });
  return [deployment, account, ...permissions];
}

interface MadeWebhooks {
  readonly webhooks: readonly WorldWebhook[];
  readonly manifests: readonly ScenarioManifest[];
}

/** In half of the worlds. They are about kinds that only the graph has, so that its handlers and workloads run on. */
function webhooksOf({ port, caBundle }: WebhookBackend, { random, chance, prefix }: Making): MadeWebhooks {
  if (!chance(50)) return { webhooks: [], manifests: [] };
  const kind = webhookKinds[random.below(webhookKinds.length)] ?? 'dead';
  const place = kind === 'within' ? pick(random, WITHIN) : BESIDE;
  const path = `/${kind === 'refuses' ? 'refuse' : 'allow'}/${prefix}`;
  const service: ScenarioManifest = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: WEBHOOK_SERVICE, namespace: place },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  };
  const client =
    kind === 'url'
      ? { url: `https://127.0.0.1:${port}${path}` }
      : { service: { namespace: `${prefix}-${place}`, name: WEBHOOK_SERVICE, path, port } };
  const resources = ['configmaps', 'secrets', 'widgets', 'persistentvolumeclaims', 'jobs'].filter(() =>
    chance(60),
  );
  const operations = chance(50) ? ['UPDATE'] : chance(50) ? ['DELETE'] : ['UPDATE', 'DELETE'];
  const namespaces = (chance(60) ? WITHIN : WITHIN.slice(0, 1)).map(each => `${prefix}-${each}`);
  const configuration: ScenarioManifest = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'guard' },
    webhooks: [
      {
        name: 'guard.example.net',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: kind === 'ignored' ? 'Ignore' : 'Fail',
        timeoutSeconds: 5,
        clientConfig: { ...client, caBundle },
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }],
        },
        ...(chance(25)
          ? { objectSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'Helm' } } }
          : {}),
        rules: [
          {
            operations,
            apiGroups: ['', 'batch', GROUP],
            apiVersions: ['*'],
            resources: resources.length === 0 ? ['configmaps'] : resources,
            scope: 'Namespaced',
          },
        ],
      },
    ],
  };
  const isThere = kind === 'allows' || kind === 'refuses' || kind === 'within';
  return {
    webhooks: [{ kind, name: `${prefix}-guard` }],
    manifests: [...(isThere ? [service] : []), configuration],
  };
}

function ownedBy(
  owner: ScenarioManifest | undefined,
  controller: boolean,
): { readonly ownerReferences?: readonly SymbolicReference[] } {
  if (owner === undefined) return {};
  const reference = { of: nameOf(owner), blockOwnerDeletion: true, ...(controller ? { controller } : {}) };
  return { ownerReferences: [reference] };
}

/**
 * What is deleted of the world, chosen among what is there of it. Mostly one object; sometimes a namespace, or something of
 * a handler together with what it holds, or a manager, or something that it manages.
 */
export function randomAction(
  { seed, scenario, handlers, manager }: World,
  there: ReadonlySet<ObjectName>,
): WorldAction | undefined {
  const random = new Random(seed + 1_000_003);
  const chance: Chance = percent => random.below(100) < percent;
  const manifests = scenario.steps.flatMap(step => (isPlayed(step) && 'create' in step ? step.create : []));
  const left = manifests.filter(manifest => there.has(nameOf(manifest)));
  const names = new Set([WEBHOOK_SERVICE, 'guard', ...handlers.map(({ name }) => name)]);
  const isPart = ({ kind, metadata: { name } }: ScenarioManifest): boolean =>
    names.has(name) || kind.startsWith('Role') || kind.endsWith('Binding');
  const held = left.filter(each => (each.metadata.finalizers ?? []).length > 0);
  const owners = new Set(left.flatMap(({ metadata }) => metadata.ownerReferences?.map(({ of }) => of) ?? []));
  const owning = left.filter(each => owners.has(nameOf(each)));
  const cascade = (['background', 'foreground', 'orphan'] as const)[random.below(3)] ?? 'background';
  const managed = manager?.resources.map(({ of }) => of).filter(each => there.has(each)) ?? [];
  const ofManager = new Random(seed + 55_000_019);
  const occasion = ofManager.below(100);
  if (manager !== undefined && occasion < 35 && there.has(APPLICATION))
    return { targets: [APPLICATION], cascade };
  const resource = managed[ofManager.below(Math.max(1, managed.length))];
  if (occasion < 65 && resource !== undefined) return { targets: [resource], cascade };
  const namespaces = ['a', 'a', 'b', BESIDE].filter(each =>
    left.some(({ metadata }) => metadata.namespace === each),
  );
  if (chance(22) && namespaces.length > 0) {
    const namespace = namespaces[random.below(namespaces.length)] ?? 'a';
    return { targets: [`Namespace ${namespace}`], cascade: 'background' };
  }
  const pools = chance(20) ? [left.filter(isPart)] : chance(50) ? [owning, held] : [held, owning];
  const pool = [...pools, left].find(each => each.length > 0) ?? [];
  const first = pool[random.below(Math.max(1, pool.length))];
  if (first === undefined) return undefined;
  const second = chance(30) ? (isPart(first) ? held : left.filter(isPart)) : [];
  const fitting = second.filter(
    each =>
      each !== first &&
      (each.metadata.namespace === undefined ||
        first.metadata.namespace === undefined ||
        each.metadata.namespace === first.metadata.namespace),
  );
  const also = fitting[random.below(Math.max(1, fitting.length))];
  const targets = [first, ...(also === undefined ? [] : [also])];
  return { targets: (chance(50) ? targets : targets.reverse()).map(nameOf), cascade };
}

function pick<T>(random: Random, list: readonly [T, ...T[]]): T {
  return list[random.below(list.length)] ?? list[0];
}
