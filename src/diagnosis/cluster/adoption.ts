/**
 * Adoption of uncontrolled objects and what follows (docs/kubernetes.md §9, claiming;
 * pkg/controller/controller_ref_manager.go and the controllers that use it, v1.36).
 */

import type { Certainty } from '../../collector/index.ts';
import {
  adoptersOf,
  controllerOf,
  counted,
  type KubeObject,
  type LabelSelector,
  labelRules,
  type OwnerReference,
  objectTitleIn,
  podFacts,
  statefulNames,
  workloadFacts,
} from '../../model/index.ts';
import { claim, jobRules, replicaSets, revised } from '../../simulation/index.ts';
import { kindAndNames } from '../engine/kind-words.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

export interface Adoptions {
  /** Controllers that select the object and may adopt it; of several, the first to look adopts it. */
  readonly by: readonly KubeObject[];
  /** `assumed` if a controller that is unseen or not fully known could adopt it as well. */
  readonly certainty: Certainty;
}

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

export function matches(controller: KubeObject, object: KubeObject): boolean {
  const facts = workloadFacts(controller);
  if (facts === undefined || !labelRules.selects(facts.selector, object.labels)) return false;
  if (controller.type.kind !== 'Job' && isEmpty(facts.selector)) return false;
  if (object.type.kind !== 'Pod') return true;
  switch (controller.type.kind) {
    case 'StatefulSet':
      return statefulNames.isMember(controller, object);
    case 'Job':
      // A finished Job no longer looks at pods.
      return jobRules.end(facts) === undefined;
    case 'DaemonSet':
      return true;
    default:
      return replicaSets.isActive(object);
  }
}

/**
 * The API server rejects an empty selector; for all controllers but Job's it selects nothing (client-go listers/apps/v1
 * `GetPodReplicaSets`, v0.36).
 */
function isEmpty(selector: LabelSelector | undefined): boolean {
  return selector?.matchLabels.length === 0 && selector.matchExpressions.length === 0;
}

export interface AfterAdoption {
  /** `one-of-several`: some are surplus, and which of them is deleted isn't certain. */
  readonly fate: 'kept' | 'deleted' | 'one-of-several' | 'scaled';
  /** A clause about the object, `it`: `it keeps it`, `it deletes it: web wants 2`. */
  readonly words: string;
  readonly others?: true;
}

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

function members(tracked: TrackedView, controller: KubeObject, object: KubeObject): KubeObject[] {
  const found: KubeObject[] = [];
  for (const pod of tracked.list(object.type, object.namespace)) {
    if (pod.uid === object.uid) {
      // The caller's version may lack a reference that prevents the adoption.
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
  const start = statefulNames.inferStart(members(tracked, set, pod), desired);
  const ordinal = statefulNames.ordinal(pod);
  if (ordinal >= start && ordinal < start + desired) return kept;
  return { fate: 'deleted', words: `it deletes it: ${set.name} wants ${desired}, and ${pod.name} is beyond` };
}

function inDaemonSet(tracked: TrackedView, set: KubeObject, pod: KubeObject): AfterAdoption {
  const node = podFacts(pod)?.nodeName ?? '';
  const rivals = members(tracked, set, pod).filter(
    each => each.uid !== pod.uid && replicaSets.isActive(each) && podFacts(each)?.nodeName === node,
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
  const pods = members(tracked, controller, object).filter(replicaSets.isActive);
  const count = pods.length - wanted;
  if (count <= 0 || !replicaSets.isActive(object)) return kept;
  const reason = `${objectTitleIn(controller, object.namespace)} wants ${wanted}, and there are ${pods.length} then`;
  const { chosen, undecided } = replicaSets.choosePodsToDelete({
    pods,
    related: pods,
    count,
    now: tracked.now,
  });
  if (isJob || undecided.includes(object)) {
    return { fate: 'one-of-several', words: `it may delete it again: ${reason}` };
  }
  if (chosen.includes(object)) return { fate: 'deleted', words: `it deletes it: ${reason}` };
  // This pod stays, even if it is open which of the others is deleted.
  const gone = undecided.length > 0 ? counted(count, 'other pod') : kindAndNames(chosen);
  return { fate: 'kept', words: `it keeps it and deletes ${gone}: ${reason}`, others: true };
}

/** Returns the object as it would be without the reference. */
export function withoutReference(object: KubeObject, reference: OwnerReference): KubeObject {
  return revised(object, { owners: object.owners.filter(each => each !== reference) });
}
