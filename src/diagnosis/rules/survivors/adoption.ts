/**
 * Which live controller would adopt an object that nobody controls, and what it would do with it then
 * (docs/kubernetes.md §9, claiming; pkg/controller/controller_ref_manager.go and the controllers that use it, v1.36).
 * Apart, because a survivor's future and a coming adoption are the same question.
 */

import type { Certainty } from '../../../collector/verdict.ts';
import { adoptersOf } from '../../../model/adopters.ts';
import type { LabelSelector } from '../../../model/facts/facts.ts';
import { selects } from '../../../model/facts/label-selector.ts';
import { inferStartOrdinal, isMember, ordinalOf } from '../../../model/facts/stateful-names.ts';
import { controllerOf, type KubeObject, podFacts, workloadFacts } from '../../../model/object.ts';
import { counted, objectTitleIn } from '../../../model/text/titles.ts';
import { claim } from '../../../simulation/controllers/claiming.ts';
import { jobEnd } from '../../../simulation/controllers/workloads/job.ts';
import { choosePodsToDelete, isActive } from '../../../simulation/controllers/workloads/replicaset.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { kindAndNames } from '../../engine/words.ts';

export interface Adoptions {
  /** Controllers that select the object and may adopt it; where there are several, the first to look has it. */
  readonly by: readonly KubeObject[];
  /** `assumed` where a controller that cannot be seen, or that isn't fully known yet, could adopt it as well. */
  readonly certainty: Certainty;
}

/** The live controllers that would adopt the object. None for one that is controlled already, or deleting. */
export function adoptionsOf(tracked: TrackedView, object: KubeObject): Adoptions {
  const { namespace } = object;
  const by: KubeObject[] = [];
  let certainty: Certainty = 'exact';
  for (const { apiVersion, kind } of adoptersOf(object.type)) {
    const type = tracked.type(apiVersion, kind);
    if (type === undefined) continue;
    if (!tracked.sees(type, namespace)) certainty = 'assumed';
    for (const controller of tracked.list(type, namespace)) {
      if (controller.facts === undefined) certainty = 'assumed';
      else if (claim(controller, object, matches(controller, object)) === 'adopt') by.push(controller);
    }
  }
  return { by: by.sort((a, b) => (a.name < b.name ? -1 : 1)), certainty };
}

/** Whether a controller takes the object for one of its own, by labels, name and phase. */
export function matches(controller: KubeObject, object: KubeObject): boolean {
  const facts = workloadFacts(controller);
  if (facts === undefined || !selects(facts.selector, object.labels)) return false;
  if (controller.type.kind !== 'Job' && isEmpty(facts.selector)) return false;
  if (object.type.kind !== 'Pod') return true;
  switch (controller.type.kind) {
    case 'StatefulSet':
      return isMember(controller, object);
    case 'Job':
      // One that has finished doesn't look at pods any more.
      return jobEnd(facts) === undefined;
    case 'DaemonSet':
      return true;
    default:
      return isActive(object);
  }
}

/** The API server refuses one; controllers other than Job's take it to select nothing (client-go listers/apps/v1 `GetPodReplicaSets`, v0.36). */
function isEmpty(selector: LabelSelector | undefined): boolean {
  return selector?.matchLabels.length === 0 && selector.matchExpressions.length === 0;
}

export interface AfterAdoption {
  /**
   * What becomes of the object. `one-of-several`: some are too many, and which of them goes is not known for
   * certain.
   */
  readonly fate: 'kept' | 'deleted' | 'one-of-several' | 'scaled';
  /** A clause about the object, `it`: `it keeps it`, `it deletes it: web wants 2`. */
  readonly words: string;
  /** It is kept, and others are deleted in its place. */
  readonly others?: true;
}

/** What a controller does about an object that it has just adopted, together with all others that it adopts. */
export function afterAdoption(
  tracked: TrackedView,
  controller: KubeObject,
  object: KubeObject,
): AfterAdoption {
  switch (controller.type.kind) {
    case 'StatefulSet':
      return object.type.kind === 'Pod' ? inStatefulSet(tracked, controller, object) : kept;
    case 'DaemonSet':
      return object.type.kind === 'Pod' ? inDaemonSet(tracked, controller, object) : kept;
    case 'Deployment':
      return {
        fate: 'scaled',
        words: `it keeps the pods only if the pod template is ${controller.name}'s own; else they are replaced`,
      };
    default:
      return amongReplicas(tracked, controller, object);
  }
}

const kept: AfterAdoption = { fate: 'kept', words: 'it keeps it' };

/** The pods that the controller has and is about to have, by name. */
function members(tracked: TrackedView, controller: KubeObject, object: KubeObject): KubeObject[] {
  const found: KubeObject[] = [];
  for (const pod of tracked.list(object.type, object.namespace)) {
    if (pod.uid === object.uid) {
      // As it was handed in: what keeps it from being adopted may have been taken off it in thought.
      found.push(object);
      continue;
    }
    const owner = controllerOf(pod);
    const mine = owner?.uid === controller.uid;
    if (mine || (owner === undefined && pod.deletionTimestamp === undefined && matches(controller, pod))) {
      found.push(pod);
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function inStatefulSet(tracked: TrackedView, set: KubeObject, pod: KubeObject): AfterAdoption {
  const desired = workloadFacts(set)?.desired ?? 0;
  const start = inferStartOrdinal(members(tracked, set, pod), desired);
  const ordinal = ordinalOf(pod);
  if (ordinal >= start && ordinal < start + desired) return kept;
  return { fate: 'deleted', words: `it deletes it: ${set.name} wants ${desired}, and ${pod.name} is beyond` };
}

function inDaemonSet(tracked: TrackedView, set: KubeObject, pod: KubeObject): AfterAdoption {
  const node = podFacts(pod)?.nodeName ?? '';
  const rivals = members(tracked, set, pod).filter(
    each => each.uid !== pod.uid && isActive(each) && podFacts(each)?.nodeName === node,
  );
  if (node === '' || rivals.length === 0) return kept;
  const older = rivals.filter(each => each.creationTimestamp <= pod.creationTimestamp);
  if (older.length === 0) {
    const words = `it keeps it and deletes ${kindAndNames(rivals)}, which is younger and runs on ${node} too`;
    return { fate: 'kept', words, others: true };
  }
  return { fate: 'deleted', words: `it deletes it: ${kindAndNames(older)} runs on ${node} already` };
}

function amongReplicas(tracked: TrackedView, controller: KubeObject, object: KubeObject): AfterAdoption {
  const facts = workloadFacts(controller);
  const isJob = controller.type.kind === 'Job';
  const wanted = (isJob ? facts?.parallelism : facts?.desired) ?? 0;
  const pods = members(tracked, controller, object).filter(isActive);
  const count = pods.length - wanted;
  if (count <= 0 || !isActive(object)) return kept;
  const reason = `${objectTitleIn(controller, object.namespace)} wants ${wanted}, and there are ${pods.length} then`;
  const { chosen, undecided } = choosePodsToDelete({ pods, related: pods, count, now: tracked.now });
  if (isJob || undecided.includes(object)) {
    return { fate: 'one-of-several', words: `it may delete it again: ${reason}` };
  }
  if (chosen.includes(object)) return { fate: 'deleted', words: `it deletes it: ${reason}` };
  // Which of the others goes may be open; that this one stays isn't.
  const gone = undecided.length > 0 ? counted(count, 'other pod') : kindAndNames(chosen);
  return { fate: 'kept', words: `it keeps it and deletes ${gone}: ${reason}`, others: true };
}
