/**
 * Follows a deleting object down to what it waits for: dependents, finalizers and handlers, content, users, instances,
 * kubelets. For other objects, follows the owners up.
 */

import { type Hold, type HoldByObject, leadsOn } from '../../forecast/holds.ts';
import type { HoldStep } from '../../forecast/plan/deciding-path.ts';
import { deletionRequestedAt, foreignFinalizers, isDeleting, isForeground } from '../../graph/deletion.ts';
import { claimedIdentity, type GraphNode, type Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { type KubeObject, ORPHAN_FINALIZER, type OwnerReference, type Uid } from '../../model/object.ts';
import { asShown } from '../../model/text/shown.ts';
import { objectTitleIn } from '../../model/text/titles.ts';
import { type ChainLink, chainLink } from '../engine/finding.ts';
import { decidingPathOf, ownFinalizers } from '../engine/holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { handlerOn, worstHandler } from '../finalizers/on-object.ts';

/**
 * Starts with the object and ends at a leaf (a finalizer, a reference the collector fails on, a kubelet, an object
 * without a deletion) or a closing cycle. The object alone if none applies.
 */
export function chainOf(tracked: TrackedView, object: KubeObject): ChainLink[] {
  return linksOf(tracked, decidingPathOf(tracked, object));
}

export function linksOf(tracked: TrackedView, path: readonly HoldStep[]): ChainLink[] {
  const [first] = path;
  if (first === undefined) return [];
  const links: ChainLink[] = [
    { object: identityOfObject(first.object), by: '', ...deletionState(first.object) },
  ];
  for (const { object, hold } of path) {
    if (hold.by === 'cycle') {
      const names = hold.members.map(each => objectTitleIn(each, object.namespace));
      const last = links.pop();
      if (last !== undefined) {
        const circle = `${[...names, names[0] ?? ''].join(' → ')}: each waits for the next`;
        links.push(chainLink(last.object, last.by, `here the circle closes: ${circle}`));
      }
    } else if (leadsOn(hold)) {
      links.push(linkTo(object, hold));
    } else {
      const link = endLink(tracked, object, hold);
      if (link !== undefined) links.push(link);
    }
  }
  return links;
}

const ways: Readonly<Record<HoldByObject['by'], string>> = {
  dependent: 'blocked by',
  content: 'still contains',
  instance: 'still has',
  user: 'mounted by',
  claim: 'bound to',
};

function linkTo(holder: KubeObject, { by, object }: HoldByObject): ChainLink {
  const state = deletionState(object);
  const because = by === 'dependent' ? `${state.because}, blockOwnerDeletion: true` : state.because;
  const identity = identityOfObject(object);
  return { object: identity, by: ways[by], ...state, because: detail(holder, by, because) };
}

function detail(holder: KubeObject, by: HoldByObject['by'], because: string): string {
  if (by === 'user') return `${because}; mounted, so ${holder.name} keeps kubernetes.io/pvc-protection`;
  return by === 'claim' ? `${because}; bound, so ${holder.name} keeps kubernetes.io/pv-protection` : because;
}

function endLink(
  tracked: TrackedView,
  object: KubeObject,
  hold: Exclude<Hold, HoldByObject>,
): ChainLink | undefined {
  const itself = identityOfObject(object);
  switch (hold.by) {
    case 'finalizer': {
      const handler =
        worstHandler(tracked, object, ownFinalizers(tracked, object)) ??
        handlerOn(tracked, object, hold.finalizer);
      const { words, finalizer } = handler;
      const others = foreignFinalizers(object).filter(each => each !== finalizer);
      const also = others.length === 0 ? '' : `; also held by ${others.join(', ')}`;
      return { object: itself, by: 'held by', finalizer, because: `${words}${also}` };
    }
    case 'itself':
      return chainLink(itself, 'blocked by', 'itself: it names itself as an owner, blockOwnerDeletion: true');
    case 'collector':
      return chainLink(
        itself,
        'waits for',
        hold.awaits === 'orphaning'
          ? 'the garbage collector, which has to remove the owner references from its dependents'
          : tracked.view.complete
            ? 'the garbage collector: nothing that can be seen blocks it any more'
            : 'a dependent that cannot be seen, or the garbage collector',
      );
    case 'unseenClaim':
      return chainLink(
        {
          ...itself,
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          namespace: hold.namespace,
          name: hold.name,
        },
        'bound to',
        'cannot be seen',
      );
    case 'unseen':
      return hold.reported === ''
        ? chainLink(itself, 'waits for', `${hold.what} that cannot be seen`)
        : chainLink(itself, 'still contains', `${hold.reported}, which cannot be seen`);
    case 'discovery':
      return chainLink(itself, 'waits for', `the discovery of ${hold.groupVersions.join(', ')}, which fails`);
    case 'kubelet':
      return chainLink(nodeOf(tracked, hold.node) ?? itself, 'waits for', kubelet[hold.state](hold.node));
    case 'uncollected':
      return uncollected(object, hold);
    case 'apiServer':
    case 'alive':
    // A separate rule covers these.
    case 'admission':
      return undefined;
  }
}

const kubelet = {
  grace: (node: string) => `the kubelet on ${node} stops its containers: the grace period isn't over`,
  ready: (node: string) => `the kubelet on ${node} has to confirm that its containers have stopped`,
  notReady: (node: string) =>
    `the kubelet on ${node} doesn't answer, so nobody confirms that its containers have stopped`,
  missing: (node: string) =>
    `node ${node} doesn't exist or cannot be seen, so no kubelet confirms that its containers have stopped`,
} as const;

function nodeOf(tracked: TrackedView, name: string): Identity | undefined {
  const node = tracked.findKind('v1', 'Node', '', name);
  return node && identityOfObject(node);
}

/** Explains why the collector doesn't delete an object whose owner waits for it (docs/kubernetes.md §2.3). */
function uncollected(
  object: KubeObject,
  { because, reference }: Extract<Hold, { by: 'uncollected' }>,
): ChainLink {
  const { apiVersion, kind } = asShown(reference);
  const reasons = {
    unresolvable: `nothing serves ${kind} of ${apiVersion}, so the garbage collector cannot tell whether that owner exists, and deletes nothing`,
    clusterScope: `a namespaced owner of a cluster-scoped object: the garbage collector refuses to follow it`,
    unknown: "cannot be seen, so whether it keeps the object isn't known",
  } as const;
  const namespace = because === 'clusterScope' ? '' : object.namespace;
  return chainLink(claimedIdentity(reference, namespace), 'owned by', reasons[because]);
}

function deletionState(object: KubeObject): Pick<ChainLink, 'because' | 'since'> {
  if (!isDeleting(object)) return { because: 'not being deleted' };
  const since = deletionRequestedAt(object);
  if (object.finalizers.includes(ORPHAN_FINALIZER))
    return { because: 'deleting, orphaning its dependents', since };
  return { because: isForeground(object) ? 'deleting in the foreground' : 'deleting', since };
}

/** Ends at a root, an absent owner, or a closing cycle. */
export function ownersChain(tracked: TrackedView, start: GraphNode): ChainLink[] {
  const state =
    start.object === undefined ? { because: 'only known from references to it' } : ownerState(start.object);
  const links: ChainLink[] = [{ object: start.identity, by: '', ...state }];
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
      const closes = seen.has(reference.uid) ? 'here a cycle of owners closes' : ownerFaults[status];
      links.push(chainLink(asReferred(node, reference), by, `${closes}${besides}`));
      return links;
    }
    seen.add(reference.uid);
    const state = ownerState(owner.object);
    links.push({ object: owner.identity, by, ...state, because: `${state.because}${besides}` });
    node = owner;
  }
}

/** Prefers the controller, as users do; the collector treats all owners alike. */
function mainOwner(owners: readonly OwnerReference[]): OwnerReference | undefined {
  return owners.find(({ controller }) => controller === true) ?? owners[0];
}

export const ownerFaults = {
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

function ownerState(object: KubeObject | undefined): Pick<ChainLink, 'because' | 'since'> {
  // The first node describes itself, so this owner was found by a look-up.
  if (object === undefined) return { because: 'there, though no list holds it yet' };
  if (!isDeleting(object)) {
    const created = object.creationTimestamp;
    return { because: 'there', since: created === 0 ? undefined : created };
  }
  return deletionState(object);
}

/** Ends with the container if nothing inside it decides. */
export function chainInto(
  tracked: TrackedView,
  container: KubeObject,
  deciding: KubeObject | undefined,
  because: string,
): ChainLink[] {
  const by = container.facts?.kind === 'Namespace' ? 'still contains' : 'still has';
  const inside = deciding === undefined ? [] : chainOf(tracked, deciding);
  return [
    chainLink(identityOfObject(container), '', because, container.deletionTimestamp),
    ...inside.map((link, index) => (index === 0 ? { ...link, by } : link)),
  ];
}
