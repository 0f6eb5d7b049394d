/**
 * When nodes went, by the Events that the node lifecycle controller writes about it
 * (pkg/controller/nodelifecycle/node_lifecycle_controller.go, v1.36): the one trace that a node leaves. Read on
 * demand, because nobody else needs Events.
 */
import { list, record, text, time } from '../model/json.ts';
import { getJson } from './discovery/get-json.ts';
import type { Transport } from './transport.ts';

// Of objects without a namespace, Events are in this one.
const PATH = '/api/v1/namespaces/default/events';
const SELECTOR = 'involvedObject.kind=Node,reason=RemovingNode';
/** An hour of Events is kept; more nodes than this went in none that matters here. */
const LIMIT = 2_000;

/**
 * The latest removal of each node in milliseconds since the epoch, in whole seconds and up to a node monitor period
 * (5 s by default) late. Empty where Events can't be read. Rejects with a `SourceError` where no answer came.
 */
export async function nodeRemovals(transport: Transport): Promise<ReadonlyMap<string, number>> {
  const query = new URLSearchParams({ fieldSelector: SELECTOR, limit: String(LIMIT) });
  const { json } = await getJson(transport, `${PATH}?${query.toString()}`);
  const removals = new Map<string, number>();
  for (const item of list(record(json)['items'])) {
    const event = record(item);
    const name = text(record(event['involvedObject'])['name']);
    const at =
      time(event['lastTimestamp']) ??
      time(event['eventTime']) ??
      time(record(event['metadata'])['creationTimestamp']);
    if (name !== '' && at !== undefined) removals.set(name, Math.max(at, removals.get(name) ?? at));
  }
  return removals;
}
