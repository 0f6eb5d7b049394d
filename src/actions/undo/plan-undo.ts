/**
 * Plans the undo of a journal entry. Living objects get their former fields back; deleted ones are recreated with
 * another uid. Losses are reported.
 */
import type { ApplicableRemedy } from '../../forecast/index.ts';
import { type ClusterView, isDeleting } from '../../graph/index.ts';
import {
  ActRequest,
  type KubeObject,
  list,
  objectJson,
  parseApiVersion,
  type ResourceType,
  record,
  shownName,
  type Uid,
} from '../../model/index.ts';
import { type ApiAnswer, type ApiClient, restRequests } from '../../simulation/index.ts';
import type { BackupObject, Journal } from '../journal/action-journal.ts';
import { type Entry, type Intended, tookEffect } from '../journal/journal-entry.ts';
import type { UndoIntent } from '../prepare/action-intent.ts';
import { withNewOwners } from '../prepare/expectations.ts';
import { creation } from './creation.ts';
import { OwnerResolver, type RestoreStep } from './recreation.ts';
import { firstMade, removals } from './removal.ts';
import { restoration } from './restoration.ts';

export interface Undo {
  /**
   * - `part`: some of it can't be undone; see `lost`.
   * - `nothing`: nothing to do, or nothing possible.
   */
  readonly extent: 'whole' | 'part' | 'nothing';
  /** In sending order: owners before their dependents. */
  readonly requests: readonly ActRequest[];
  /** One line per step: `recreate StatefulSet web`. */
  readonly does: readonly string[];
  readonly lost: readonly string[];
  /** Types not served yet, which restored definitions will serve. */
  readonly defined: readonly ResourceType[];
}

/** Plans on `view` alone; sends nothing. */
function planUndo(entry: Entry, kept: readonly BackupObject[], view: ClusterView): Undo {
  const effect = tookEffect(entry);
  if (effect === 'no') {
    const lost = ['none of its requests took effect'];
    return { extent: 'nothing', requests: [], does: [], lost, defined: [] };
  }
  const before = kept.filter(each => !isMade(entry, each));
  const gone = new Set<Uid>();
  for (const { object } of before) {
    if (view.graph.get(object.uid)?.object === undefined) gone.add(object.uid);
  }
  const owners = new OwnerResolver(view);
  const steps: RestoreStep[] = [];
  // Deleted objects come first: living ones may refer to them again.
  for (const each of ownersFirst(before.filter(({ object }) => gone.has(object.uid)))) {
    const step = creation(each, owners);
    if (step.request !== undefined) {
      owners.note(each.object, 'restored');
      owners.define(each);
    } else if (step.recreated === true) owners.note(each.object, 'recreated');
    steps.push(step);
  }
  for (const each of before) {
    const object = view.graph.get(each.object.uid)?.object;
    if (object !== undefined) steps.push(restored(entry, each, object, owners));
  }
  steps.push(...removals(entry, before, view));
  const requests = steps.flatMap(({ request }) => request ?? []);
  const does = steps.flatMap(each => each.does ?? []);
  const lost = steps.flatMap(each => each.lost);
  const extent = requests.length === 0 ? 'nothing' : lost.length > 0 ? 'part' : 'whole';
  return { extent, requests, does, lost, defined: owners.defined };
}

function isMade({ intended }: Entry, { object, json, unusable }: BackupObject): boolean {
  const isIt = ({ formerUid }: ActRequest): boolean =>
    formerUid !== undefined && (object.uid === formerUid || object.uid === ActRequest.newUid(formerUid));
  return json === undefined && unusable === undefined && intended.requests.some(isIt);
}

function restored(entry: Entry, kept: BackupObject, object: KubeObject, owners: OwnerResolver): RestoreStep {
  const name = `${shownName(object.type.kind)} ${shownName(object.name)}`;
  const deletes = entry.intended.requests.some(({ method }) => method === 'DELETE');
  const step = restoration(kept, object, owners);
  if (!isDeleting(object) || !deletes) return step;
  const before = record(kept.json?.['metadata'])['deletionTimestamp'];
  if (before !== undefined) return step;
  return { ...step, lost: [...step.lost, `${name} is being deleted, which cannot be undone`] };
}

/** Sorts namespaces, definitions and owners before what needs them; otherwise, and in cycles, keeps the order. */
function ownersFirst(kept: readonly BackupObject[]): readonly BackupObject[] {
  const byUid = new Map<string, BackupObject>(kept.map(each => [each.object.uid, each]));
  const sorted = new Set<BackupObject>();
  const visiting = new Set<BackupObject>();
  const visit = (each: BackupObject): void => {
    if (visiting.has(each)) return;
    visiting.add(each);
    for (const reference of list(record(each.json?.['metadata'])['ownerReferences'])) {
      const owner = byUid.get(String(record(reference)['uid']));
      if (owner !== undefined) visit(owner);
    }
    sorted.add(each);
  };
  for (const each of kept) if (isPlace(each)) visit(each);
  for (const each of kept) visit(each);
  return [...sorted];
}

