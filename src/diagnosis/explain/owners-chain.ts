/** The chain of an object that nothing holds up: from it to its owner, and on to whoever owns that. */
import { isDeleting, isForeground } from '../../graph/deletion.ts';
import type { GraphNode, Identity } from '../../graph/node.ts';
import { type KubeObject, ORPHAN_FINALIZER, type OwnerReference, type Uid } from '../../model/object.ts';
import type { ChainLink } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

/** Begins with the node itself; ends at a root, at an owner that isn't there, or where a cycle closes. */
export function ownersChain(tracked: TrackedView, start: GraphNode): ChainLink[] {
  const links: ChainLink[] = [{ object: start.identity, by: '', ...startOf(start) }];
  const seen = new Set<Uid>([start.identity.uid]);
  for (let node = start; ; ) {
    const reference = mainOwner(node.owners);
    if (reference === undefined) return links;
    const owner = tracked.node(reference.uid);
    const by = reference.controller === true ? 'controlled by' : 'owned by';
    const status = tracked.ownerStatus(node, reference);
    const others = node.owners.length - 1;
    const besides = others === 0 ? '' : `, and by ${others} more`;
    if (owner === undefined || seen.has(reference.uid) || status !== 'Solid') {
      const closes = seen.has(reference.uid) ? 'here a cycle of owners closes' : faults[status];
      links.push({ object: asReferred(node, reference), by, because: `${closes}${besides}` });
      return links;
    }
    seen.add(reference.uid);
    const state = stateOf(owner.object);
    links.push({ object: owner.identity, by, ...state, because: `${state.because}${besides}` });
    node = owner;
  }
}

/** The collector asks all owners alike; the controller is the one that people look for. */
function mainOwner(owners: readonly OwnerReference[]): OwnerReference | undefined {
  return owners.find(({ controller }) => controller === true) ?? owners[0];
}

const faults = {
  Solid: 'is there',
  WaitingForDependents: 'is being deleted in the foreground',
  Absent: "doesn't exist",
  Mismatched: 'is another object than the reference says',
  OtherNamespace: 'is in another namespace',
  ClusterScopeViolation: 'is namespaced, while its dependent is not',
  Unresolvable: 'is of a kind that is not served',
  Unknown: 'cannot be seen',
} as const;

function asReferred(node: GraphNode, { apiVersion, kind, name, uid }: OwnerReference): Identity {
  return { apiVersion, kind, namespace: node.identity.namespace, name, uid };
}

function startOf({ object }: GraphNode): Pick<ChainLink, 'because' | 'since'> {
  return object === undefined ? { because: 'only known from references to it' } : stateOf(object);
}

function stateOf(object: KubeObject | undefined): Pick<ChainLink, 'because' | 'since'> {
  // The node that was asked about says itself what it is; an owner is here only where a look-up has found it.
  if (object === undefined) return { because: 'there, though no list holds it yet' };
  if (!isDeleting(object)) {
    const created = object.creationTimestamp;
    return { because: 'there', since: created === 0 ? undefined : created };
  }
  const since = (object.deletionTimestamp ?? 0) - (object.deletionGracePeriodSeconds ?? 0) * 1000;
  if (object.finalizers.includes(ORPHAN_FINALIZER))
    return { because: 'deleting, orphaning its dependents', since };
  return { because: isForeground(object) ? 'deleting in the foreground' : 'deleting', since };
}
