/**
 * Random ownership graphs and what is done to them: kinds of both scopes, built in and custom, in two
 * namespaces, with references that are right, and with every way in which one can be wrong.
 */
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import {
  nameOf,
  type Scenario,
  type ScenarioCascade,
  type ScenarioManifest,
  type ScenarioStep,
  type SymbolicReference,
} from '../../../src/source/demo/scenario.ts';
import { withOddReferences } from './odd-references.ts';

/**
 * - `stopped`: the controller manager is stopped while graph and action are made, then started.
 * - `running`: it is running and settled before the action.
 * - `restarted`: as `running`, then settled, restarted and settled again.
 */
export type Mode = 'stopped' | 'running' | 'restarted';

export const modes: readonly Mode[] = ['stopped', 'running', 'restarted'];

const GROUP = 'conformance.gc-tree.dev';

function custom(kind: string, namespaced: boolean, version: string): ResourceType {
  const singular = kind.toLowerCase();
  return {
    group: GROUP,
    version,
    apiVersion: `${GROUP}/${version}`,
    kind,
    resource: `${singular}s`,
    singular,
    shortNames: [],
    categories: [],
    namespaced,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    preferred: version === 'v1',
  };
}

/** Custom types of both scopes, the namespaced one in two versions. */
export const graphTypes: readonly ResourceType[] = [
  custom('Widget', true, 'v1'),
  custom('Widget', true, 'v1beta1'),
  custom('Gadget', false, 'v1'),
];

/** The definitions of `graphTypes`, as manifests. */
export const graphDefinitions: readonly ScenarioManifest[] = ['Widget', 'Gadget'].map(kind => {
  const types = graphTypes.filter(type => type.kind === kind);
  const { resource = '', singular = '', namespaced = false } = types[0] ?? {};
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { plural: resource, singular, kind },
      versions: types.map(({ version }) => ({
        name: version,
        served: true,
        storage: version === 'v1',
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
    },
  };
});

export interface KindOfNode {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly weight: number;
  readonly rest?: Readonly<Record<string, unknown>>;
}

const template = {
  metadata: { labels: { app: 'unmatched' } },
  spec: { containers: [{ name: 'app', image: 'example.com/app:1' }] },
};
const selector = { matchLabels: { app: 'unmatched' } };

export const plainKinds: readonly KindOfNode[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', namespaced: true, weight: 5 },
  { apiVersion: 'v1', kind: 'Secret', namespaced: true, weight: 3 },
  {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespaced: true,
    weight: 2,
    rest: { spec: { replicas: 0, selector, template } },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    namespaced: true,
    weight: 2,
    // Nobody schedules it, so that it stays as it is.
    rest: { spec: template.spec },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    namespaced: true,
    weight: 1,
    // Fake kubelets don't wait for a grace period, simulated ones do; without one both are as quick.
    rest: { spec: { ...template.spec, nodeName: 'node-1', terminationGracePeriodSeconds: 0 } },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespaced: true,
    weight: 1,
    rest: {
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'nobody',
        resources: { requests: { storage: '1Gi' } },
      },
    },
  },
  {
    apiVersion: 'batch/v1',
    kind: 'Job',
    namespaced: true,
    weight: 1,
    rest: { spec: { suspend: true, template: { spec: { ...template.spec, restartPolicy: 'Never' } } } },
  },
  { apiVersion: `${GROUP}/v1`, kind: 'Widget', namespaced: true, weight: 3, rest: { spec: {} } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    namespaced: false,
    weight: 2,
    rest: { rules: [] },
  },
  { apiVersion: `${GROUP}/v1`, kind: 'Gadget', namespaced: false, weight: 2, rest: { spec: {} } },
];

/** Of a hundred references so many are as they should be. More wrong ones make more races than comparisons. */
const RIGHT_PERCENT = 90;

/** Of a hundred right references so many are written oddly, unless told. */
const ODD_PERCENT = 4;
/** Makes the choice of odd references one of its own, so that the graph is the same without them. */
const ODD_SEED = 1_000_003;

/** `oddPercent` of its owner references have an odd kind or uid. */
export function randomScenario(seed: number, mode: Mode, oddPercent = ODD_PERCENT): Scenario {
  const random = new Random(seed);
  const chance = (percent: number): boolean => random.below(100) < percent;
  const owned = withOwners(randomManifests(plainKinds, random, chance), random, chance);
  const manifests = withOddReferences(owned, new Random(seed + ODD_SEED), oddPercent);
  const before: ScenarioStep[] = [];
  // Objects that are being deleted already when the collector first sees them.
  for (const manifest of manifests) {
    if (!chance(3)) continue;
    before.push({ delete: nameOf(manifest), cascade: randomCascade(random) });
  }
  const actions = randomActions(manifests, random, chance);
  const begin: ScenarioStep[] = [{ create: manifests }, ...before];
  const start: ScenarioStep = { controllerManager: 'start' };
  const restart: ScenarioStep[] = [{ controllerManager: 'stop' }, start, 'settle'];
  const steps: Record<Mode, readonly ScenarioStep[]> = {
    stopped: [...begin, ...actions, start, 'settle'],
    running: [...begin, start, 'settle', ...actions, 'settle'],
    restarted: [...begin, start, 'settle', ...actions, 'settle', ...restart],
  };
  return {
    title: `random graph ${seed}, controller manager ${mode}`,
    nodes: 1,
    scheduler: false,
    steps: steps[mode],
  };
}

export type Chance = (percent: number) => boolean;

