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
