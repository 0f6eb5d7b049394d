import type { CollectorQueue, QueuedItem, VirtualNode, WatchedEvent } from '../../collector/state.ts';
import type { OwnershipGraph } from '../../graph/graph.ts';
import type { GraphEvent, GraphNode, Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import type { DelayedKey } from '../runtime/work-queue.ts';

export const GRAPH_CHANGES = 'graphChanges';
export const ATTEMPT_TO_DELETE = 'attemptToDelete';
export const ATTEMPT_TO_ORPHAN = 'attemptToOrphan';

export function watchedEvent(event: GraphEvent): WatchedEvent {
  if (event.op === 'virtualDelete') return event.op;
  if (event.op === 'delete') return 'deleted';
  return event.old === undefined ? 'added' : 'updated';
}

export function objectOf(event: GraphEvent): Identity {
  return event.op === 'virtualDelete' ? event.identity : identityOfObject(event.object);
}

export function queuedEvent(event: GraphEvent): QueuedItem {
  return { object: objectOf(event), virtual: event.op === 'virtualDelete', event: watchedEvent(event) };
}

/** `now` is in virtual milliseconds: items due at once aren't backing off. */
export function queueOf(
  name: string,
  items: readonly GraphNode[],
  later: readonly DelayedKey<GraphNode>[],
  now: number,
): CollectorQueue {
  const due = later.filter(({ at }) => at <= now).map(({ key }) => key);
  const backingOff = later
    .filter(({ at }) => at > now)
    .map(({ key, at, failures }) => ({ ...queuedNode(key), until: at, failures }));
  return { name, items: [...new Set([...items, ...due])].map(queuedNode), backingOff };
}

export function queuedNode({ identity, virtual }: GraphNode): QueuedItem {
  return { object: identity, virtual };
}

export function virtualNodesOf(graph: Pick<OwnershipGraph, 'nodes'>): VirtualNode[] {
  const found: VirtualNode[] = [];
  for (const { virtual, identity, dependents } of graph.nodes()) {
    if (virtual) found.push({ object: identity, dependents: [...dependents].map(each => each.identity) });
  }
  return found;
}
