/** Objects that wait for planted causes through up to six edges of random kinds. */
import type { JsonRecord } from '../../../src/model/json/json.ts';
import type { Random } from '../../../src/simulation/runtime/random.ts';

export const DELETED = '2026-11-20T10:00:00Z';
const CREATED = '2026-11-01T10:00:00Z';
export const now = Date.parse('2026-11-21T10:00:00Z');
const CLEANUP = 'ops.example.org/cleanup';

export interface Planted {
  readonly cause: string;
  readonly objects: readonly JsonRecord[];
  /** Uids of the objects that wait for it. */
  readonly waiting: readonly string[];
}

/** An object that is being deleted, to be built up. */
interface Gear {
  readonly json: { metadata: Record<string, unknown>; [field: string]: unknown };
  readonly uid: string;
  readonly name: string;
}

export const operator: JsonRecord = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'ops-operator', namespace: 'ops', uid: 'operator', creationTimestamp: CREATED },
  spec: { replicas: 1, selector: { matchLabels: { app: 'ops' } }, template: { spec: {} } },
  status: { replicas: 1, readyReplicas: 1 },
};

function gear(namespace: string, name: string, finalizers: readonly string[], more: JsonRecord = {}): Gear {
  const uid = `${namespace}-${name}`;
  const metadata = {
    name,
    namespace,
    uid,
    creationTimestamp: CREATED,
    deletionTimestamp: DELETED,
    finalizers,
  };
  return { uid, name, json: { apiVersion: 'ops.example.org/v1', kind: 'Gear', metadata, ...more } };
}

function condition(message: string): JsonRecord {
  const status = { type: 'Ready', status: 'False', reason: 'Deleting', message, lastTransitionTime: DELETED };
  return { status: { conditions: [status] } };
}

const roots: readonly ((namespace: string) => { readonly cause: string; readonly gear: Gear })[] = [
  namespace => {
    const finalizer = `${namespace}.example.com/drain`;
    return { cause: `finalizer/${finalizer}`, gear: gear(namespace, 'root-0', [finalizer]) };
  },
  namespace => ({
    cause: `Secret/${namespace}/login`,
    gear: gear(namespace, 'root-0', [CLEANUP], condition('cannot clean up: secrets "login" not found')),
  }),
  namespace => ({
    cause: `Gear.ops.example.org/${namespace}/keeper-0`,
    gear: gear(namespace, 'root-0', [CLEANUP], condition('waiting for Gear keeper-0 to be deleted')),
  }),
];

/** Ways in which a new object waits for another one. */
const edges: readonly ((waiter: string, on: Gear, namespace: string) => Gear)[] = [
  (waiter, on, namespace) => {
    const gearThat = gear(namespace, waiter, ['foregroundDeletion']);
    own(gearThat, on, true);
    return gearThat;
  },
  (waiter, on, namespace) => {
    const gearThat = gear(namespace, waiter, [CLEANUP]);
    own(gearThat, on, false);
    return gearThat;
  },
  (waiter, on, namespace) =>
    gear(namespace, waiter, [CLEANUP], condition(`waiting until Gear ${on.name} is removed`)),
  (waiter, on, namespace) => {
    const entry = { group: 'ops.example.org', version: 'v1', kind: 'Gear', namespace, name: on.name };
    return gear(namespace, waiter, [CLEANUP], { status: { resources: [entry] } });
  },
];

function own(owner: Gear, dependent: Gear, blockOwnerDeletion: boolean): void {
  const { metadata } = dependent.json;
  const references = (metadata['ownerReferences'] as unknown[] | undefined) ?? [];
  const { apiVersion, kind } = owner.json;
  const { uid, name } = owner;
  metadata['ownerReferences'] = [...references, { apiVersion, kind, name, uid, blockOwnerDeletion }];
}

export function plant(namespace: string, random: Random, most = 100): Planted {
  const root = roots[random.below(roots.length)]!(namespace);
  const levels: Gear[][] = [[root.gear]];
  const size = 1 + random.below(most);
  for (let count = 0; count < size; count += 1) {
    const depth = random.below(Math.min(6, levels.length));
    const on = levels[depth]![random.below(levels[depth]!.length)]!;
    const waiter = edges[random.below(edges.length)]!(`waiter-${count}`, on, namespace);
    (levels[depth + 1] ??= []).push(waiter);
  }
  const gears = levels.flat();
  const keeper = gear(namespace, 'keeper-0', []).json;
  delete keeper.metadata['deletionTimestamp'];
  return {
    cause: root.cause,
    objects: [keeper, ...gears.map(({ json }) => json)],
    waiting: gears.map(({ uid }) => uid),
  };
}

export function listOf(apiVersion: string, kind: string): JsonRecord {
  return { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: '1' }, items: [] };
}
