/** Decides why owner references changed: by the collector, by a controller that releases an object, or by a client. */

import type { Identity } from '../graph/index.ts';
import {
  adoptersOf,
  type KubeObject,
  labelRules,
  type OwnerReference,
  workloadFacts,
} from '../model/index.ts';
import type { Because } from './activity-entry.ts';
import {
  COLLECTOR,
  CONTROLLER,
  causeAmong,
  isLeftAlone,
  isUnheardOf,
  NOBODY,
  type Told,
} from './aspect-verdict.ts';
import { fatesOf, judgeBefore, type Seen } from './former-owners.ts';
import type { Aspect, Transition } from './transition.ts';

export function removal(
  seen: Seen,
  transition: Transition,
  aspect: Extract<Aspect, { references: unknown }>,
): Told {
  const { memory } = seen;
  const { before, object, references } = aspect;
  const owners = fatesOf(seen, transition, before, references);
  const orphaning = references.find(({ uid }) => memory.proceeded(uid, 'orphan', transition, true));
  if (orphaning !== undefined) {
    const owner = owners.find(each => each.owner.uid === orphaning.uid)?.owner;
    if (owner !== undefined) {
      const at = memory.markedAt(owner.uid);
      const because: Because = { code: 'OwnerOrphans', owner, at };
      return { what: 'Orphaned', because, by: COLLECTOR, cause: memory.deletionOf(owner.uid), open: false };
    }
  }
  if (!isLeftAlone(seen, transition, before) && isPruned(seen, transition, aspect)) {
    const stay = fatesOf(seen, transition, object).map(({ owner }) => owner);
    const because: Because = { code: 'AnotherOwner', owners, stay };
    // A controller removes every reference with its uid.
    const by = isReleased(seen, transition, aspect) ? [...CONTROLLER, ...COLLECTOR] : COLLECTOR;
    const open = owners.some(isUnheardOf);
    return { what: 'Stripped', because, by, cause: causeAmong(seen, owners), open };
  }
  const controller = references.find(reference => reference.controller === true);
  if (
    controller !== undefined &&
    owners.some(({ state, owner }) => owner.uid === controller.uid && state === 'Solid')
  )
    return release(seen, object, controller);
  return { what: 'ReferenceRemoved', because: { code: 'Asked', owners }, by: NOBODY, open: true };
}

/** Decides if the collector had to remove exactly these references. */
function isPruned(
  seen: Seen,
  transition: Transition,
  { before, object, references }: Extract<Aspect, { references: unknown }>,
): boolean {
  const { decision } = judgeBefore(seen, transition, before);
  if (decision.verdict === 'PruneReferences' && references.every(({ uid }) => decision.uids.has(uid)))
    return true;
  const removed = new Set(references.map(({ uid }) => uid));
  const named = before.owners.filter(({ uid }) => removed.has(uid));
  // A remaining owner may have ended since the collector looked. It prunes all references with one uid.
  const hadOthers =
    object.owners.length > 0 ||
    named.length > removed.size ||
    seen.memory.hadJustLost(object.uid, transition);
  const over = named.filter(reference => isOver(seen, transition, before, reference));
  return hadOthers && removed.isSubsetOf(new Set(over.map(({ uid }) => uid)));
}

function isReleased(
  seen: Seen,
  transition: Transition,
  { before, object, references }: Extract<Aspect, { references: unknown }>,
): boolean {
  const controller = before.owners.find(
    each => each.controller === true && references.some(({ uid }) => uid === each.uid),
  );
  if (controller === undefined || controllerAt(seen, object, controller).selected !== false) return false;
  return fatesOf(seen, transition, before, [controller]).some(({ state }) => state === 'Solid');
}

/** Decides if the collector would prune a reference of an object with another owner: that owner is gone or waits. */
function isOver(seen: Seen, transition: Transition, before: KubeObject, reference: OwnerReference): boolean {
  if (seen.memory.proceeded(reference.uid, 'foreground', transition, true)) return true;
  const { classified } = judgeBefore(seen, transition, before.with({ owners: [reference] }));
  return !classified.failed && classified.dangling.length > 0;
}

/** Describes a release: controllers release what their selector no longer selects (docs/kubernetes.md §9). */
export function release(seen: Seen, object: KubeObject, reference: OwnerReference): Told {
  const { owner, selected } = controllerAt(seen, object, reference);
  const because: Because = { code: 'Controller', owner, selects: selected };
  // An owner's deletion that another watch has yet to report would explain it better.
  return { what: 'Released', because, by: selected === false ? CONTROLLER : NOBODY, open: true };
}

export function adoption(seen: Seen, object: KubeObject, reference: OwnerReference): Told {
  const { owner, selected } = controllerAt(seen, object, reference);
  const because: Because = { code: 'Controller', owner, selects: selected };
  return { what: 'Adopted', because, by: selected === true ? CONTROLLER : NOBODY, open: false };
}

/** `selected`: if its selector selects the object; undefined if unknown or if it adopts no such kind. */
function controllerAt(
  { view, memory }: Seen,
  { type, namespace, labels }: KubeObject,
  reference: OwnerReference,
): { readonly owner: Identity; readonly selected: boolean | undefined } {
  const { apiVersion, kind, name, uid } = reference;
  const known = view.graph.get(uid)?.object;
  const gone = memory.departure(uid);
  const around = known?.namespace ?? namespace;
  const owner = gone?.identity ?? { apiVersion, kind, namespace: around, name, uid };
  const facts = known === undefined ? gone : workloadFacts(known);
  const looksForSuch = adoptersOf(type).some(each => each.apiVersion === apiVersion && each.kind === kind);
  if (!looksForSuch || facts?.selector === undefined) return { owner, selected: undefined };
  return { owner, selected: labelRules.selects(facts.selector, labels) };
}

/** The collector unblocks the references in a cycle before it deletes the first object it reached. */
export function unblocking(
  seen: Seen,
  transition: Transition,
  aspect: Extract<Aspect, { references: unknown }>,
): Told {
  const { before, object } = aspect;
  const owners = identitiesOf(seen, transition, aspect);
  const { classified } = judgeBefore(seen, transition, before, true);
  const isCycle =
    !isLeftAlone(seen, transition, before) &&
    hasDependents(seen, transition, before) &&
    object.owners.every(each => isAnyUnblocked(each, object)) &&
    object.owners.some(({ uid }) => seen.memory.proceeded(uid, 'foreground', transition, true)) &&
    !classified.failed &&
    classified.solid.length === 0;
  if (isCycle) {
    const cause = owners.map(({ uid }) => seen.memory.deletionOf(uid)).find(entry => entry !== undefined);
    return { what: 'Unblocked', because: { code: 'Cycle', owners }, by: COLLECTOR, cause, open: false };
  }
  return { what: 'Unblocked', because: { code: 'OtherOwners', owners }, by: NOBODY, open: true };
}

/** Includes dependents it had just before. */
function hasDependents({ memory }: Seen, transition: Transition, { uid }: KubeObject): boolean {
  return (transition.node?.dependents.size ?? 0) > 0 || memory.hadDependent(uid, transition);
}

/** A strategic merge patch reaches only the first of several references with one uid. */
function isAnyUnblocked({ uid }: OwnerReference, { owners }: KubeObject): boolean {
  return owners.some(each => each.uid === uid && each.blockOwnerDeletion !== true);
}

export function identitiesOf(
  seen: Seen,
  transition: Transition,
  { object, references }: Extract<Aspect, { references: unknown }>,
): readonly Identity[] {
  return fatesOf(seen, transition, object, references).map(({ owner }) => owner);
}
