/** Deletes objects that an undo recreated, last first, so dependents before owners. */
import { type ClusterView, isDeleting } from '../../graph/index.ts';
import {
  ActAnswer,
  type JsonRecord,
  type KubeObject,
  record,
  shownName,
  text,
  type Uid,
} from '../../model/index.ts';
import type { BackupObject } from '../journal/action-journal.ts';
import type { Entry } from '../journal/journal-entry.ts';
import { deletionOf } from '../prepare/action-intent.ts';
import type { RestoreStep } from './recreation.ts';

export function removals(
  entry: Entry,
  kept: readonly BackupObject[],
  view: ClusterView,
): readonly RestoreStep[] {
  const adopted = new Set<Uid>();
  for (const { object } of kept)
    for (const { uid } of view.graph.get(object.uid)?.object?.owners ?? []) adopted.add(uid);
  const steps = entry.intended.requests.flatMap(({ method, body, replaces }, index): RestoreStep[] => {
    const answer = entry.requests[index];
    // A replacement stays, because its former object is gone for good.
    if (method !== 'POST' || replaces === true || answer === undefined || answer.state === 'notSent')
      return [];
    const { kind, metadata } = record(body);
    const title = `${shownName(text(kind))} ${shownName(text(record(metadata)['name']))}`;
    if (answer.state === 'unknown' || ActAnswer.leavesOpen(answer)) {
      // It may be another client's object, and nothing distinguishes them.
      if (!isThere(record(body), view)) return [];
      return [{ lost: [`${title}: the journal doesn't say whether it created the one that is there`] }];
    }
    if (answer.status >= 300) return [];
    if (answer.uid === undefined)
      return [{ lost: [`${title}: the journal doesn't say which object was created`] }];
    const object = view.graph.get(answer.uid as Uid)?.object;
    return object === undefined || isDeleting(object)
      ? []
      : [removal(object, title, adopted.has(object.uid))];
  });
  return steps.toReversed();
}

function isThere({ apiVersion, kind, metadata }: JsonRecord, { catalog, graph }: ClusterView): boolean {
  const { namespace, name } = record(metadata);
  const type = catalog.resolveKind(text(apiVersion), text(kind));
  const object = type && graph.find(type, text(namespace), text(name))?.object;
  return object !== undefined && !isDeleting(object);
}

/** Returns the first living object the entry created. */
export function firstMade(entry: Entry, view: ClusterView): KubeObject | undefined {
  for (const answer of entry.requests) {
    if (answer.state !== 'answered' || answer.uid === undefined) continue;
    const object = view.graph.get(answer.uid as Uid)?.object;
    if (object !== undefined) return object;
  }
  return undefined;
}

/** Deletes the object, but keeps existing objects that it owns since. */
function removal(object: KubeObject, title: string, orphans: boolean): RestoreStep {
  return {
    request: deletionOf(object, { cascade: orphans ? 'orphan' : 'background', unchanged: false }),
    does: `delete ${title}${orphans ? ', and leave what it owns' : ''}`,
    lost: [],
  };
}
