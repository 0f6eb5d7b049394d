import type { CollectorQueue, CollectorState, QueuedItem } from '../../collector/index.ts';
import {
  type GraphEvent,
  type GraphNode,
  type Identity,
  identityOfObject,
  type OwnershipGraph,
} from '../../graph/index.ts';
import type { KubeObject } from '../../model/index.ts';
import type { ControllerContext } from '../runtime/controller.ts';
import type { InformerHandler } from '../runtime/informers.ts';
import type { SimulatedQueue } from '../runtime/work-queue.ts';

type VirtualNode = CollectorState['virtualNodes'][number];

export function watchedEvent(event: GraphEvent): NonNullable<QueuedItem['event']> {
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

/** Describes a queue at `now`, in virtual milliseconds: items due at once aren't backing off. */
export function queueState<K>(
  name: string,
  queue: SimulatedQueue<K> | undefined,
  now: number,
  nodeOf: (key: K) => GraphNode,
  waiting: readonly K[] = [],
): CollectorQueue {
  const later = queue?.later ?? [];
  const due = later.filter(({ at }) => at <= now).map(({ key }) => key);
  return {
    name,
    items: [...new Set([...waiting, ...(queue?.items ?? []), ...due])].map(key => queuedNode(nodeOf(key))),
    backingOff: later
      .filter(({ at }) => at > now)
      .map(({ key, at, failures }) => ({ ...queuedNode(nodeOf(key)), until: at, failures })),
  };
}

/** Reports each queued key to the onlooker, if any. */
export function reportQueued<K>(
  name: string,
  queue: SimulatedQueue<K>,
  { clock, onlooker }: Pick<ControllerContext, 'clock' | 'onlooker'>,
  nodeOf: (key: K) => GraphNode,
): void {
  if (onlooker === undefined) return;
  queue.onQueued((key, at) => {
    const until = at > clock.now ? { until: at } : {};
    onlooker.queues({ queue: name, object: nodeOf(key).identity, ...until });
  });
}

/** Hands every change to `take` as an event for the graph. */
export function graphEvents(
  take: (event: GraphEvent & { readonly object: KubeObject }) => void,
): InformerHandler {
  return {
    added: object => take({ op: 'upsert', object, old: undefined }),
    updated: (object, old) => take({ op: 'upsert', object, old }),
    deleted: object => take({ op: 'delete', object }),
  };
}

function queuedNode({ identity, virtual }: GraphNode): QueuedItem {
  return { object: identity, virtual };
}

export function virtualNodesOf(graph: Pick<OwnershipGraph, 'nodes'>): VirtualNode[] {
  const found: VirtualNode[] = [];
  for (const { virtual, identity, dependents } of graph.nodes()) {
    if (virtual) found.push({ object: identity, dependents: [...dependents].map(each => each.identity) });
  }
  return found;
}
