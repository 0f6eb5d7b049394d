/** The OwnershipTree document (docs/documents.md): its nodes from places in the tree. */
import { DeletionState, Judgement, OwnerStanding } from '../../../collector/index.ts';
import { type ManagedBy, managedBy } from '../../../diagnosis/index.ts';
import type { ClusterView, GraphNode } from '../../../graph/index.ts';
import { type KubeObject, Labels, type OwnerReference } from '../../../model/index.ts';
import { type StateText, stateWords, timeText, type WhyAnswer } from '../../../text/index.ts';
import { managedByDocument, objectRef } from '../basis.ts';
import type { ObjectRef, Owner, TreeNode } from '../definitions.ts';
import { userFields } from '../findings/diagnosis-document.ts';
import { ownershipNotes } from './ownership-notes.ts';
import type { NodeLookup, TreePosition } from './selection.ts';

/** A node without `dependents`, which printers add. */
export type TreeNodeHead = Omit<TreeNode, 'dependents'>;

export interface TreeContext {
  /** Returns the tools that the marks of the object or of its controllers name. */
  managers(node: GraphNode): readonly ManagedBy[];
  readonly graph: NodeLookup;
  verdict(node: GraphNode): Judgement;
  ownerStanding(node: GraphNode, reference: OwnerReference): OwnerStanding;
  /** Undefined if users aren't asked for, or nothing can use the object. */
  usedBy(node: GraphNode): WhyAnswer['usedBy'];
  /** Undefined for a kind that isn't served. */
  namespaced(apiVersion: string, kind: string): boolean | undefined;
}

export function treeContext(view: ClusterView, usedBy: TreeContext['usedBy'] = () => undefined): TreeContext {
  return {
    usedBy,
    managers: node => managedBy(view, node),
    graph: view.graph,
    verdict: node => Judgement.of(view, node),
    ownerStanding: (node, reference) => OwnerStanding.of(view, node, reference),
    namespaced: (apiVersion, kind) => view.catalog.resolveKind(apiVersion, kind)?.namespaced,
  };
}

/** Returns the owner, in the namespace in which the collector looks it up (docs/kubernetes.md §2.3) or in which it was seen. */
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

export function treeOwner(context: TreeContext, node: GraphNode, reference: OwnerReference): Owner {
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
  const usedBy = context.usedBy(node);
  return {
    object: objectRef(treeIdentity(context, node)),
    state: DeletionState.of(node),
    ...(text === '' ? {} : { stateText: text }),
    verdict,
    certainty,
    ...(object === undefined ? {} : metadataOf(object)),
    finalizers: object?.finalizers ?? [],
    managedBy: context.managers(node).map(managedByDocument),
    owners: node.owners.map(reference => treeOwner(context, node, reference)),
    notes: notesAt(context, place),
    ...(usedBy && userFields(usedBy)),
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
    ...(created === 0 ? {} : { creationTimestamp: timeText.timestamp(created) }),
    ...(deleted === undefined ? {} : { deletionTimestamp: timeText.timestamp(deleted) }),
  };
}

function metadataOf(
  object: KubeObject,
): Pick<TreeNodeHead, 'creationTimestamp' | 'deletionTimestamp' | 'labels' | 'nodeName' | 'ready'> {
  const { facts } = object;
  const ready = stateWords.ready(object);
  const nodeName = facts?.kind === 'Pod' ? facts.nodeName : '';
  return {
    ...timesOf(object),
    labels: Labels.toJson(object.labels) ?? {},
    ...(nodeName === '' ? {} : { nodeName }),
    ...(ready && { ready: { status: ready.status, ...(ready.reason !== '' && { reason: ready.reason }) } }),
  };
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
        return stateWords.ghost(status, certainty);
      }
  return stateWords.ghost('Unknown', 'assumed');
}

/** Returns the STATE column's text. */
export function stateAt(context: TreeContext, node: GraphNode, now: number): StateText {
  return node.virtual ? ghostState(context, node) : stateWords.text(node, context.verdict(node), now);
}

/** Returns clauses about oddities of the object's ownership in this place. */
export function notesAt(context: TreeContext, place: TreePosition): readonly string[] {
  return ownershipNotes({
    node: place.node,
    parent: place.parent?.node,
    seeAlso: place.seeAlso,
    cycle: place.cycle,
    hidden: place.hidden,
    standing: reference => context.ownerStanding(place.node, reference),
  });
}
