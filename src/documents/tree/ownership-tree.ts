/** The OwnershipTree document (docs/documents.md): its types, and Nodes from places in the tree. */
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
  /** `assumed` if it cannot be seen, or if no look-up confirmed its absence. */
  readonly certainty: Certainty;
}

/** A Node without `dependents`, which printers add. */
export interface TreeNodeHead {
  readonly object: ObjectRef;
  readonly state: DeletionState;
  /** Text of STATE, without its mark; omitted if empty. */
  readonly stateText?: string;
  readonly verdict: Verdict;
  readonly certainty: Certainty;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly finalizers: readonly string[];
  readonly managedBy: readonly ManagedByDocument[];
  readonly owners: readonly TreeOwner[];
  readonly notes: readonly string[];
  readonly seeAlso?: true;
  readonly cycle?: true;
  readonly selected?: true;
}

export interface TreeContext {
  /** Returns tools that manage an object by its own marks or with its controller. */
  managers(node: GraphNode): readonly ManagedBy[];
  readonly graph: NodeLookup;
  verdict(node: GraphNode): Judgement;
  ownerStanding(node: GraphNode, reference: OwnerReference): OwnerStanding;
  /** Undefined for a kind that isn't served. */
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

/** Returns the owner, in the namespace where the collector looks (docs/kubernetes.md §2.3), or where it was seen. */
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

/** Corrects a virtual node's namespace, which dependents set even for cluster scope (docs/kubernetes.md §1.3). */
export function treeIdentity(
  context: Pick<TreeContext, 'namespaced'>,
  node: GraphNode,
): GraphNode['identity'] {
  const { identity } = node;
  return node.virtual && context.namespaced(identity.apiVersion, identity.kind) === false
    ? { ...identity, namespace: '' }
    : identity;
}

function ghostState(context: TreeContext, node: GraphNode): StateText {
  for (const dependent of node.dependents)
    for (const reference of dependent.owners)
      if (reference.uid === node.identity.uid) {
        const { status, certainty } = context.ownerStanding(dependent, reference);
        return ghostText(status, certainty);
      }
  return ghostText('Unknown', 'assumed');
}

/** Returns the STATE column's text. `now` is in milliseconds since the epoch. */
export function stateAt(context: TreeContext, node: GraphNode, now: number): StateText {
  return node.virtual ? ghostState(context, node) : stateText(node, context.verdict(node), now);
}

/** Returns clauses about oddities of the object's ownership in this place. */
export function notesAt(context: TreeContext, place: TreePosition): readonly string[] {
  return ownershipNotes({
    node: place.node,
    parent: place.parent?.node,
    seeAlso: place.seeAlso,
    cycle: place.cycle,
    standing: reference => context.ownerStanding(place.node, reference),
  });
}
