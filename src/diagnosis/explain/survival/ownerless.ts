/** Explains objects that lost the controller that made them (docs/kubernetes.md §9, §10 rows 26 and 27). */

import type { Certainty } from '../../../collector/index.ts';
import { isDeleting } from '../../../graph/index.ts';
import {
  controllerOf,
  counted,
  enumerated,
  type KubeObject,
  Labels,
  ORPHAN_FINALIZER,
  objectState,
  objectTitle,
  objectTitleIn,
  statefulNames,
  workloadFacts,
} from '../../../model/index.ts';
import { type Adoptions, adoptionsOf, afterAdoption, matches } from '../../cluster/adoption.ts';
import { type FormerOwner, formerOwnerOf, namesakeOf, REVISION_HASH } from '../../cluster/former-owner.ts';
import { changedLabels } from '../../cluster/label-signs.ts';
import { ownerTitle } from '../../engine/kind-words.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/**
 * - `orphaned`: the owner is gone, and the reference to it was removed before.
 * - `detached`: the owner is gone, and only this one of its dependents lost the reference.
 * - `being-orphaned`: the owner's orphaning deletion is under way.
 * - `released`: the owner lives and released it, as its labels no longer match the selector.
 * - `to-be-adopted`: it has no controller, and a live one is about to adopt it.
 * - `dangling`: the reference remains but the owner is gone; the collector hasn't deleted it yet.
 * - `owner-recreated`: like `dangling`, and another object has the owner's name.
 * - `second-owner`: its controller is gone, and another owner keeps it.
 * - `unresolvable-owner`: an owner's kind isn't served, so the collector can't decide.
 * - `held`: it is being deleted, and finalizers hold it.
 * - `owner-still-there`: the owner is being deleted but held, and its dependents stay until it is gone.
 * - `adopted`: its owner is younger: it survived an earlier owner and was adopted.
 * - `recreated`: no survivor: its owner was recreated under the same name, and created it.
 * - `kept-by-survivor`: its owner survived its own owner.
 * - `kept-claim`: a StatefulSet's claim, which the set keeps by default.
 */
export type SurvivalWay =
  | OwnerlessWay
  | 'dangling'
  | 'owner-recreated'
  | 'second-owner'
  | 'unresolvable-owner'
  | 'owner-still-there'
  | 'adopted'
  | 'recreated'
  | 'kept-by-survivor'
  | 'kept-claim';

/** Ways of an object that no reference controls. */
export type OwnerlessWay = 'orphaned' | 'detached' | 'being-orphaned' | 'released' | 'to-be-adopted' | 'held';

export interface Survival {
  readonly way: SurvivalWay;
  readonly summary: string;
  readonly because: readonly string[];
  /** Sentences on what API server, garbage collector and kubelet did. Omitted if `because` suffices. */
  readonly course?: readonly string[];
  /** Its future in whole sentences; `Nothing.` is one. */
  readonly next: string;
}

/** Adds the fields that only a finding needs. */
export interface OwnerlessSurvival extends Survival {
  readonly way: OwnerlessWay;
  readonly brief: string;
  /** A clause on why its labels suggest a release instead of orphaning. */
  readonly changed: string | undefined;
  /** The deciding object comes first. */
  readonly related: readonly KubeObject[];
  readonly certainty: Certainty;
}

interface Case {
  readonly tracked: TrackedView;
  readonly object: KubeObject;
  readonly former: FormerOwner;
  /** The current object with the former owner's name. */
  readonly namesake: KubeObject | undefined;
  /** True if the former owner is known to be gone, not just unseen. */
  readonly seen: boolean;
  readonly adoptions: Adoptions;
  readonly changed: string | undefined;
}

