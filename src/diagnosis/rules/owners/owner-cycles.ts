/** Owner cycles that aren't being deleted: deleting one member deletes all (docs/kubernetes.md §10 row 6). */

import { type GraphNode, isDeleting } from '../../../graph/index.ts';
import {
  enumerated,
  type KubeObject,
  type OwnerReference,
  objectTitle,
  objectTitleIn,
  type Uid,
} from '../../../model/index.ts';
import { evidenceOn, referenceEvidence } from '../../engine/evidence.ts';
import { type ChainLink, chainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { pruneReference } from '../../remedies/change-reference.ts';

/** Limits how many owners above an object are followed; a larger cycle isn't noticed. */
const MOST_OWNERS = 100;

export const cycleRule: Rule = {
  // A member owns and is owned; nearly all other objects do only one of the two.
  appliesTo: ({ node, object, deleting }) =>
    !deleting && object.owners.length > 0 && node.dependents.size > 0,
  judge: ({ node, object }, tracked) => {
    const members = cycleOf(tracked, node);
    if (members === undefined || members.some(isDeleting)) return [];
    return [draft(tracked, object, members)];
  },
};

/** Finds the shortest path along solid references back to the node: the node first, each owned by the next. */
function cycleOf(tracked: TrackedView, start: GraphNode): readonly KubeObject[] | undefined {
  const { uid } = start.identity;
  const from = new Map<Uid, GraphNode>();
  let level: readonly GraphNode[] = [start];
  while (level.length > 0) {
    const next: GraphNode[] = [];
    for (const node of level) {
      for (const reference of node.owners) {
        const known = from.has(reference.uid);
        if (known || !isSolid(tracked, node, reference)) continue;
        if (reference.uid === uid) return wayTo(node, from);
        const owner = tracked.node(reference.uid);
        if (owner === undefined || from.size >= MOST_OWNERS) continue;
        from.set(reference.uid, node);
        next.push(owner);
      }
    }
    level = next;
  }
  return undefined;
}

function isSolid(tracked: TrackedView, node: GraphNode, reference: OwnerReference): boolean {
  return tracked.ownerStatus(node, reference) === 'Solid';
}

function wayTo(last: GraphNode, from: ReadonlyMap<Uid, GraphNode>): readonly KubeObject[] {
  const way: KubeObject[] = [];
  for (let node: GraphNode | undefined = last; node !== undefined; node = from.get(node.identity.uid)) {
    if (node.object !== undefined) way.unshift(node.object);
  }
  return way;
}

function draft(tracked: TrackedView, object: KubeObject, members: readonly KubeObject[]): FindingDraft {
  const references = object.owners.filter(({ uid }) => uid === (members[1] ?? object).uid);
  const cycle = members.map((member, index) => ({
    member,
    owner: members[(index + 1) % members.length] ?? member,
  }));
  // Built now, because the risk of pruning depends on the other owners, which are then followed as well.
  const remedies = references.slice(0, 1).map(each => prune(tracked, object, each));
  return {
    code: 'OwnerCycle',
    message: message(object, members),
    brief:
      members.length === 1
        ? 'owns itself'
        : `owned in a cycle with ${enumerated(members.slice(1).map(({ name }) => name))}`,
    evidence: cycle.flatMap(({ member, owner }) =>
      evidenceOn(
        member,
        ...member.owners.filter(({ uid }) => uid === owner.uid).map(each => referenceEvidence(member, each)),
      ),
    ),
    related: members.slice(1),
    chain: chain(members),
    remedies: () => remedies,
  };
}

function prune(tracked: TrackedView, object: KubeObject, reference: OwnerReference): OfferedRemedy {
  if (reference.uid !== object.uid) return pruneReference(tracked, object, reference);
  return pruneReference(tracked, object, reference, {
    title: `remove the reference of ${object.name} to itself`,
  });
}

function names(object: KubeObject, members: readonly KubeObject[]): string {
  return enumerated(members.slice(1).map(each => objectTitleIn(each, object.namespace)));
}

function message(object: KubeObject, members: readonly KubeObject[]): string {
  const title = objectTitle(object);
  if (members.length === 1) {
    return `${title} names itself as its owner: the garbage collector never finds it without one, and a foreground deletion of it can wait for itself.`;
  }
  return `${title} owns itself through ${names(object, members)}: whichever of them is deleted, the garbage collector deletes the others too.`;
}

function chain(members: readonly KubeObject[]): ChainLink[] {
  const [first, ...rest] = members;
  if (first === undefined) return [];
  return [
    chainLink(first, '', 'not being deleted'),
    ...rest.map(each => chainLink(each, 'owned by', 'not being deleted')),
    chainLink(first, 'owned by', rest.length === 0 ? 'itself' : 'here the cycle closes'),
  ];
}
