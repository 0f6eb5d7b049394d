/**
 * The conditions that a namespace's deletion is reported by (docs/kubernetes.md §8;
 * pkg/controller/namespace/deletion/status_condition_utils.go, v1.36), as pure functions.
 */
import type { Condition } from '../../model/facts/facts.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';

/** What one pass over a namespace's content found. */
export interface ContentTotals {
  readonly remaining: ReadonlyMap<ResourceType, number>;
  /** Objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** What went wrong in a pass; the condition's message each, undefined or empty where nothing did. */
export interface PassFailures {
  readonly discovery?: string | undefined;
  readonly groupVersions?: string | undefined;
  readonly content?: readonly string[];
}

// In the order in which missing conditions are added.
const untroubled: readonly { readonly type: string; readonly reason: string; readonly message: string }[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  {
    type: 'NamespaceContentRemaining',
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  {
    type: 'NamespaceFinalizersRemaining',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
];

/**
 * The conditions after a pass; the same list where nothing changed. Without totals, as while pods are waited
 * for, content and finalizers are reported as gone although they may not be (docs/kubernetes.md §8, pitfall). `now`
 * is in milliseconds since the epoch.
 */
export function updatedConditions(
  before: readonly Condition[],
  pass: { readonly failures: PassFailures; readonly totals: ContentTotals | undefined },
  now: number,
): readonly Condition[] {
  const found = troubles(pass.failures, pass.totals);
  const after = [...before];
  let changed = false;
  for (const ok of untroubled) {
    const trouble = found.get(ok.type);
    const status = trouble === undefined ? 'False' : 'True';
    const { reason, message } = trouble ?? ok;
    const index = after.findIndex(condition => condition.type === ok.type);
    const old = after[index];
    if (old?.status === status && old.reason === reason && old.message === message) continue;
    changed = true;
    const since = old?.status === status ? old.since : now;
    const condition = { type: ok.type, status, reason, message, since };
    if (index < 0) after.push(condition);
    else after[index] = condition;
  }
  return changed ? after : before;
}

type Trouble = Pick<Condition, 'reason' | 'message'>;

function troubles(failures: PassFailures, totals: ContentTotals | undefined): Map<string, Trouble> {
  const found = new Map<string, Trouble>();
  const add = (type: string, reason: string, message: string | undefined): void => {
    if (message !== undefined) found.set(type, { reason, message });
  };
  add('NamespaceDeletionDiscoveryFailure', 'DiscoveryFailed', failures.discovery);
  add('NamespaceDeletionGroupVersionParsingFailure', 'GroupVersionParsingFailed', failures.groupVersions);
  add('NamespaceDeletionContentFailure', 'ContentDeletionFailed', contentFailure(failures.content ?? []));
  add('NamespaceContentRemaining', 'SomeResourcesRemain', remainingMessage(totals?.remaining));
  add('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', finalizersMessage(totals?.finalizers));
  return found;
}

function contentFailure(errors: readonly string[]): string | undefined {
  if (errors.length === 0) return undefined;
  const all = [...errors].sort().join(', ');
  return `Failed to delete all resource types, ${errors.length} remaining: ${all}`;
}

function remainingMessage(remaining: ReadonlyMap<ResourceType, number> = new Map()): string | undefined {
  if (remaining.size === 0) return undefined;
  // The group's dot stays where the group is empty: `pods. has 2 resource instances`.
  const each = [...remaining].map(
    ([type, count]) => `${type.resource}.${type.group} has ${count} resource instances`,
  );
  return `Some resources are remaining: ${each.sort().join(', ')}`;
}

function finalizersMessage(finalizers: ReadonlyMap<string, number> = new Map()): string | undefined {
  if (finalizers.size === 0) return undefined;
  const each = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`);
  return `Some content in the namespace has finalizers remaining: ${each.sort().join(', ')}`;
}