/** Checks if other objects need this one without a reference to it. */
function isPlace({ object: { apiVersion, kind } }: BackupObject): boolean {
  return (
    (apiVersion === 'v1' && kind === 'Namespace') ||
    (parseApiVersion(apiVersion).group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition')
  );
}

function undoIntent(
  entry: Entry,
  undo: Undo,
  kept: readonly BackupObject[],
  view: ClusterView,
): UndoIntent | undefined {
  const target = targetOf(entry, kept, view);
  if (target === undefined || undo.requests.length === 0) return undefined;
  const { requests, does } = undo;
  const { id, title } = entry.intended;
  return {
    verb: 'undo',
    entry: id,
    entryTitle: title,
    target,
    requests,
    does,
    remedy: trial(id, undo, view),
  };
}

function targetOf(entry: Entry, kept: readonly BackupObject[], view: ClusterView): KubeObject | undefined {
  const { object } = entry.intended;
  const living = view.graph.get(object.uid)?.object;
  if (living !== undefined) return living;
  const type = view.catalog.resolveKind(object.apiVersion, object.kind);
  const json = kept.find(each => each.object.uid === object.uid)?.json;
  if (type === undefined || json === undefined) return firstMade(entry, view);
  return objectJson.read(type, json);
}

function trial(id: string, undo: Undo, view: ClusterView): ApplicableRemedy {
  return {
    id: `undo/${id}`,
    title: undo.does.join('; '),
    risk: 'caution',
    effect: '',
    requests: [],
    kubectl: [],
    apply: (api: ApiClient): readonly ApiAnswer[] => {
      const asked = api.because(`undo ${id}`);
      const born = new Map<string, string>();
      const answers: ApiAnswer[] = [];
      for (const request of undo.requests) {
        const { formerUid } = request;
        const answer = restRequests.play(asked, withNewOwners(request, born), {
          types: [...undo.defined, ...view.catalog.types],
          ...(formerUid === undefined ? {} : { newUid: ActRequest.newUid(formerUid) }),
        });
        answers.push(answer);
        if (!answer.ok) break;
        if (formerUid !== undefined) born.set(formerUid, ActRequest.newUid(formerUid));
      }
      return answers;
    },
  };
}

export interface Here {
  readonly view: ClusterView;
  readonly info: { readonly source: string; readonly context: string | undefined };
}

/** Compares cluster uids; context names if a uid is unknown, or if the cluster is simulated. */
function isSameCluster({ cluster, context }: Intended, { view, info }: Here): boolean {
  const here = clusterUid(view);
  if (cluster === '' || here === '' || info.source === 'demo') return context === info.context;
  return cluster === here;
}

/** The uid of the namespace `kube-system`, by convention; `''` if it can't be seen. */
function clusterUid({ catalog, graph }: ClusterView): string {
  const type = catalog.resolveKind('v1', 'Namespace');
  return (type && graph.find(type, '', 'kube-system')?.object?.uid) ?? '';
}

export type Reversal =
  | {
      readonly known: true;
      /** Journal entries that can be undone at least partly; latest first, since it builds on the others. */
      readonly entries: readonly string[];
      readonly lost: readonly string[];
    }
  /** The cluster is still changing, so an undo would find another state. */
  | { readonly known: false; readonly entries: readonly string[] };

/** `view` is the state at the end. Never rejects. */
async function reversalOf(
  { state, entries }: { readonly state: string; readonly entries: readonly string[] },
  { journal, view }: { readonly journal: Journal; readonly view: ClusterView },
): Promise<Reversal> {
  const latest = entries.toReversed();
  if (state !== 'reached' && state !== 'departed') return { known: false, entries: latest };
  const found: string[] = [];
  const lost: string[] = [];
  for (const id of latest) {
    const undo = await undoOf(id, journal, view);
    if (undo.possible) found.push(id);
    lost.push(...undo.lost);
  }
  return { known: true, entries: found, lost };
}

async function undoOf(
  id: string,
  journal: Journal,
  view: ClusterView,
): Promise<{ readonly possible: boolean; readonly lost: readonly string[] }> {
  try {
    const entry = await journal.entry(id);
    if (entry !== undefined) {
      const kept = await journal.backupOf(entry);
      const undo = planUndo(entry, kept, view);
      return { possible: undoIntent(entry, undo, kept, view) !== undefined, lost: undo.lost };
    }
    return { possible: false, lost: [`entry ${id} is no longer in the journal`] };
  } catch (error) {
    // The action itself was carried out, so this doesn't fail it.
    const why = error instanceof Error ? error.message : String(error);
    return { possible: false, lost: [`entry ${id} cannot be read: ${why}`] };
  }
}

export const Undo = { isSameCluster, plan: planUndo, intent: undoIntent, reversal: reversalOf, clusterUid };
