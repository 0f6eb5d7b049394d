/** Activity over everything that was written to a simulated cluster, which knows who wrote it. */

import type { ActivityEntry } from '../../src/activity/activity-entry.ts';
import { Activity } from '../../src/activity/activity-log.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { ResourceVersion } from '../../src/model/object.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import type { LoggedRequest } from '../../src/simulation/api/api-client.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import type { SimulatedWorld } from '../../src/source/demo/world/simulated-world.ts';
import { NOW } from '../simulation/fixtures.ts';

/** A write, and what Activity tells of the object at that moment. */
export interface ToldWrite {
  readonly request: LoggedRequest;
  readonly entries: readonly ActivityEntry[];
}

function viewWith(types: readonly ResourceType[]): ClusterView {
  const view = new ClusterView();
  const statuses = types
    .filter(ResourceType.isMonitored)
    .map(type => ({ type, state: 'synced' as const, count: 0, facts: true }));
  view.apply({ changes: [], types, failedGroups: [], statuses, connection: { state: 'live' } }, NOW);
  return view;
}

/** Each write by itself, in the order in which the storage took them. */
export function replay({ cluster }: SimulatedWorld, activity: (view: ClusterView) => Activity): ToldWrite[] {
  const types = [...cluster.discovery.known];
  const view = viewWith(types);
  const follows = activity(view);
  follows.begin(NOW);
  const told: ToldWrite[] = [];
  for (const request of cluster.api.log.entries) {
    const change = versionedOf(request);
    if (change === undefined) continue;
    follows.offer([change], request.at);
    view.apply({ changes: [change] }, request.at);
    // As it was told at once, before anything else was known.
    const entries = follows.take(request.at).filter(({ object }) => object.uid === request.uid);
    told.push({ request, entries });
  }
  return told;
}

/**
 * The same as a live cluster's watches bring it: what happens to objects of one kind in its order, and each kind up to
 * half a second late. Entries are as they were told in the end.
 */
export function replayLate({ cluster }: SimulatedWorld, seed: number): ToldWrite[] {
  const random = new Random(seed);
  const view = viewWith([...cluster.discovery.known]);
  const follows = new Activity(view);
  follows.begin(NOW);
  const latest = new Map<string, number>();
  const arriving = cluster.api.log.entries.flatMap(request => {
    const change = versionedOf(request);
    if (change === undefined) return [];
    const kind = request.type.kind;
    const at = Math.max(latest.get(kind) ?? 0, request.at + random.below(500));
    latest.set(kind, at);
    return [{ request, change, at }];
  });
  // A stable sort: what arrives at once stays in its order.
  arriving.sort((a, b) => a.at - b.at);
  return arriving.map(({ request, change, at }) => {
    follows.offer([change], at);
    view.apply({ changes: [change] }, at);
    return { request, entries: follows.take(at).filter(({ object }) => object.uid === request.uid) };
  });
}

/** The storage counts each write. */
function versionedOf({ n, before, after, uid, type }: LoggedRequest): Change | undefined {
  if (!ResourceType.isMonitored(type) || uid === undefined || before === after) return undefined;
  const resourceVersion = String(n) as ResourceVersion;
  return after === undefined
    ? { op: 'delete', uid, type: before?.type ?? type, resourceVersion }
    : { op: 'upsert', object: after.with({ resourceVersion }) };
}