export function survivalOfOwnerless(
  tracked: TrackedView,
  object: KubeObject,
  former: FormerOwner,
): OwnerlessSurvival {
  const { object: namesake, seen } = namesakeOf(tracked, former, object.namespace);
  const adoptions = adoptionsOf(tracked, object);
  const revision = revisionOf(tracked, object, former);
  const changed = changedLabels(object, former, revision);
  const each: Case = { tracked, object, former, namesake, seen, adoptions, changed };
  const way = wayOf(each, revision);
  return {
    way,
    summary: `${objectTitle(object)} ${sentence(each, way)}.`,
    brief: brief(each, way),
    because: because(each, revision),
    course: way === 'orphaned' && seen && changed === undefined ? course(each) : [],
    changed: way === 'orphaned' || way === 'detached' ? changed : undefined,
    next: next(each, way),
    related: [...adoptions.by, namesake, revision].filter(other => other !== undefined),
    certainty: seen && adoptions.certainty === 'exact' ? 'exact' : 'assumed',
  };
}

function wayOf(each: Case, revision: KubeObject | undefined): OwnerlessWay {
  const { object, namesake, adoptions, former } = each;
  if (isDeleting(object)) return 'held';
  if (adoptions.by.length > 0) return 'to-be-adopted';
  if (namesake !== undefined && isFormer(each)) {
    if (!isDeleting(namesake)) return 'released';
    return namesake.finalizers.includes(ORPHAN_FINALIZER) ? 'being-orphaned' : 'released';
  }
  // Without its revisions, which are orphaned too, the pod was released alone.
  const alone = former.kind === 'StatefulSet' && revision === undefined && revisionsAreSeen(each);
  return alone ? 'detached' : 'orphaned';
}

/** Returns true if the namesake may be the former owner: only Jobs' uids are known. */
function isFormer({ former, namesake }: Case): boolean {
  return former.uid === undefined || former.uid === namesake?.uid;
}

function sentence(each: Case, way: OwnerlessWay): string {
  const { tracked, object, former, namesake, adoptions, changed } = each;
  const { kind, name } = former;
  switch (way) {
    case 'to-be-adopted': {
      const [adopter] = adoptions.by;
      const by = adopter === undefined ? 'a controller' : objectTitleIn(adopter, object.namespace);
      const after =
        adopter === undefined ? '' : `, and then ${afterAdoption(tracked, adopter, object).words}`;
      return `lost its owner ${kind} ${name}, and ${by} is about to adopt it${after}`;
    }
    case 'being-orphaned':
      return `survives its ${kind}: ${name} is being deleted, and the owner reference was already removed`;
    case 'released':
      return released(each, namesake);
    case 'held':
      return `lost its owner ${kind} ${name} and is being deleted`;
    case 'detached':
      return `survived its ${kind}: ${goneWords(each)}, and no owner reference is left on the pod; its ControllerRevision is gone too, which \`kubectl delete --cascade=orphan\` would have left, so the pod seems to have lost the reference by itself, ${changed === undefined ? 'as one that is released because its labels or the selector change' : `released because its labels were changed: ${changed}`}`;
    case 'orphaned':
      return survived(each);
  }
}

function survived(each: Case): string {
  const { kind } = each.former;
  const left = kind === 'Deployment' ? 'ReplicaSet' : 'pod';
  const after =
    kind === 'Job'
      ? "a deletion of a Job that doesn't say what happens to its pods"
      : '`kubectl delete --cascade=orphan`';
  if (each.changed !== undefined)
    return `survived its ${kind}: ${goneWords(each)}, and no owner reference is left on the ${left}; likelier than by ${after} it was released before, because its labels were changed: ${each.changed}`;
  const also = kind === 'Deployment' ? `; ${keeps(each.object)}` : '';
  return `survived its ${kind}: ${goneWords(each)}, and no owner reference is left on the ${left}, as after ${after}${also}`;
}

function goneWords({ former, seen, namesake }: Case): string {
  const { kind, name } = former;
  if (namesake !== undefined) return `${name} is gone, and the ${kind} of that name is another one`;
  return seen ? `${name} is gone` : `no ${kind} ${name} can be seen`;
}

