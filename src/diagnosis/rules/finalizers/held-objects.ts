/** Reports deleting objects held by a custom finalizer, last of all rules (docs/kubernetes.md §10 rows 12 and 34). */

import { CLAIM_PROTECTION, patience } from '../../../forecast/index.ts';
import { objectDeletion } from '../../../graph/index.ts';
import { enumerated, type KubeObject, objectTitle, type ResourceType } from '../../../model/index.ts';
import { withSuspects } from '../../admission/gatekeepers.ts';
import { deletionEvidence } from '../../engine/evidence.ts';
import type { FindingDraft, OfferedRemedy } from '../../engine/finding.ts';
import { ownFinalizers } from '../../engine/live-holds.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Handler, handlerOf } from '../../finalizers/handler.ts';
import { handlerOn } from '../../finalizers/on-object.ts';
import { handlerAdvice, removal } from '../../remedies/handler-remedies.ts';
import { removeSeveral } from '../../remedies/many/finalizers.ts';
import { actingHandler, chainOf } from '../../waits/chain.ts';

const LOAD_BALANCER_CLEANUP = 'service.kubernetes.io/load-balancer-cleanup';

/** Milliseconds: cloud providers take minutes to delete a load balancer. */
const LOAD_BALANCER_PATIENCE = 300_000;

const loadBalancer: Rule = {
  appliesTo: ({ object, deleting }) =>
    deleting &&
    object.type.kind === 'Service' &&
    object.type.group === '' &&
    object.finalizers.includes(LOAD_BALANCER_CLEANUP),
  judge: ({ object }, tracked) => [cleanupPending(tracked, object)],
};

function unexplained(tracked: TrackedView, object: KubeObject, found: readonly FindingDraft[]): string[] {
  let finalizers = ownFinalizers(tracked, object);
  for (const { explains = [] } of found)
    finalizers = explains === 'every finalizer' ? [] : finalizers.filter(each => !explains.includes(each));
  return finalizers;
}

function isRuledElsewhere({ kind, group }: ResourceType): boolean {
  return group === '' && (kind === 'Pod' || kind === 'Namespace');
}

const held: Rule = {
  // Pods wait for their kubelet first, and namespaces for their content: other rules report both.
  appliesTo: ({ object, deleting }) =>
    deleting &&
    object.finalizers.length > 0 &&
    !isRuledElsewhere(object.type) &&
    objectDeletion.foreignFinalizers(object).length > 0,
  judge: ({ object }, tracked, found) => {
    const handler = actingHandler(tracked, object, unexplained(tracked, object, found));
    if (handler === undefined) return [];
    if (handler.presence === 'absent') return [withoutController(tracked, object, handler)];
    if (handler.forbidden !== undefined) return [byNobody(tracked, object, handler)];
    return [withSuspects(tracked, { object, handler, draft: heldBy(tracked, object, handler) })];
  },
};

export const heldRules: readonly Rule[] = [loadBalancer, held];

function cleanupPending(tracked: TrackedView, object: KubeObject): FindingDraft {
  const handler = handlerOf(tracked, LOAD_BALANCER_CLEANUP);
  const late = tracked.lasted(objectDeletion.requestedAt(object), LOAD_BALANCER_PATIENCE);
  return {
    ...heldDraft(tracked, object, handler),
    code: 'LoadBalancerCleanupPending',
    severity: late ? 'warning' : 'info',
    message: `${objectTitle(object)} waits until its load balancer is deleted at the cloud provider (finalizer ${LOAD_BALANCER_CLEANUP}): ${handler.words}.`,
    brief: 'waits for its load balancer to be deleted',
    explains: [LOAD_BALANCER_CLEANUP],
  };
}

export function also(object: KubeObject, { finalizer }: Handler): string {
  const others = objectDeletion.foreignFinalizers(object).filter(each => each !== finalizer);
  return others.length === 0
    ? ''
    : `; ${enumerated(others)} ${others.length === 1 ? 'holds' : 'hold'} it as well`;
}

export function heldDraft(
  tracked: TrackedView,
  object: KubeObject,
  handler: Handler,
): Omit<FindingDraft, 'code' | 'message' | 'certainty'> {
  return {
    since: objectDeletion.requestedAt(object),
    brief: `held by ${objectDeletion.foreignFinalizers(object).join(', ')}`,
    evidence: [...deletionEvidence(object), ...handler.evidence],
    related: handler.workloads,
    chain: chainOf(tracked, object),
    remedies: () => byHand(tracked, object, handler),
  };
}

function byHand(tracked: TrackedView, object: KubeObject, handler: Handler): OfferedRemedy[] {
  const others = ownFinalizers(tracked, object).filter(each => each !== handler.finalizer);
  return [
    ...handlerAdvice(handler),
    ...removal(tracked, object, handler),
    ...others.flatMap(each => removal(tracked, object, handlerOn(tracked, object, each))),
    ...removeSeveral(tracked, object, [handler.finalizer, ...others]),
  ];
}

function withoutController(tracked: TrackedView, object: KubeObject, handler: Handler): FindingDraft {
  return {
    ...heldDraft(tracked, object, handler),
    code: 'FinalizerWithoutController',
    message: `${objectTitle(object)} is stuck: it is held by the finalizer ${handler.finalizer}, and ${handler.words}${also(object, handler)}.`,
  };
}

/** The workload is guessed by name unless the finalizer is known. */
function byNobody(tracked: TrackedView, object: KubeObject, handler: Handler): FindingDraft {
  return {
    ...heldDraft(tracked, object, handler),
    code: 'FinalizerHandlerForbidden',
    message: `${objectTitle(object)} is stuck: it is held by the finalizer ${handler.finalizer}, and ${handler.words}${also(object, handler)}.`,
    certainty: handler.entry === undefined ? 'assumed' : 'exact',
  };
}

/** Warns that unseen pods may mount the claim and so keep it (docs/kubernetes.md §10 row 32). */
function unseenUsers(tracked: TrackedView, { namespace }: KubeObject, { finalizer }: Handler): string {
  if (finalizer !== CLAIM_PROTECTION || tracked.sees(tracked.type('v1', 'Pod'), namespace)) return '';
  return '; whether a pod still mounts it cannot be seen';
}

function heldBy(tracked: TrackedView, object: KubeObject, handler: Handler): FindingDraft {
  const users = unseenUsers(tracked, object, handler);
  const visible = handler.presence !== 'unknown' || handler.entry?.controller.runsIn === 'control plane';
  return {
    ...heldDraft(tracked, object, handler),
    code: 'TerminatingHeldByFinalizer',
    severity: tracked.lasted(objectDeletion.requestedAt(object), patience.usual) ? 'warning' : 'info',
    message: `${objectTitle(object)} is being deleted, and held by the finalizer ${handler.finalizer}: ${handler.words}${users}${also(object, handler)}.`,
    certainty: visible && users === '' && handler.waits?.certainty !== 'assumed' ? 'exact' : 'assumed',
  };
}
