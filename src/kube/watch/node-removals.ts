/**
 * When nodes went, by the Events that the node lifecycle controller writes about it
 * (pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36): the one trace that a node leaves. Read on
 * demand, because nobody else needs Events.
 */

import type { NodeRemoval } from '../../model/exchange/manager-lease.ts';
import { list, record, text, time } from '../../model/json/json.ts';
import type { Transport } from '../transport/transport.ts';
import { getJson } from '../transport/whole-answer.ts';

// Of objects without a namespace, Events are in this one.
const PATH = '/api/v1/namespaces/default/events';
const SELECTOR = 'involvedObject.kind=Node,reason=RemovingNode';
/** An hour of Events is kept; more nodes than this went in none that matters here. */
const LIMIT = 2_000;

/**
 * The removals of each node, in whole seconds and up to a node monitor period (5 s by default) late. Empty where Events cannot be read. Rejects with a `SourceError` where no answer came.
 */
export async function nodeRemovals(transport: Transport): Promise<ReadonlyMap<string, NodeRemoval>> {
  const query = new URLSearchParams({ fieldSelector: SELECTOR, limit: String(LIMIT) });
  const { json } = await getJson(transport, `${PATH}?${query.toString()}`);
  const removals = new Map<string, NodeRemoval>();
  for (const item of list(record(json)['items'])) {
    const event = record(item);
    const name = text(record(event['involvedObject'])['name']);
    const made = time(event['eventTime']) ?? time(record(event['metadata'])['creationTimestamp']);
    const last = time(event['lastTimestamp']) ?? made;
    if (name === '' || last === undefined) continue;
    // The same Event again moves its last timestamp on; a node that was registered anew has Events of its own.
    const first = time(event['firstTimestamp']) ?? made ?? last;
    const known = removals.get(name) ?? { first, last };
    removals.set(name, { first: Math.min(first, known.first), last: Math.max(last, known.last) });
  }
  return removals;
}
