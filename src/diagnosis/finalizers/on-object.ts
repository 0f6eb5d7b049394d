/** Judges a handler for one object: its work may be over, or its only controller deleted with what it served. */

import type { Risk } from '../../forecast/action.ts';
import { blockingDependents, CLAIM_PROTECTION } from '../../forecast/holds.ts';
import { PATIENCE } from '../../forecast/under-way.ts';
import { deletionRequestedAt } from '../../graph/deletion.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import {
  FOREGROUND_FINALIZER,
  isFinished,
  type KubeObject,
  type OwnerReference,
  workloadFacts,
} from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { objectTitleIn } from '../../model/text/titles.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { worldOf } from '../engine/holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { isDangling } from '../rules/owners/survey.ts';
import { usersOf } from '../rules/volumes/claim-users.ts';
import { type Handler, handlerOf, type Presence } from './handler.ts';
import { permitted } from './permission.ts';

export const JOB_TRACKING = 'batch.kubernetes.io/job-tracking';

export function handlerOn(tracked: TrackedView, object: KubeObject, finalizer: string): Handler {
  const handler = handlerOf(tracked, finalizer, object.type.group);
  const over = whatIsOver(tracked, object, finalizer);
  if (over !== undefined && tracked.lasted(deletionRequestedAt(object), PATIENCE)) {
    const { who, because, risk } = over;
    return {
      ...handler,
      presence: 'unhealthy',
      words: `${who} should have removed it: ${because}`,
      nothingLeft: { risk, because },
    };
  }
  return permitted(tracked, object, standingFor(tracked, handler));
}

export function handlerInCluster(tracked: TrackedView, finalizer: string, group: string): Handler {
  return standingFor(tracked, handlerOf(tracked, finalizer, group));
}

interface Over {
  readonly who: string;
  readonly because: string;
  readonly risk: Risk;
}

/** Checks that the finalizer's cause is over, as far as can be seen. */
function whatIsOver(tracked: TrackedView, object: KubeObject, finalizer: string): Over | undefined {
  switch (finalizer) {
    case FOREGROUND_FINALIZER:
      // Unseen dependents may block.
      if (!tracked.view.completeEverywhere) return undefined;
      if (blockingDependents(worldOf(tracked), object).length > 0) return undefined;
      tracked.reliesOnDependents(identityOfObject(object));
      return { who: 'the garbage collector', because: 'nothing blocks it', risk: 'safe' };
    case JOB_TRACKING:
      return object.facts?.kind === 'Pod' ? uncounted(tracked, object) : undefined;
    case CLAIM_PROTECTION: {
      const isUsed = usersOf(tracked, object).length > 0;
      if (isUsed || !tracked.sees(tracked.type('v1', 'Pod'), object.namespace)) return undefined;
      return { who: 'kube-controller-manager', because: 'no pod mounts it', risk: 'safe' };
    }
    default:
      return undefined;
  }
}

const worst: readonly Presence[] = ['absent', 'unhealthy', 'unknown', 'present'];

/** Returns the handler that is least likely to act by itself. */
export function worstHandler(
  tracked: TrackedView,
  object: KubeObject,
  finalizers: readonly string[],
): Handler | undefined {
  const handlers = finalizers.map(each => handlerOn(tracked, object, each));
  return handlers.sort((a, b) => worst.indexOf(a.presence) - worst.indexOf(b.presence))[0];
}

export interface JobOf {
  readonly reference: OwnerReference | undefined;
  /** `finished`: complete or failed, so it counts no more pods; `unseen`: it may or may not exist. */
  readonly state: 'there' | 'finished' | 'absent' | 'unseen';
}

/** Finds the Job that counts a pod; an orphan's finalizer is removed without counting (pkg/controller/job, v1.36). */
export function jobOf(tracked: TrackedView, pod: KubeObject): JobOf {
  const reference = pod.owners.find(({ controller }) => controller === true);
  if (reference === undefined) return { reference, state: 'absent' };
  const node = tracked.node(pod.uid);
  const status = node === undefined ? 'Unknown' : tracked.ownerStatus(node, reference);
  if (isDangling(status)) return { reference, state: 'absent' };
  if (status !== 'Solid' && status !== 'WaitingForDependents') return { reference, state: 'unseen' };
  const job = tracked.node(reference.uid)?.object;
  return { reference, state: job !== undefined && hasEnded(job) ? 'finished' : 'there' };
}

function hasEnded(job: KubeObject): boolean {
  const conditions = workloadFacts(job)?.conditions ?? [];
  return conditions.some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
}

/** Checks for a finished Job, which has counted the pod and only removes the finalizer once the pod is deleted. */
function uncounted(tracked: TrackedView, pod: KubeObject): Over | undefined {
  const { reference, state } = jobOf(tracked, pod);
  if (state !== 'finished' && state !== 'absent') return undefined;
  const job =
    reference === undefined
      ? 'no Job owns it any more'
      : `${objectTitleIn({ ...reference, namespace: pod.namespace }, pod.namespace)} ${state === 'finished' ? 'has finished' : 'is gone'}`;
  return {
    who: 'the Job controller',
    because: `${job}, so nothing is left to count`,
    risk: isFinished(pod) ? 'safe' : 'caution',
  };
}

/** Marks a handler as gone if the one object it ran for, named in the finalizer, is gone. */
function standingFor(tracked: TrackedView, handler: Handler): Handler {
  const { entry, finalizer } = handler;
  if (entry?.standsFor === undefined) return handler;
  const { group, resource, after, called } = entry.standsFor;
  const name = finalizer.slice(finalizer.lastIndexOf(after) + after.length);
  if (!finalizer.includes(after) || name === '') return handler;
  const whose = `the controller that ${entry.controller.name} runs for the ${called} ${shownName(name)}`;
  const enough = `that ${entry.controller.name} runs is not enough`;
  const type = typeOf(tracked, group, resource);
  if (type !== undefined && tracked.find(type, '', name) !== undefined) {
    const words = `${whose} removes it, and that ${called} is registered`;
    return { ...handler, name: whose, words };
  }
  if (type !== undefined && tracked.lacks(type, '', name)) {
    return {
      ...handler,
      name: whose,
      presence: 'absent',
      gone: true,
      evidence: [...handler.evidence, `no ${resource}.${group} ${shownName(name)}`],
      words: `only ${whose} removes it, and that ${called} is not registered any more: ${enough}`,
      workloads: [],
    };
  }
  return {
    ...handler,
    name: whose,
    presence: 'unknown',
    evidence: [...handler.evidence, `${resource}.${group} ${shownName(name)}: cannot be seen`],
    words: `only ${whose} removes it, and whether that ${called} is still registered cannot be seen: ${enough}`,
    workloads: [],
    outside: false,
  };
}

function typeOf({ view }: TrackedView, group: string, resource: string): ResourceType | undefined {
  return view.catalog.preferredOf({ group, resource });
}
