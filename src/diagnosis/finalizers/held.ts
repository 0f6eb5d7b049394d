/** Reports deleting objects held by a custom finalizer, last of all rules (docs/kubernetes.md §10 rows 12 and 34). */

import { CLAIM_PROTECTION } from '../../forecast/holds.ts';
import { PATIENCE } from '../../forecast/under-way.ts';
import { deletionRequestedAt, foreignFinalizers } from '../../graph/deletion.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import type { KubeObject } from '../../model/object.ts';
import { enumerated, objectTitle } from '../../model/text/titles.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { FindingCode } from '../engine/codes.ts';
import { deletionEvidence } from '../engine/evidence.ts';
import type { FindingDraft, OfferedRemedy } from '../engine/finding.ts';
import { ownFinalizers } from '../engine/holds.ts';
import type { Rule } from '../engine/rule.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { chainOf } from '../explain/chain.ts';
import { removeSeveral } from '../remedies/many/finalizers.ts';
import { type Handler, handlerAdvice, handlerOf, removal } from './handler.ts';
import { handlerOn, worstHandler } from './on-object.ts';

const LOAD_BALANCER_CLEANUP = 'service.kubernetes.io/load-balancer-cleanup';

/** Milliseconds: cloud providers take minutes to delete a load balancer. */
const LOAD_BALANCER_PATIENCE = 300_000;

const loadBalancer: Rule = {
  codes: ['LoadBalancerCleanupPending'],
  appliesTo: ({ object, deleting }) =>
    deleting &&
    object.type.kind === 'Service' &&
    object.type.group === '' &&
    object.finalizers.includes(LOAD_BALANCER_CLEANUP),
  judge: ({ object }, tracked) => [cleanupPending(tracked, object)],
};

/** Finalizers that other findings already report; `everything` stands for all. */
const reportedBy: Readonly<Partial<Record<FindingCode, 'everything' | readonly string[]>>> = {
  VolumeClaimInUse: ['kubernetes.io/pvc-protection'],
  VolumeProtected: [
    'kubernetes.io/pv-protection',
    'kubernetes.io/pv-controller',
    'external-provisioner.volume.kubernetes.io/finalizer',
  ],
  LoadBalancerCleanupPending: [LOAD_BALANCER_CLEANUP],
  CustomResourceCleanupPending: 'everything',
};

function unreported(tracked: TrackedView, object: KubeObject, found: readonly FindingDraft[]): string[] {
  let finalizers = ownFinalizers(tracked, object);
  for (const { code } of found) {
    const those = reportedBy[code];
    if (those === 'everything') return [];
    if (those !== undefined) finalizers = finalizers.filter(each => !those.includes(each));
  }
  return finalizers;
}

function isRuledElsewhere({ kind, group }: ResourceType): boolean {
  return group === '' && (kind === 'Pod' || kind === 'Namespace');
}

const held: Rule = {
  codes: ['FinalizerWithoutController', 'FinalizerHandlerForbidden', 'TerminatingHeldByFinalizer'],
  // Pods wait for their kubelet first, and namespaces for their content: other rules report both.
  appliesTo: ({ object, deleting }) =>
    deleting &&
    object.finalizers.length > 0 &&
    !isRuledElsewhere(object.type) &&
    foreignFinalizers(object).length > 0,
  judge: ({ object }, tracked, found) => {
    const handler = worstHandler(tracked, object, unreported(tracked, object, found));
    if (handler === undefined) return [];
    if (handler.presence === 'absent') return [withoutController(tracked, object, handler)];
    return [
      handler.forbidden === undefined ? heldBy(tracked, object, handler) : byNobody(tracked, object, handler),
    ];
  },
};

export const heldRules: readonly Rule[] = [loadBalancer, held];

function cleanupPending(tracked: TrackedView, object: KubeObject): FindingDraft {
  const handler = handlerOf(tracked, LOAD_BALANCER_CLEANUP);
  const late = tracked.lasted(deletionRequestedAt(object), LOAD_BALANCER_PATIENCE);
  return {
    ...heldDraft(tracked, object, handler),
    code: 'LoadBalancerCleanupPending',
    severity: late ? 'warning' : 'info',
    message: `${objectTitle(object)} waits until its load balancer is deleted at the cloud provider (finalizer ${LOAD_BALANCER_CLEANUP}): ${handler.words}.`,
    brief: 'waits for its load balancer to be deleted',
  };
}

export function also(object: KubeObject, { finalizer }: Handler): string {
  const others = foreignFinalizers(object).filter(each => each !== finalizer);
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
    since: deletionRequestedAt(object),
    brief: `held by ${foreignFinalizers(object).join(', ')}`,
    evidence: [...deletionEvidence(object), ...handler.evidence],
    related: handler.workloads.map(identityOfObject),
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
    severity: tracked.lasted(deletionRequestedAt(object), PATIENCE) ? 'warning' : 'info',
    message: `${objectTitle(object)} is being deleted, and held by the finalizer ${handler.finalizer}: ${handler.words}${users}${also(object, handler)}.`,
    certainty: visible && users === '' ? 'exact' : 'assumed',
  };
}
