/** Data from namespace conditions' messages (pkg/controller/namespace/deletion status_condition_utils.go, v1.36). */
import type { Condition } from './facts.ts';

/** The five conditions of a namespace's deletion (docs/kubernetes.md §8). */
export type DeletionCondition =
  | 'NamespaceDeletionDiscoveryFailure'
  | 'NamespaceDeletionGroupVersionParsingFailure'
  | 'NamespaceDeletionContentFailure'
  | 'NamespaceContentRemaining'
  | 'NamespaceFinalizersRemaining';

function deletionCondition(conditions: readonly Condition[], type: DeletionCondition): Condition | undefined {
  return conditions.find(each => each.type === type && each.status === 'True');
}

export interface RemainingResource {
  readonly resource: string;
  readonly count: number;
}

/** Returns the counts in NamespaceContentRemaining; empty unless it is `True`. */
function remainingResources(conditions: readonly Condition[]): readonly RemainingResource[] {
  const message = deletionCondition(conditions, 'NamespaceContentRemaining')?.message ?? '';
  // The message keeps the dot before the core group's empty name: `pods. has 2 resource instances`.
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
 * Reports whether NamespaceContentRemaining names every kind with objects left, so all other kinds are empty and stay so.
 * The controller counts only in a pass over all kinds, once no pods are left, and reports that pass's failures. A
 * condition that names nothing, or only pods, proves nothing (docs/kubernetes.md §8).
 */
function namesAllRemaining(conditions: readonly Condition[]): boolean {
  if (failureConditions.some(type => deletionCondition(conditions, type) !== undefined)) return false;
  const message = deletionCondition(conditions, 'NamespaceContentRemaining')?.message ?? '';
  return (
    remainingForm.test(message) && remainingResources(conditions).some(({ resource }) => resource !== 'pods')
  );
}

const leftover = /unexpected items still remain in namespace: \S+ for gvr: (\S*), Resource=([\w.-]+)/gu;

/** Rewrites `unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods` in a message. */
function withLeftovers(
  message: string,
  words: (left: { readonly apiVersion: string; readonly resource: string }) => string,
): string {
  return message.replaceAll(leftover, (_, version: string, resource: string) =>
    words({ apiVersion: version.replace(/^\//u, ''), resource }),
  );
}

/** Returns `widgets.example.com` for each kind that such a message reports as remaining. */
function leftoverKinds(message: string): string[] {
  const found = [...message.matchAll(leftover)].map(([, version = '', resource = '']) => {
    const [group = ''] = version.split('/');
    return group === '' ? resource : `${resource}.${group}`;
  });
  return [...new Set(found)];
}

/** Reports whether only pods remain, as every namespace does until the kubelet answers after their grace period. */
function namesOnlyPods(message: string): boolean {
  const said = message.replace(/^Failed to delete all resource types, \d+ remaining: /u, '');
  const rest = withLeftovers(said, () => '').replaceAll(/[,\s]/gu, '');
  return rest === '' && leftoverKinds(said).join(' ') === 'pods';
}

/** Counts objects per finalizer from NamespaceFinalizersRemaining; empty unless it is `True`. */
function remainingFinalizers(conditions: readonly Condition[]): ReadonlyMap<string, number> {
  const message = deletionCondition(conditions, 'NamespaceFinalizersRemaining')?.message ?? '';
  const found = message.matchAll(/(?:^|[:,] )([^\s,]+) in (\d+) resource instances/gu);
  return new Map([...found].map(([, finalizer = '', count = '']) => [finalizer, Number(count)]));
}

export interface UndiscoveredVersion {
  readonly apiVersion: string;
  /** The error that the namespace controller's client received, verbatim. */
  readonly reason: string;
}

/** Returns versions that fail (client-go v0.36 discovery ErrGroupDiscoveryFailed); empty if all discovery failed. */
function undiscoveredVersions(conditions: readonly Condition[]): readonly UndiscoveredVersion[] {
  const message = deletionCondition(conditions, 'NamespaceDeletionDiscoveryFailure')?.message ?? '';
  const [, failures] = /unable to retrieve the complete list of server APIs: (.*)$/su.exec(message) ?? [];
  if (failures === undefined) return [];
  return failures.split(/, (?=[a-z0-9][a-z0-9.-]*\/[a-z0-9-]+: )/u).flatMap(each => {
    const [, apiVersion, reason] = /^([a-z0-9][a-z0-9.-]*\/[a-z0-9-]+): (.*)$/su.exec(each) ?? [];
    return apiVersion === undefined || reason === undefined ? [] : [{ apiVersion, reason }];
  });
}

export const DeletionCondition = {
  of: deletionCondition,
  leftoverKinds,
  namesOnlyPods,
  withLeftovers,
  undiscoveredVersions,
  namesAllRemaining,
  remainingFinalizers,
  remainingResources,
};
