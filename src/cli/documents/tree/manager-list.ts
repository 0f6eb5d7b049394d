/** The ManagerList document, as the Managers view shows it: for everything in scope or for a selection. */
import { DeletionState } from '../../../collector/index.ts';
import { keyOfManager, type ManagedBy, managedBy } from '../../../diagnosis/index.ts';
import { type ClusterView, compareNodes, Forest, type GraphNode } from '../../../graph/index.ts';
import { type ManagerGroup, ManagerGroups, type SortedScope } from '../../../text/index.ts';
import { API_VERSION, managerDocument, marksDocument, objectRef } from '../basis.ts';
import type { Basis, ManagedGroup, ManagerList, Member } from '../definitions.ts';
import { stateAt, type TreeContext, timesOf, treeIdentity } from './ownership-tree.ts';
import type { TreeOrder } from './selection.ts';

/** `items` is generated on demand and can be read once. */
type GeneratedList = Omit<ManagerList, 'items'> & { readonly items: Iterable<ManagedGroup> };

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

export function managerListDocument(
  basis: Basis,
  groups: readonly ManagerGroup[],
  context: TreeContext,
  now: number,
): GeneratedList {
  return { apiVersion: API_VERSION, kind: 'ManagerList', basis, items: itemsOf(groups, context, now) };
}

function* itemsOf(
  groups: readonly ManagerGroup[],
  context: TreeContext,
  now: number,
): Generator<ManagedGroup> {
  for (const group of groups) {
    const { manager, objects, items } = group;
    yield {
      ...(manager === undefined ? {} : { manager: managerDocument(manager) }),
      objects,
      members: items.map(node => memberOf(group, node, context, now)),
    };
  }
}

function memberOf(group: ManagerGroup, node: GraphNode, context: TreeContext, now: number): Member {
  const { text } = stateAt(context, node, now);
  const managed = managedIn(group, node, context);
  return {
    object: objectRef(treeIdentity(context, node)),
    state: DeletionState.of(node),
    ...(text === '' ? {} : { stateText: text }),
    ...(node.object === undefined ? {} : timesOf(node.object)),
    finalizers: node.object?.finalizers ?? [],
    dependents: node.dependents.size,
    ...(managed === undefined ? {} : marksDocument(managed)),
  };
}
