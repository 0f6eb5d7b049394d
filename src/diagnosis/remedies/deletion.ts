/** Remedies that end a deletion: delete again with another policy, delete what is in its way, remove one finalizer. */
import type { ApplicableRemedy, Cascade, Risk } from '../../forecast/action.ts';
import { blockingDependents } from '../../forecast/holds.ts';
import { kubectlType } from '../../forecast/requests.ts';
import { isDeleting } from '../../graph/deletion.ts';
import {
  FOREGROUND_FINALIZER,
  hasRunItsCourse,
  type KubeObject,
  ORPHAN_FINALIZER,
} from '../../model/object.ts';
import { worldOf } from '../engine/holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { deletion, patch, remedy } from './request.ts';

export interface RedeleteOptions {
  /** Seconds; 0 takes a pod away without its kubelet's word. */
  readonly gracePeriodSeconds?: number;
  readonly risk?: Risk;
  readonly title?: string;
}

/**
 * Deletes again what is being deleted: the API server puts the policy's finalizer in place of the one before
 * (docs/kubernetes.md §4.2). The uid is the only precondition: whatever else has changed on it, it was to go.
 */
export function redelete(
  object: KubeObject,
  cascade: Cascade,
  { gracePeriodSeconds, risk, title }: RedeleteOptions = {},
): ApplicableRemedy {
  const now = gracePeriodSeconds === 0;
  return remedy({
    id: `redelete/${cascade}${now ? '-now' : ''}`,
    title: title ?? redeleteTitle(object, cascade, now),
    risk: risk ?? redeleteRisk(object, cascade, now),
    acts: [deletion(object, { cascade, gracePeriodSeconds, unchanged: false })],
  });
}

function redeleteTitle({ name }: KubeObject, cascade: Cascade, now: boolean): string {
  const at = now ? ' at once' : '';
  switch (cascade) {
    case 'background':
      return `delete ${name} again${at}, without waiting for what it owns`;
    case 'foreground':
      return `delete ${name} again${at}, together with what it owns`;
    case 'orphan':
      return `delete ${name} again${at}, and keep what it owns without an owner`;
  }
}

function redeleteRisk(object: KubeObject, cascade: Cascade, now: boolean): Risk {
  // A container may still run where nobody has confirmed that it has stopped.
  if (now && (!isDeleting(object) || (object.deletionGracePeriodSeconds ?? 0) > 0)) return 'dangerous';
  // Dependents that were to be kept are collected.
  if (cascade !== 'orphan' && object.finalizers.includes(ORPHAN_FINALIZER)) return 'dangerous';
  return 'caution';
}

/** What a repeated DELETE can change about an object that is being deleted; `owns`: it may have dependents. */
export function redeletions(object: KubeObject, owns: boolean): ApplicableRemedy[] {
  // While these are set, a repeated DELETE of a namespace changes nothing (docs/kubernetes.md §4.7).
  if (object.facts?.kind === 'Namespace' && object.facts.specFinalizers.length > 0) return [];
  const { finalizers } = object;
  const waits = finalizers.includes(FOREGROUND_FINALIZER);
  const orphans = finalizers.includes(ORPHAN_FINALIZER);
  return [
    ...(waits || orphans ? [redelete(object, 'background')] : []),
    ...(waits || !owns ? [] : [redelete(object, 'foreground')]),
    ...(orphans || !owns ? [] : [redelete(object, 'orphan')]),
  ];
}

export interface DeleteOffer {
  readonly risk: Risk;
  readonly title?: string;
}

/** Deletes an object that isn't the finding's own, or one that nobody deletes. */
export function deleteObject(
  tracked: TrackedView,
  object: KubeObject,
  cascade: Cascade,
  { risk, title }: DeleteOffer,
): ApplicableRemedy {
  const { catalog } = tracked.view;
  return deleteObjects([object], cascade, {
    risk,
    title: title ?? `delete ${object.type.kind} ${object.name}`,
    id: `delete/${kubectlType(catalog, object.type)}/${object.name}`,
  });
}

/** In this order; it stops at the first that is refused. */
export function deleteObjects(
  objects: readonly KubeObject[],
  cascade: Cascade,
  offer: { readonly risk: Risk; readonly title: string; readonly id: string },
): ApplicableRemedy {
  return remedy({ ...offer, acts: objects.map(each => deletion(each, { cascade, unchanged: true })) });
}

/**
 * Removes one finalizer and leaves the others; it is one of the object's `metadata.finalizers`. What a foreign one stands
 * for is not done any more, so this is dangerous unless whoever offers it knows better.
 */
export function removeFinalizer(
  tracked: TrackedView,
  object: KubeObject,
  finalizer: string,
  { risk, title }: DeleteOffer = { risk: 'dangerous' },
): ApplicableRemedy {
  return remedy({
    id: `remove-finalizer/${finalizer}`,
    title: title ?? `remove ${finalizer} from ${object.name}: what it protects is left behind`,
    risk,
    acts: [finalizerRemoval(tracked, object, finalizer)],
  });
}

/** One of the object's `metadata.finalizers`, taken off as long as it stands where it was seen. */
export function finalizerRemoval(
  { view }: TrackedView,
  object: KubeObject,
  finalizer: string,
): ReturnType<typeof patch> {
  const index = object.finalizers.indexOf(finalizer);
  if (index < 0) throw new Error(`${object.name} has no finalizer ${finalizer}`);
  const path = `/metadata/finalizers/${index}`;
  return patch(view.catalog, object, [
    { op: 'test', path, value: finalizer },
    { op: 'remove', path },
  ]);
}

/**
 * Removes `foregroundDeletion` from an object. Dependents that are left are collected once it is gone, as after a deletion
 * in the background: they were to be deleted with it. Where some block it, somebody wanted them to be gone first.
 */
export function removeForeground(tracked: TrackedView, object: KubeObject): ApplicableRemedy {
  return removeFinalizer(tracked, object, FOREGROUND_FINALIZER, {
    risk:
      (tracked.view.complete || hasRunItsCourse(object)) &&
      blockingDependents(worldOf(tracked), object).length === 0
        ? 'safe'
        : 'caution',
    title: `remove ${FOREGROUND_FINALIZER} from ${object.name}: what it still owns is deleted after it`,
  });
}
