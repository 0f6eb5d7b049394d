/** The ManagerList document, as the Managers view shows it: for everything in scope or for a selection. */
import { type DeletionState, deletionState } from '../../collector/verdict.ts';
import { keyOfManager, type ManagedBy, managedBy } from '../../diagnosis/explain/managed-by.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { compareNodes, Forest } from '../../graph/forest.ts';
import type { GraphNode } from '../../graph/node.ts';
import {
  API_VERSION,
  type Basis,
  type ManagedByDocument,
  type ManagerDocument,
  managerDocument,
  marksDocument,
  type ObjectRef,
  objectRef,
} from '../basis.ts';
import { type ManagerGroup, ManagerGroups, type SortedScope } from './managers.ts';
import { stateAt, type TreeContext, type TreeNodeHead, timesOf, treeIdentity } from './ownership-tree.ts';
import type { TreeOrder } from './selection.ts';

export interface ManagedGroupDocument {
  readonly manager?: ManagerDocument;
  readonly objects: number;
  readonly members: readonly MemberDocument[];
}

export interface MemberDocument
  extends Pick<TreeNodeHead, 'stateText' | 'creationTimestamp' | 'deletionTimestamp' | 'finalizers'>,
    Partial<Pick<ManagedByDocument, 'evidence' | 'through'>> {
  readonly object: ObjectRef;
  readonly state: DeletionState;
  readonly dependents: number;
}

/** `items` is generated on demand and can be read once. */
export interface ManagerListDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'ManagerList';
  readonly basis: Basis;
  readonly items: Iterable<ManagedGroupDocument>;
}

/** A namespace, all of them, or a selection in which each object has a row. */
export type GroupedScope =
  | { readonly namespace: string | undefined }
  | { readonly selected: ReadonlySet<GraphNode> };

/** Batch size; nothing else waits between batches. */
const MANY = 100_000;

/** Groups by manager, unmanaged objects last. Rows are in `order`, or by namespace, kind and name. */
export function managerGroups(
  view: ClusterView,
  grouped: GroupedScope,
  order?: TreeOrder,
): readonly ManagerGroup[] {
  const scope = 'selected' in grouped ? selection(grouped.selected) : new Forest(view.graph, grouped);
  const sorting = new ManagerGroups(view, scope, { managedBy, keyOfManager });
  while (sorting.more(MANY));
  const groups = sorting.groups.filter(({ items }) => items.length > 0);
  if (order === undefined) return groups;
  return groups.map(group => ({ ...group, items: group.items.toSorted(order) }));
}

function selection(nodes: ReadonlySet<GraphNode>): SortedScope {
  return {
    roots: () => [...nodes].sort(compareNodes),
    contains: node => nodes.has(node),
    isRoot: () => true,
  };
}

export function managedIn(
  { id }: ManagerGroup,
  node: GraphNode,
  context: TreeContext,
): ManagedBy | undefined {
  return id === '' ? undefined : context.managers(node).find(each => keyOfManager(each) === id);
}

/** `now` is in milliseconds since the epoch. */
export function managerListDocument(
  basis: Basis,
  groups: readonly ManagerGroup[],
  context: TreeContext,
  now: number,
): ManagerListDocument {
  return { apiVersion: API_VERSION, kind: 'ManagerList', basis, items: itemsOf(groups, context, now) };
}

function* itemsOf(
  groups: readonly ManagerGroup[],
  context: TreeContext,
  now: number,
): Generator<ManagedGroupDocument> {
  for (const group of groups) {
    const { manager, objects, items } = group;
    yield {
      ...(manager === undefined ? {} : { manager: managerDocument(manager) }),
      objects,
      members: items.map(node => memberOf(group, node, context, now)),
    };
  }
}

function memberOf(group: ManagerGroup, node: GraphNode, context: TreeContext, now: number): MemberDocument {
  const { text } = stateAt(context, node, now);
  const managed = managedIn(group, node, context);
  return {
    object: objectRef(treeIdentity(context, node)),
    state: deletionState(node),
    ...(text === '' ? {} : { stateText: text }),
    ...(node.object === undefined ? {} : timesOf(node.object)),
    finalizers: node.object?.finalizers ?? [],
    dependents: node.dependents.size,
    ...(managed === undefined ? {} : marksDocument(managed)),
  };
}
