/**
 * Waits until the view has caught up with what the API server answers about an action's objects: a forecast made
 * right after a conflict would otherwise be made from the very state that has just been refused.
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { type ActRequest, isUnreadable, placeOf } from '../../model/exchange/act.ts';
import type { LookUp } from '../../model/exchange/look-up.ts';
import { type JsonRecord, record } from '../../model/json/json.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { compareResourceVersions } from '../../model/types/resource-version.ts';
import type { RunPorts } from './ports.ts';

const PATIENCE_MILLISECONDS = 15_000;
const AT_ONCE = 8;

export interface ObjectKey {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

type Ports = Pick<RunPorts, 'view' | 'source' | 'now' | 'changed' | 'signal'>;

/**
 * Resolves when the view shows the objects that the requests name as they were a moment ago, or newer; with false
 * where that doesn't happen. What the user may not read is taken to be as shown, unless it is known to have `changed`:
 * requests are bound to it. Rejects where something cannot be read for another reason.
 */
export async function catchUp(
  requests: readonly ActRequest[],
  ports: Ports,
  { changed }: { readonly changed: boolean },
): Promise<boolean> {
  const queue = placesOf(requests, ports.view).values();
  let isFresh = true;
  const worker = async (): Promise<void> => {
    for (const place of queue) isFresh = (await catchUpOn(place, ports, changed)) && isFresh;
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return isFresh;
}

/**
 * Of the absences that an action goes by, the first that the API server contradicts now; undefined where all hold. They
 * were confirmed before they were offered, and a change is worth a second look. Rejects where that isn't answered.
 */
export async function contradicted(absences: readonly LookUp[], ports: Ports): Promise<LookUp | undefined> {
  for (const lookUp of absences) {
    const { namespace, name } = lookUp;
    const type = ports.view.catalog.resolveKind(lookUp.apiVersion, lookUp.kind);
    if (lookUp.of !== 'object' || type === undefined) continue;
    const live = await liveOf({ type, namespace, name }, ports);
    // A list has confirmed what may not be read one by one.
    if (live === undefined || live === 'unreadable') continue;
    if (lookUp.uid === '' || record(live['metadata'])['uid'] === lookUp.uid) return lookUp;
  }
  return undefined;
}

function placesOf(requests: readonly ActRequest[], view: ClusterView): ObjectKey[] {
  const found = new Map<string, ObjectKey>();
  for (const { path } of requests) {
    const place = placeIn(path, view);
    if (place !== undefined) found.set(path, place);
  }
  return [...found.values()];
}

/** The object that a path names; undefined for a collection, and for types that aren't served. */
export function placeIn(path: string, view: ClusterView): ObjectKey | undefined {
  const { group, resource, namespace, name = '' } = placeOf(path) ?? {};
  if (name === '' || resource === undefined) return undefined;
  const type = view.catalog.preferredOf({ group: group ?? '', resource });
  return type === undefined ? undefined : { type, namespace: namespace ?? '', name };
}

async function catchUpOn(place: ObjectKey, ports: Ports, changed: boolean): Promise<boolean> {
  const live = await liveOf(place, ports);
  if (live === 'unreadable' && !changed) return true;
  const before = shown(place, ports.view);
  const isSo = (): boolean => {
    const now = shown(place, ports.view);
    // Anything newer than what was shown is later than the answer, or will be followed by it at once.
    return live === 'unreadable'
      ? now?.resourceVersion !== before?.resourceVersion
      : isAsNew(now, live, before);
  };
  const deadline = ports.now() + PATIENCE_MILLISECONDS;
  while (!isSo()) {
    const left = deadline - ports.now();
    // Where it cannot be read, nobody knows that anything has changed.
    if (left <= 0 || ports.signal?.aborted === true) return live === 'unreadable';
    await ports.changed(left, ports.signal);
  }
  return true;
}

async function liveOf(
  { type, namespace, name }: ObjectKey,
  { source, signal }: Ports,
): Promise<JsonRecord | undefined | 'unreadable'> {
  try {
    return await source.get(type, namespace, name, signal);
  } catch (error) {
    if (isUnreadable(error)) return 'unreadable';
    throw error;
  }
}

interface Shown {
  readonly uid: string;
  readonly resourceVersion: string;
}

function shown({ type, namespace, name }: ObjectKey, { graph }: ClusterView): Shown | undefined {
  return graph.find(type, namespace, name)?.object;
}

function isAsNew(now: Shown | undefined, live: JsonRecord | undefined, before: Shown | undefined): boolean {
  if (live === undefined) return now === undefined || now.uid !== before?.uid;
  const { uid, resourceVersion } = record(live['metadata']);
  if (now === undefined) return false;
  if (now.uid === uid && now.resourceVersion === resourceVersion) return true;
  return (compareResourceVersions(now.resourceVersion, String(resourceVersion)) ?? -1) > 0;
}
