/** OwnershipTree of the documents contract: its types, and how a place in the tree becomes a Node. */
import type { Certainty, OwnerStatus, Verdict } from '../collector/status.ts';
import { type NodeState, nodeState } from '../collector/verdict.ts';
import type { ClusterView } from '../graph/cluster-view.ts';
import type { GraphNode } from '../graph/node.ts';
import type { OwnerReference } from '../model/object.ts';
import { formatTimestamp } from '../text/age.ts';
import { type Judge, judgeOf } from './judge.ts';
import { type ObjectRef, objectRef } from './object-ref.ts';
import type { NodeLookup } from './selection.ts';
import type { Place } from './walk.ts';

export interface TreeOwner {
  readonly object: ObjectRef;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
  readonly status: OwnerStatus;
  /** `assumed` where it can't be seen, and where no look-up has confirmed yet that it is absent. */
  readonly certainty: Certainty;
}

/** A Node without its `dependents`, which printers write as they come. */
export interface TreeNodeHead {
  readonly object: ObjectRef;
  readonly state: NodeState;
  readonly verdict: Verdict;
  readonly certainty: Certainty;
  readonly deletionTimestamp?: string;
  readonly finalizers: readonly string[];
  readonly owners: readonly TreeOwner[];
  readonly seeAlso?: true;
  readonly cycle?: true;
  readonly selected?: true;
}

export interface TreeContext {
  readonly graph: NodeLookup;
  readonly judge: Judge;
  /** Whether instances of a kind have a namespace; undefined for a kind that isn't served. */
  namespaced(apiVersion: string, kind: string): boolean | undefined;
}

export function treeContext(view: ClusterView): TreeContext {
  return {
    graph: view.graph,
    judge: judgeOf(view),
    namespaced: (apiVersion, kind) => view.catalog.resolveKind(apiVersion, kind)?.namespaced,
  };
}

/**
 * The owner as the reference names it, in the namespace where the collector looks for it (spec §2.3), or in
 * the one where it was seen.
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

/** What a Node says beside its dependents, in the order of the contract. */
export function treeNodeHead(context: TreeContext, place: Place): TreeNodeHead {
  const { node } = place;
  const { verdict, certainty } = context.judge.verdict(node);
  const deleted = node.object?.deletionTimestamp;
  return {
    object: objectRef(identityOf(context, node)),
    state: nodeState(node),
    verdict,
    certainty,
    ...(deleted === undefined ? {} : { deletionTimestamp: formatTimestamp(deleted) }),
    finalizers: node.object?.finalizers ?? [],
    owners: node.owners.map(reference => {
      const { status, certainty } = context.judge.ownerStanding(node, reference);
      return {
        object: ownerRef(context, node, reference),
        controller: reference.controller === true,
        blockOwnerDeletion: reference.blockOwnerDeletion === true,
        status,
        certainty,
      };
    }),
    ...(place.seeAlso ? { seeAlso: true as const } : {}),
    ...(place.cycle ? { cycle: true as const } : {}),
    ...(place.selected ? { selected: true as const } : {}),
  };
}

/**
 * A virtual node goes by its dependent's namespace even where the kind has none (spec §1.3); people and
 * scripts get the namespace that such an object would have.
 */
export function identityOf(context: Pick<TreeContext, 'namespaced'>, node: GraphNode): GraphNode['identity'] {
  const { identity } = node;
  return node.virtual && context.namespaced(identity.apiVersion, identity.kind) === false
    ? { ...identity, namespace: '' }
    : identity;
}
