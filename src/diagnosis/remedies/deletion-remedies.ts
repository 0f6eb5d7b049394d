/** Remedies that end a deletion: delete again with another policy, delete a blocking object, remove a finalizer. */
import {
  type ApplicableRemedy,
  blockingDependents,
  type Cascade,
  type Risk,
  requestWords,
} from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import {
  FOREGROUND_FINALIZER,
  isMirrorPod,
  type KubeObject,
  ORPHAN_FINALIZER,
  objectState,
} from '../../model/index.ts';
import { worldOf } from '../engine/live-holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { deletion, patch, remedy } from './remedy-requests.ts';

export interface RedeleteOptions {
  /** Seconds; 0 deletes a pod without waiting for its kubelet. */
  readonly gracePeriodSeconds?: number;
  readonly risk?: Risk;
  readonly title?: string;
}

/**
 * Deletes an object again: the API server replaces the earlier policy's finalizer (docs/kubernetes.md §4.2). The uid is
 * the only precondition, since the object was to be deleted whatever else has changed.
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

/** Ends the deletion of a mirror pod. Its containers run on, because the kubelet follows the manifest on the node. */
export function deleteMirror(pod: KubeObject, node: string): ApplicableRemedy {
  const title = `delete ${pod.name} by force: nothing on ${node} stops, and its kubelet creates it again as long as it finds the manifest`;
  return redelete(pod, 'background', { gracePeriodSeconds: 0, title });
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
  const waits = object.finalizers.some(each => each === FOREGROUND_FINALIZER || each === ORPHAN_FINALIZER);
  if (isMirrorPod(object) && isDeleting(object) && !waits) return 'safe';
  // A container may still run until its kubelet confirms that it has stopped.
  if (now && (!isDeleting(object) || (object.deletionGracePeriodSeconds ?? 0) > 0)) return 'dangerous';
  // The collector would delete dependents that were to be kept.
  if (cascade !== 'orphan' && object.finalizers.includes(ORPHAN_FINALIZER)) return 'dangerous';
  return 'caution';
}

/** `owns`: the object may have dependents. */
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
    id: `delete/${requestWords.kubectlType(catalog, object.type)}/${object.name}`,
  });
}

/** Stops at the first refusal. */
export function deleteObjects(
  objects: readonly KubeObject[],
  cascade: Cascade,
  offer: { readonly risk: Risk; readonly title: string; readonly id: string },
): ApplicableRemedy {
  return remedy({ ...offer, acts: objects.map(each => deletion(each, { cascade, unchanged: true })) });
}

/** Removes one of the object's `metadata.finalizers`, skipping its controller's work: dangerous by default. */
export function removeFinalizer(
  tracked: TrackedView,
  object: KubeObject,
  finalizer: string,
  { risk, title }: DeleteOffer = { risk: 'dangerous' },
): ApplicableRemedy {
  return remedy({
    id: `remove-finalizer/${finalizer}`,
    title: title ?? `remove ${finalizer} from ${object.name}: the resources it protects are left behind`,
    risk,
    acts: [finalizerRemoval(tracked, object, finalizer)],
  });
}

/** Builds the patch, which fails if the finalizer is no longer at the seen index. */
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

/** Removes `foregroundDeletion`: dependents are collected afterwards, though blocking ones were to be deleted first. */
export function removeForeground(tracked: TrackedView, object: KubeObject): ApplicableRemedy {
  return removeFinalizer(tracked, object, FOREGROUND_FINALIZER, {
    risk:
      (tracked.view.complete || objectState.hasRunItsCourse(object)) &&
      blockingDependents(worldOf(tracked), object).length === 0
        ? 'safe'
        : 'caution',
    title: `remove ${FOREGROUND_FINALIZER} from ${object.name}: what it still owns is deleted after it`,
  });
}