function keeps(replicaSet: KubeObject): string {
  const desired = workloadFacts(replicaSet)?.desired;
  if (desired === undefined) return 'it keeps its pods';
  return desired === 0 ? 'it wants no pods' : `it keeps ${counted(desired, 'pod')}`;
}

function released(each: Case, namesake: KubeObject | undefined): string {
  const { object, former } = each;
  const { kind, name } = former;
  if (namesake === undefined) return `was released by ${kind} ${name}`;
  if (isDeleting(namesake)) return `isn't controlled by ${kind} ${name} any more, which is being deleted`;
  if (workloadFacts(namesake) === undefined) return `isn't controlled by ${kind} ${name} any more`;
  if (matches(namesake, object)) return `isn't controlled by ${kind} ${name}, which would select it`;
  const labels = `its labels don't match the selector of ${name}`;
  if (kind === 'StatefulSet' && isWanted(namesake, object)) {
    return `was released by StatefulSet ${name}: ${labels}, and ${name} cannot create another ${object.name} while this one has the name`;
  }
  return `was released by ${kind} ${name}: ${labels}`;
}

/** Assumes that the set's ordinals start at 0. */
function isWanted(set: KubeObject, pod: KubeObject): boolean {
  return statefulNames.ordinal(pod) < (workloadFacts(set)?.desired ?? 0);
}

function brief({ former, seen, adoptions }: Case, way: OwnerlessWay): string {
  const { kind, name } = former;
  if (way === 'to-be-adopted') return `will be adopted by ${adoptions.by[0]?.name ?? name}`;
  if (way === 'released') return `released by ${kind} ${name}`;
  if (way === 'being-orphaned') return `${kind} ${name} is being deleted without it`;
  return seen ? `${kind} ${name} is gone; nothing owns it` : `nothing owns it; was of ${kind} ${name}`;
}

function because(each: Case, revision: KubeObject | undefined): string[] {
  const { object, former, seen, namesake } = each;
  const { kind, name } = former;
  const lines: string[] = [];
  const none =
    object.owners.length === 0 ? 'ownerReferences is empty' : 'no ownerReference has controller: true';
  lines.push(
    `${none}, yet marks of the ${kind} controller remain: ${former.evidence.map(({ text }) => text.replace('metadata.labels: ', '')).join(', ')}`,
  );
  if (revision !== undefined) {
    const lost = controllerOf(revision) === undefined ? 'lost its owner too' : 'is still controlled';
    lines.push(`ControllerRevision ${revision.name} ${lost}`);
  }
  const fellows = neighbours(each);
  if (fellows.length > 0) {
    const are = fellows.length === 1 ? 'is' : 'are';
    lines.push(`${enumerated(fellows.map(fellow => fellow.name))} ${are} in the same state`);
  }
  if (namesake !== undefined)
    lines.push(`there is a ${kind} ${name} in ${object.namespace}, and it doesn't own this`);
  else if (seen) lines.push(`there is no ${kind} ${name} in ${object.namespace}`);
  else
    lines.push(`${kind}s cannot be listed in ${object.namespace}, so whether ${name} is there is not known`);
  return lines;
}

/**
 * Describes an orphaning deletion (docs/kubernetes.md §3.2, §4.2; the old defaults are those of apps/v1beta1,
 * apps/v1beta2 and extensions/v1beta1 until v1.15).
 */
function course({ object, former }: Case): string[] {
  const { kind, name } = former;
  const asked =
    kind === 'Job'
      ? `was asked to delete ${name} without a word on its pods, and for a Job that means to orphan them`
      : `was asked to delete ${name} and to orphan what it owns, or was asked in an API version that did so by default`;
  const stays =
    object.type.kind === 'Pod'
      ? 'The kubelet was never asked to stop the pod: it has no deletion timestamp.'
      : `The ReplicaSet controller goes on as before: it needs no ${kind}.`;
  return [
    `The API server ${asked}. It didn't remove ${name} at once, but gave it a deletion timestamp and the finalizer orphan.`,
    `The garbage collector removed the owner reference from everything that ${name} owned, and then that finalizer, so that ${name} was deleted.`,
    stays,
    `An object that a user restored without its owner looks the same, and so does one that ${name} had released because its labels or the selector changed.`,
  ];
}

