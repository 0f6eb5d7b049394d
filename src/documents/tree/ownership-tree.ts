/** The OwnershipTree document (docs/documents.md): its types, and how a place in the tree becomes a Node. */
import {
  type Certainty,
  type DeletionState,
  deletionState,
  type Judgement,
  type OwnerStanding,
  type OwnerStatus,
  ownerStanding,
  type Verdict,
  verdict as verdictIn,
} from '../../collector/verdict.ts';
import { type ManagedBy, managedBy } from '../../diagnosis/explain/managed-by.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { KubeObject, OwnerReference } from '../../model/object.ts';
import { ownershipNotes } from '../../text/diagnosis/notes.ts';
import { ghostText, stateText } from '../../text/diagnosis/state.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import type { StateText } from '../../text/terminal/style.ts';
import { type ManagedByDocument, managedByDocument, type ObjectRef, objectRef } from '../basis.ts';
import type { NodeLookup, TreePosition } from './selection.ts';

export interface TreeOwner {
  readonly object: ObjectRef;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
  readonly status: OwnerStatus;
  /** `assumed` where it cannot be seen, and where no look-up has confirmed yet that it is absent. */
  readonly certainty: Certainty;
}

/** A Node without its `dependents`, which printers write as they come. */
export interface TreeNodeHead {
  readonly object: ObjectRef;
  readonly state: DeletionState;
  /** What text prints as STATE, without its mark; left out where there is nothing to say. */
  readonly stateText?: string;
  readonly verdict: Verdict;
  readonly certainty: Certainty;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  /** Left out of virtual nodes. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Of pods that are bound to one. */
  readonly nodeName?: string;
  readonly finalizers: readonly string[];
  /** The tools that manage it beside its owners, by its own marks or with its controller. */
  readonly managedBy: readonly ManagedByDocument[];
  readonly owners: readonly TreeOwner[];
  /** What text prints as NOTE, clause by clause. */
  readonly notes: readonly string[];
  readonly seeAlso?: true;
  readonly cycle?: true;
  readonly selected?: true;
}

export interface TreeContext {
  /** The tools that manage an object beside its owners, by its own marks or with its controller. */
  managers(node: GraphNode): readonly ManagedBy[];
  readonly graph: NodeLookup;
  verdict(node: GraphNode): Judgement;
  ownerStanding(node: GraphNode, reference: OwnerReference): OwnerStanding;
  /** Whether instances of a kind have a namespace; undefined for a kind that isn't served. */
  namespaced(apiVersion: string, kind: string): boolean | undefined;
}

export function treeContext(view: ClusterView): TreeContext {
  return {
    managers: node => managedBy(view, node),
    graph: view.graph,
    verdict: node => verdictIn(view, node),
    ownerStanding: (node, reference) => ownerStanding(view, node, reference),
    namespaced: (apiVersion, kind) => view.catalog.resolveKind(apiVersion, kind)?.namespaced,
  };
}

/**
 * The owner as the reference names it, in the namespace where the collector looks for it (docs/kubernetes.md §2.3),
 * or in the one where it was seen.
 */
function ownerRef(context: TreeContext, node: GraphNode, reference: OwnerReference): ObjectRef {
  const known = context.graph.get(reference.uid)?.identity;
  const { apiVersion, kind, name, uid } = reference;
  const seen =
    known !== undefined &&
    known.apiVersion === apiVersion &&
    known.kind === kind &&
    known.name === name &&
    context.graph.get(reference.uid)?.virtual === false;
  const clusterScoped = context.namespaced(apiVersion, kind) === false;
  const namespace = seen ? known.namespace : clusterScoped ? '' : node.identity.namespace;
  return objectRef({ apiVersion, kind, namespace, name, uid });
}

