/**
 * What a namespace's conditions say in data: which kinds are left in it and how many, which finalizers hold them, which
 * APIs fail. Read from their messages, because nothing else names them (pkg/controller/namespace/deletion
 * status_condition_utils.go, v1.36).
 */
import type { Condition } from './facts.ts';

/** The five conditions of a namespace's deletion (docs/kubernetes.md §8). */
export type DeletionCondition =
  | 'NamespaceDeletionDiscoveryFailure'
  | 'NamespaceDeletionGroupVersionParsingFailure'
  | 'NamespaceDeletionContentFailure'
  | 'NamespaceContentRemaining'
  | 'NamespaceFinalizersRemaining';

/** The condition where it is `True`. */
export function deletionCondition(
  conditions: readonly Condition[],
  type: DeletionCondition,
): Condition | undefined {
  return conditions.find(each => each.type === type && each.status === 'True');
}

export interface RemainingResource {
  /** `staticroutes.gateway.kusk.io`, `pods`. */
  readonly resource: string;
  readonly count: number;
}

/** What NamespaceContentRemaining counts; empty where it isn't `True`. */
export function remainingResources(conditions: readonly Condition[]): readonly RemainingResource[] {
  const message = deletionCondition(conditions, 'NamespaceContentRemaining')?.message ?? '';
  // A resource of the core group keeps the dot in front of the group's name: `pods. has 2 resource instances`.
  return [...message.matchAll(/(?:^|[:,] )([\w.-]+?)\.? has (\d+) resource instances/gu)].map(
    ([, resource = '', count = '']) => ({ resource, count: Number(count) }),
  );
}

const remainingForm =
  /^Some resources are remaining: [\w.-]+ has \d+ resource instances(?:, [\w.-]+ has \d+ resource instances)*$/u;

const failureConditions: readonly DeletionCondition[] = [
  'NamespaceDeletionDiscoveryFailure',
  'NamespaceDeletionGroupVersionParsingFailure',
  'NamespaceDeletionContentFailure',
];

/**
 * Whether NamespaceContentRemaining names every kind of which anything was left: then all others were empty, and stay so,
 * because nothing can be created in a namespace that is being deleted. The controller counts only in a pass over all kinds,
 * which begins when no pods are left, and a failure in it is reported with it; a condition that names nothing, or pods
 * alone, proves nothing (docs/kubernetes.md §8).
 */
export function namesAllRemaining(conditions: readonly Condition[]): boolean {
  if (failureConditions.some(type => deletionCondition(conditions, type) !== undefined)) return false;
  const message = deletionCondition(conditions, 'NamespaceContentRemaining')?.message ?? '';
  return (
    remainingForm.test(message) && remainingResources(conditions).some(({ resource }) => resource !== 'pods')
  );
}

const leftover = /unexpected items still remain in namespace: \S+ for gvr: (\S*), Resource=([\w.-]+)/gu;

/**
 * A message of NamespaceDeletionContentFailure with other words for each `unexpected items still remain in namespace: shop
 * for gvr: /v1, Resource=pods`; the version is `v1`, `example.com/v1`.
 */
export function withLeftovers(
  message: string,
  words: (left: { readonly apiVersion: string; readonly resource: string }) => string,
): string {
  return message.replaceAll(leftover, (_, version: string, resource: string) =>
    words({ apiVersion: version.replace(/^\//u, ''), resource }),
  );
}

/** `widgets.example.com` for each kind of which such a message says that it is still there. */
export function leftoverKinds(message: string): string[] {
  const found = [...message.matchAll(leftover)].map(([, version = '', resource = '']) => {
    const [group = ''] = version.split('/');
    return group === '' ? resource : `${resource}.${group}`;
  });
  return [...new Set(found)];
}

/** Between the end of a pod's grace period and its kubelet's word this is reported of every namespace. */
export function namesOnlyPods(message: string): boolean {
  const said = message.replace(/^Failed to delete all resource types, \d+ remaining: /u, '');
  const rest = withLeftovers(said, () => '').replaceAll(/[,\s]/gu, '');
  return rest === '' && leftoverKinds(said).join(' ') === 'pods';
}

/** Objects in the namespace by finalizer, as NamespaceFinalizersRemaining counts them; empty where it isn't `True`. */
export function remainingFinalizers(conditions: readonly Condition[]): ReadonlyMap<string, number> {
  const message = deletionCondition(conditions, 'NamespaceFinalizersRemaining')?.message ?? '';
  const found = message.matchAll(/(?:^|[:,] )([^\s,]+) in (\d+) resource instances/gu);
  return new Map([...found].map(([, finalizer = '', count = '']) => [finalizer, Number(count)]));
}

export interface UndiscoveredVersion {
  /** `metrics.k8s.io/v1beta1` */
  readonly apiVersion: string;
  /** As the client of the namespace controller was told, verbatim. */
  readonly reason: string;
}

/**
 * Group/versions that NamespaceDeletionDiscoveryFailure names (client-go v0.36 discovery ErrGroupDiscoveryFailed); empty
 * where discovery failed as a whole, and where the condition isn't `True`.
 */
export function undiscoveredVersions(conditions: readonly Condition[]): readonly UndiscoveredVersion[] {
  const message = deletionCondition(conditions, 'NamespaceDeletionDiscoveryFailure')?.message ?? '';
  const [, failures] = /unable to retrieve the complete list of server APIs: (.*)$/su.exec(message) ?? [];
  if (failures === undefined) return [];
  // An error's own words may hold commas; a group/version with a colon behind it begins the next.
  return failures.split(/, (?=[a-z0-9][a-z0-9.-]*\/[a-z0-9-]+: )/u).flatMap(each => {
    const [, apiVersion, reason] = /^([a-z0-9][a-z0-9.-]*\/[a-z0-9-]+): (.*)$/su.exec(each) ?? [];
    return apiVersion === undefined || reason === undefined ? [] : [{ apiVersion, reason }];
  });
}