function next(each: Case, way: OwnerlessWay): string {
  const { tracked, object, adoptions, namesake } = each;
  const [adopter, ...rivals] = adoptions.by;
  if (adopter !== undefined) {
    const others =
      rivals.length === 0
        ? ''
        : ` ${enumerated(rivals.map(each => objectTitleIn(each, object.namespace)))} ${rivals.length === 1 ? 'selects' : 'select'} it as well: the first to look has it.`;
    return `${objectTitleIn(adopter, object.namespace)} adopts it, because its selector matches; then ${afterAdoption(tracked, adopter, object).words}.${others}`;
  }
  if (way === 'held') return 'It is deleted when its finalizers are removed.';
  if (object.owners.length > 0) {
    return `It is deleted when its other ${object.owners.length === 1 ? 'owner is' : 'owners are'}: ${enumerated(object.owners.map(ownerTitle))}.`;
  }
  if (way === 'being-orphaned' && namesake !== undefined) {
    return `Nothing: it stays when ${namesake.name} is deleted.`;
  }
  const unseen =
    adoptions.certainty === 'exact' ? '' : ', unless a controller that cannot be seen selects it';
  const untouched = 'without an owner reference the garbage collector never touches it';
  if (object.type.kind === 'ReplicaSet') {
    const desired = workloadFacts(object)?.desired ?? 0;
    const pods = desired > 0 ? ` It recreates each pod that is deleted, until it is deleted itself.` : '';
    return `Nothing: ${untouched}${unseen}.${pods}`;
  }
  const finished = objectState.isFinished(object)
    ? ' It has finished, and PodGC deletes finished pods only if a cluster has thousands of them.'
    : '';
  return `Nothing: ${untouched}${unseen}.${finished}`;
}

function revisionOf(tracked: TrackedView, object: KubeObject, former: FormerOwner): KubeObject | undefined {
  if (former.kind !== 'StatefulSet') return undefined;
  const name = Labels.value(object.labels, REVISION_HASH);
  return name === undefined
    ? undefined
    : tracked.findKind('apps/v1', 'ControllerRevision', object.namespace, name);
}

function revisionsAreSeen({ tracked, object }: Case): boolean {
  return (
    Labels.value(object.labels, REVISION_HASH) !== undefined &&
    tracked.sees(tracked.type('apps/v1', 'ControllerRevision'), object.namespace)
  );
}

/** Ordinals to check around the pod and from 0: one look-up each instead of a list. */
const REACH = 5;

/** Finds pods of the same former set in the same state; other kinds' names can't be derived. */
function neighbours({ tracked, object, former }: Case): KubeObject[] {
  if (former.kind !== 'StatefulSet') return [];
  const own = statefulNames.ordinal(object);
  const ordinals = new Set<number>();
  for (let i = 0; i <= 2 * REACH; i++) ordinals.add(i).add(own - REACH + i);
  const found: KubeObject[] = [];
  for (const ordinal of [...ordinals].sort((a, b) => a - b)) {
    if (ordinal < 0 || ordinal === own) continue;
    const pod = tracked.find(object.type, object.namespace, `${former.name}-${ordinal}`);
    if (pod !== undefined && isFellow(pod, former)) found.push(pod);
  }
  return found;
}

export function isFellow(object: KubeObject, former: FormerOwner): boolean {
  if (controllerOf(object) !== undefined || isDeleting(object)) return false;
  const other = formerOwnerOf(object);
  return other?.kind === former.kind && other.name === former.name && other.uid === former.uid;
}