export function treeOwner(context: TreeContext, node: GraphNode, reference: OwnerReference): TreeOwner {
  const { status, certainty } = context.ownerStanding(node, reference);
  return {
    object: ownerRef(context, node, reference),
    controller: reference.controller === true,
    blockOwnerDeletion: reference.blockOwnerDeletion === true,
    status,
    certainty,
  };
}

/** What a Node says beside its dependents, in the order in which it is printed. */
export function treeNodeHead(context: TreeContext, place: TreePosition, now: number): TreeNodeHead {
  const { node } = place;
  const { object } = node;
  const { verdict, certainty } = context.verdict(node);
  const { text } = stateAt(context, node, now);
  return {
    object: objectRef(treeIdentity(context, node)),
    state: deletionState(node),
    ...(text === '' ? {} : { stateText: text }),
    verdict,
    certainty,
    ...(object === undefined ? {} : metadataOf(object)),
    finalizers: object?.finalizers ?? [],
    managedBy: context.managers(node).map(managedByDocument),
    owners: node.owners.map(reference => treeOwner(context, node, reference)),
    notes: notesAt(context, place),
    ...(place.seeAlso ? { seeAlso: true as const } : {}),
    ...(place.cycle ? { cycle: true as const } : {}),
    ...(place.selected ? { selected: true as const } : {}),
  };
}

/** When it was created, and when its deletion was asked for. */
export function timesOf({
  creationTimestamp: created,
  deletionTimestamp: deleted,
}: KubeObject): Pick<TreeNodeHead, 'creationTimestamp' | 'deletionTimestamp'> {
  return {
    ...(created === 0 ? {} : { creationTimestamp: formatTimestamp(created) }),
    ...(deleted === undefined ? {} : { deletionTimestamp: formatTimestamp(deleted) }),
  };
}

function metadataOf(
  object: KubeObject,
): Pick<TreeNodeHead, 'creationTimestamp' | 'deletionTimestamp' | 'labels' | 'nodeName'> {
  const { facts } = object;
  const nodeName = facts?.kind === 'Pod' ? facts.nodeName : '';
  return {
    ...timesOf(object),
    labels: labelsOf(object),
    ...(nodeName === '' ? {} : { nodeName }),
  };
}

function labelsOf({ labels }: KubeObject): Record<string, string> {
  const pairs: [string, string][] = [];
  for (let i = 0; i < labels.length; i += 2) pairs.push([labels[i] ?? '', labels[i + 1] ?? '']);
  return Object.fromEntries(pairs);
}

/**
 * A virtual node has its dependent's namespace even where the kind has none (docs/kubernetes.md §1.3); people and
 * scripts get the namespace that such an object would have.
 */
export function treeIdentity(
  context: Pick<TreeContext, 'namespaced'>,
  node: GraphNode,
): GraphNode['identity'] {
  const { identity } = node;
  return node.virtual && context.namespaced(identity.apiVersion, identity.kind) === false
    ? { ...identity, namespace: '' }
    : identity;
}

/** What is known of a virtual node stands on its dependents' references. */
function ghostState(context: TreeContext, node: GraphNode): StateText {
  for (const dependent of node.dependents)
    for (const reference of dependent.owners)
      if (reference.uid === node.identity.uid) {
        const { status, certainty } = context.ownerStanding(dependent, reference);
        return ghostText(status, certainty);
      }
  return ghostText('Unknown', 'assumed');
}

/** What the object is doing, in the words of the STATE column. `now` in milliseconds since the epoch. */
export function stateAt(context: TreeContext, node: GraphNode, now: number): StateText {
  return node.virtual ? ghostState(context, node) : stateText(node, context.verdict(node), now);
}

/** What is odd about the ownership of the object in this place: a clause each. */
export function notesAt(context: TreeContext, place: TreePosition): readonly string[] {
  return ownershipNotes({
    node: place.node,
    parent: place.parent?.node,
    seeAlso: place.seeAlso,
    cycle: place.cycle,
    standing: reference => context.ownerStanding(place.node, reference),
  });
}
