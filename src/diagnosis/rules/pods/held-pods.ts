/** Pods whose containers have stopped but that finalizers keep (docs/kubernetes.md §4.5, §10 rows 31 and 41). */

import { patience } from '../../../forecast/index.ts';
import { objectDeletion } from '../../../graph/index.ts';
import {
  BuiltInKind,
  type KubeObject,
  objectState,
  objectTitle,
  objectTitleIn,
  podFacts,
  shownName,
} from '../../../model/index.ts';
import { withSuspects } from '../../admission/gatekeepers.ts';
import { deletionEvidence } from '../../engine/evidence.ts';
import type { FindingDraft, OfferedRemedy } from '../../engine/finding.ts';
import { decidingPathOf } from '../../engine/live-holds.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import type { Handler } from '../../finalizers/handler.ts';
import { hasLostNode, JOB_TRACKING, type JobOf, jobOf, worstHandler } from '../../finalizers/on-object.ts';
import { redelete, removeFinalizer } from '../../remedies/deletion-remedies.ts';
import { handlerAdvice, removal } from '../../remedies/handler-remedies.ts';
import { chainOf } from '../../waits/chain.ts';
import { also, heldDraft } from '../finalizers/held-objects.ts';

function isStopped({ object, deleting }: Subject): boolean {
  return deleting && object.facts?.kind === 'Pod' && (object.deletionGracePeriodSeconds ?? 0) === 0;
}

const held: Rule = {
  appliesTo: subject => isStopped(subject) && objectDeletion.foreignFinalizers(subject.object).length > 0,
  judge: ({ object }, tracked) => {
    const handler = worstHandler(tracked, object, objectDeletion.foreignFinalizers(object));
    return handler === undefined
      ? []
      : [withSuspects(tracked, { object, handler, draft: heldPod(tracked, object, handler) })];
  },
};

const forced: Rule = {
  appliesTo: subject =>
    isStopped(subject) && objectDeletion.isForeground(subject.object) && wasForced(subject.object),
  judge: ({ object }, tracked) => {
    // With a claim that it owns and mounts, this is a deadlock with its own finding (docs/kubernetes.md §10 row 7).
    const end = decidingPathOf(tracked, object).at(-1)?.hold;
    if (
      end?.by === 'cycle' &&
      end.members.some(({ type }) => BuiltInKind.of(type) === 'PersistentVolumeClaim')
    )
      return [];
    return [keptByForeground(tracked, object)];
  },
};

export const heldPodRules: readonly Rule[] = [held, forced];

/** A pod whose kubelet hasn't reported it as finished was deleted by force (pkg/kubelet/status, v1.36). */
function wasForced(pod: KubeObject): boolean {
  const facts = podFacts(pod);
  if (facts === undefined || facts.nodeName === '' || objectState.isFinished(pod)) return false;
  return facts.terminationGracePeriodSeconds !== 0;
}

/**
 * The phase Failed proves nothing on an unreachable node: PodGC sets it before it deletes a pod, whose containers may
 * still run (docs/kubernetes.md §7).
 */
function hasStopped(tracked: TrackedView, pod: KubeObject): boolean {
  const facts = podFacts(pod);
  if (facts?.phase !== 'Failed') return objectState.isFinished(pod);
  const node = tracked.findKind('v1', 'Node', '', facts.nodeName);
  return node !== undefined && objectState.isNodeReady(node);
}

function heldPod(tracked: TrackedView, object: KubeObject, handler: Handler): FindingDraft {
  const lasting = tracked.lasted(objectDeletion.requestedAt(object), patience.usual);
  const { finalizer, presence, words } = handler;
  const job = finalizer === JOB_TRACKING ? jobOf(tracked, object) : undefined;
  const state = hasStopped(tracked, object) ? 'has stopped' : 'is deleted and past its grace period';
  const why = job === undefined ? `and ${words}` : jobWords(job, object);
  return {
    ...heldDraft(tracked, object, handler),
    code: 'PodHeldByFinalizer',
    severity: presence === 'absent' ? 'error' : lasting ? 'warning' : 'info',
    message: `${objectTitle(object)} ${state}, but is held by the finalizer ${finalizer}, ${why}${also(object, handler)}${job === undefined ? describeLostNode(tracked, object, handler) : ''}.`,
    brief: `held by ${[finalizer, ...objectDeletion.foreignFinalizers(object).filter(each => each !== finalizer)].join(', ')}`,
    certainty:
      presence === 'unknown' && handler.entry?.controller.runsIn !== 'control plane'
        ? 'assumed'
        : job?.state === 'unseen'
          ? 'assumed'
          : 'exact',
    ...(job === undefined ? {} : { remedies: () => jobRemedies(tracked, object, { job, handler }) }),
  };
}

function describeLostNode(tracked: TrackedView, pod: KubeObject, { nothingLeft }: Handler): string {
  if (nothingLeft !== undefined || !hasLostNode(tracked, pod)) return '';
  const node = shownName(podFacts(pod)?.nodeName ?? '');
  return `; Node ${node} no longer exists, so nothing in the pod can run or report again`;
}

function jobWords({ reference, state }: JobOf, pod: KubeObject): string {
  const job =
    reference === undefined
      ? 'a Job'
      : objectTitleIn({ ...reference, namespace: pod.namespace }, pod.namespace);
  switch (state) {
    case 'there':
      return `which the Job controller removes when it has counted the pod for ${job}`;
    case 'absent':
      return reference === undefined
        ? 'which the Job controller should have removed: no Job owns the pod any more'
        : `which the Job controller should have removed: ${job} is gone, so nothing is left to count`;
    case 'finished':
      return `which the Job controller should have removed: ${job} has finished, so nothing is left to count`;
    case 'unseen':
      return `which the Job controller removes when it has counted the pod; whether ${job} is there cannot be seen`;
  }
}

function jobRemedies(
  tracked: TrackedView,
  pod: KubeObject,
  { job, handler }: { readonly job: JobOf; readonly handler: Handler },
): OfferedRemedy[] {
  if (handler.nothingLeft !== undefined) return [...removal(tracked, pod, handler)];
  const { reference, state } = job;
  const over = state === 'absent' || state === 'finished';
  const why = over
    ? 'no Job counts it any more'
    : `Job ${reference?.name ?? ''} miscounts, and may run a pod once more or never finish`;
  const title = `remove ${JOB_TRACKING} from ${pod.name}: ${why}`;
  const risk = over ? 'caution' : 'dangerous';
  return [...handlerAdvice(handler), removeFinalizer(tracked, pod, JOB_TRACKING, { risk, title })];
}

function keptByForeground(tracked: TrackedView, object: KubeObject): FindingDraft {
  const since = objectDeletion.requestedAt(object);
  return {
    code: 'ForceDeletedPodKeptByForeground',
    severity: tracked.lasted(since, patience.usual) ? 'warning' : 'info',
    since,
    message: `${objectTitle(object)} was deleted by force (grace period 0) while it was being deleted in the foreground: force doesn't remove foregroundDeletion, so it still waits for what it owns.`,
    brief: 'deleted by force, kept by foregroundDeletion',
    evidence: deletionEvidence(object),
    chain: chainOf(tracked, object),
    remedies: () => [redelete(object, 'background', { gracePeriodSeconds: 0 })],
  };
}