export function randomManifests(
  kinds: readonly KindOfNode[],
  random: Random,
  chance: Chance,
): ScenarioManifest[] {
  const count = 4 + random.below(9);
  return Array.from({ length: count }, (_, index) => {
    const { apiVersion, kind, namespaced, rest } = randomKind(kinds, random);
    const finalizers = chance(8) ? ['example.com/hold'] : [];
    // The collector's own finalizers can be on objects that nobody deletes.
    if (chance(4)) finalizers.push(chance(50) ? 'orphan' : 'foregroundDeletion');
    const namespace = namespaced ? { namespace: chance(75) ? 'a' : 'b' } : {};
    const metadata = { name: `o${index}`, ...namespace, ...(finalizers.length > 0 ? { finalizers } : {}) };
    return { apiVersion, kind, metadata, ...rest };
  });
}

export function withOwners(
  manifests: readonly ScenarioManifest[],
  random: Random,
  chance: Chance,
): ScenarioManifest[] {
  return manifests.map((manifest, index) => {
    const count = [0, 1, 1, 1, 1, 2, 2, 3][random.below(8)] ?? 0;
    const ownerReferences: SymbolicReference[] = [];
    for (let i = 0; i < count; i++) {
      // Mostly trees and shared owners; cycles and self references now and then.
      const limit = chance(88) ? index : manifests.length;
      const owner = manifests[random.below(Math.max(1, limit))];
      if (owner === undefined || (limit === 0 && !chance(20))) continue;
      const references = randomReferences(manifest, owner, { random, chance, manifests });
      const known = new Set(ownerReferences.map(({ of }) => of));
      // The same owner twice comes about on purpose, and else only now and then: its end is a race.
      if (chance(10) || !references.some(({ of }) => known.has(of))) ownerReferences.push(...references);
    }
    if (ownerReferences.length === 0) return manifest;
    const controller = chance(30) ? random.below(ownerReferences.length) : -1;
    const marked = ownerReferences.map((each, at) =>
      at === controller ? { ...each, controller: true } : each,
    );
    return { ...manifest, metadata: { ...manifest.metadata, ownerReferences: marked } };
  });
}

interface Choice {
  readonly random: Random;
  readonly chance: Chance;
  readonly manifests: readonly ScenarioManifest[];
}

function randomReferences(
  of: ScenarioManifest,
  owner: ScenarioManifest,
  choice: Choice,
): SymbolicReference[] {
  const { random, chance, manifests } = choice;
  const block = chance(75) ? { blockOwnerDeletion: true } : chance(20) ? { blockOwnerDeletion: false } : {};
  // Right references mostly stay in their namespace and scope.
  const fitting = manifests.filter(each => canOwn(each, of));
  const near = chance(85) && !canOwn(owner, of) ? fitting[random.below(Math.max(1, fitting.length))] : owner;
  if (near === undefined) return [];
  const right: SymbolicReference = { of: nameOf(near), ...block };
  if (chance(RIGHT_PERCENT)) return [right];
  const uid = randomUid(random);
  const wrong = random.below(28);
  if (wrong < 5) return [{ ...right, uid }];
  if (wrong < 9) return [{ ...right, name: 'renamed' }];
  if (wrong < 13) return [{ ...right, apiVersion: 'v1', kind: chance(50) ? 'Secret' : 'ConfigMap' }];
  if (wrong < 16) return [{ ...right, apiVersion: `${GROUP}/v1beta1`, kind: 'Widget' }];
  if (wrong < 17) return [{ ...right, apiVersion: 'apps/v1beta1' }];
  if (wrong < 18) return [{ ...right, apiVersion: 'gone.example.com/v1', kind: 'Gone' }];
  if (wrong < 21) return [{ ...right, apiVersion: `${GROUP}/v1`, kind: 'Gadget' }];
  // The same uid twice, once wrongly.
  if (wrong < 24) return [right, { ...right, name: 'another' }];
  if (wrong < 26) return [{ ...right, name: 'another' }, right];
  return [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'never-made', uid, ...block }];
}

function canOwn(owner: ScenarioManifest, of: ScenarioManifest): boolean {
  const { namespace } = owner.metadata;
  return namespace === undefined || namespace === of.metadata.namespace;
}

function randomActions(
  manifests: readonly ScenarioManifest[],
  random: Random,
  chance: Chance,
): ScenarioStep[] {
  const count = chance(12) ? 0 : chance(90) ? 1 : 2;
  const actions: ScenarioStep[] = [];
  for (let i = 0; i < count; i++) {
    // Owners make the more interesting targets.
    const owned = manifests.flatMap(
      ({ metadata }) => metadata.ownerReferences?.flatMap(({ of }) => of ?? []) ?? [],
    );
    const any = manifests[random.below(manifests.length)];
    const target = chance(80) ? owned[random.below(Math.max(1, owned.length))] : undefined;
    const name = target ?? (any === undefined ? undefined : nameOf(any));
    if (name === undefined) continue;
    actions.push({ delete: name, cascade: randomCascade(random) });
  }
  return actions;
}

export function randomCascade(random: Random): ScenarioCascade {
  const cascades: readonly ScenarioCascade[] = [
    'background',
    'foreground',
    'foreground',
    'orphan',
    'default',
  ];
  return cascades[random.below(cascades.length)] ?? 'background';
}

function randomKind(kinds: readonly KindOfNode[], random: Random): KindOfNode {
  let at = random.below(kinds.reduce((sum, { weight }) => sum + weight, 0));
  for (const kind of kinds) {
    at -= kind.weight;
    if (at < 0) return kind;
  }
  throw new Error('no kind left');
}

function randomUid(random: Random): string {
  const digits = Array.from({ length: 12 }, () => random.below(16).toString(16)).join('');
  return `00000000-0000-4000-8000-${digits}`;
}
