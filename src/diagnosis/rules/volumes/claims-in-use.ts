/**
 * Claims that pods keep, and deadlocks of both (docs/kubernetes.md §10 rows 7 and 32;
 * pkg/controller/volume/pvcprotection, v1.36).
 */

import { CLAIM_PROTECTION } from '../../../forecast/index.ts';
import { identityOfObject, isDeleting, objectDeletion } from '../../../graph/index.ts';
import {
  BuiltInKind,
  enumerated,
  type KubeObject,
  objectState,
  objectTitle,
  objectTitleIn,
} from '../../../model/index.ts';
import { usesClaim } from '../../../simulation/index.ts';
import { usersOf } from '../../cluster/claim-users.ts';
import type { Severity } from '../../engine/codes.ts';
import {
  blockingReferences,
  fieldEvidence,
  finalizersEvidence,
  referenceFact,
} from '../../engine/evidence.ts';
import { advice, type ChainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import { kindAndNames } from '../../engine/kind-words.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { clearBlock } from '../../remedies/change-reference.ts';
import { deleteObject, deleteObjects, redelete } from '../../remedies/deletion-remedies.ts';
import { patch, remedy } from '../../remedies/remedy-requests.ts';
import { makerOf, rescues } from '../../remedies/rescue-claim.ts';
import { chainOf } from '../../waits/chain.ts';

/** Milliseconds in which claims and their pods are usually deleted. */
const PATIENCE_MS = 60_000;

const deadlock: Rule = {
  appliesTo: ({ object, deleting, node }) =>
    deleting && BuiltInKind.of(object.type) === 'Pod' && node.deletingDependents && node.dependents.size > 0,
  *judge({ object, node }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const claims = tracked.dependents(node).filter(each => isDeadlocked(object, each));
    const [claim] = claims;
    if (claim === undefined) return;
    const names = enumerated(claims.map(({ name }) => name));
    const one = claims.length === 1;
    yield {
      code: 'PodVolumeDeadlock',
      since: objectDeletion.requestedAt(object),
      message: `${objectTitle(object)} and ${kindAndNames(claims)} wait for each other for good: the pod's foreground deletion waits until the ${one ? 'claim that it owns is' : 'claims that it owns are'} gone, and ${one ? 'the claim stays' : 'these stay'} as long as the pod mounts ${one ? 'it' : 'them'}.`,
      brief: `waits in a cycle with ${names}`,
      evidence: [
        finalizersEvidence(object, 'metadata.finalizers: foregroundDeletion'),
        fieldEvidence(object, 'metadata.deletionGracePeriodSeconds', 0),
        ...claims.flatMap(each => [
          {
            text: `PersistentVolumeClaim ${each.name}: metadata.ownerReferences: Pod ${object.name}, blockOwnerDeletion: true`,
            facts: blockingReferences(each, object).map(reference => referenceFact(each, reference)),
          },
          finalizersEvidence(
            each,
            `PersistentVolumeClaim ${each.name}: metadata.finalizers: ${each.finalizers.join(', ')}`,
          ),
        ]),
      ],
      related: claims,
      chain: cycle(object, claim),
      remedies: () => [leaveFirst(object), ...claims.map(each => clearBlock(tracked, object, each))],
    };
  },
};

/** The pod is deleted without waiting, and the claim follows (docs/kubernetes.md §4.5, §10 row 7). */
function leaveFirst(pod: KubeObject): OfferedRemedy {
  return redelete(pod, 'background', {
    gracePeriodSeconds: 0,
    risk: 'safe',
    title: `finish the deletion of ${pod.name} first: its claims are deleted next`,
  });
}

function cycle(pod: KubeObject, claim: KubeObject): readonly ChainLink[] {
  const since = (object: KubeObject): Pick<ChainLink, 'since'> => ({
    since: objectDeletion.requestedAt(object),
  });
  return [
    { object: identityOfObject(pod), by: '', because: 'deleting in the foreground', ...since(pod) },
    {
      object: identityOfObject(claim),
      by: 'blocked by',
      because: 'deleting, blockOwnerDeletion: true',
      ...since(claim),
    },
    {
      object: identityOfObject(claim),
      by: 'held by',
      finalizer: CLAIM_PROTECTION,
      because: `Pod ${pod.name} mounts it: here the cycle closes`,
    },
  ];
}

const inUse: Rule = {
  appliesTo: ({ object, deleting }) =>
    deleting &&
    BuiltInKind.of(object.type) === 'PersistentVolumeClaim' &&
    object.finalizers.includes(CLAIM_PROTECTION),
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const users = usersOf(tracked, object);
    if (users.length === 0) return;
    const waiting = users.find(pod => isDeadlocked(pod, object));
    // Built now, so that a change of the volume is followed.
    const keep = keepData(tracked, object);
    const chain = chainOf(tracked, object);
    yield {
      code: 'VolumeClaimInUse',
      explains: [CLAIM_PROTECTION],
      severity: severityOf(tracked, object, users, waiting !== undefined),
      since: objectDeletion.requestedAt(object),
      message: `${objectTitle(object)} stays as long as ${kindAndNames(users)} ${users.length === 1 ? 'mounts' : 'mount'} it${state(users, chain)}${waiting === undefined ? '' : `; and Pod ${waiting.name} in turn waits for the claim, which it owns`}.`,
      brief: `mounted by ${enumerated(users.map(({ name }) => name))}`,
      evidence: [
        finalizersEvidence(object, `metadata.finalizers: ${object.finalizers.join(', ')}`),
        ...users.slice(0, SHOWN).map(pod => `Pod ${pod.name}: ${mountWords(pod, object)}`),
      ],
      related: users,
      chain,
      remedies: () => [...rescues(tracked, object), ...keep, ...remedies(tracked, object, users)],
    };
  },
};

const SHOWN = 5;

/** Deleting a claim with its pods is routine; a claim whose pods aren't being deleted stays. */
function severityOf(
  tracked: TrackedView,
  claim: KubeObject,
  users: readonly KubeObject[],
  isCycle: boolean,
): Severity {
  if (isCycle) return 'error';
  const overdue = users.filter(pod => !isDeleting(pod) || tracked.lasted(pod.deletionTimestamp, PATIENCE_MS));
  return overdue.length > 0 && tracked.lasted(claim.deletionTimestamp, PATIENCE_MS) ? 'warning' : 'info';
}

function state(users: readonly KubeObject[], chain: readonly ChainLink[]): string {
  const one = users.length === 1;
  const end = chain.at(-1);
  const decides = one && chain.length > 2 && end !== undefined ? `: ${end.because}` : '';
  const going = users.filter(isDeleting);
  const finished = users.filter(pod => !isDeleting(pod) && objectState.isFinished(pod));
  if (going.length === users.length) return `, ${one ? 'which is' : 'which are'} being deleted${decides}`;
  if (finished.length === users.length) return `, although ${one ? 'it has' : 'they have'} finished`;
  return '';
}

function mountWords(pod: KubeObject, claim: KubeObject): string {
  const facts = pod.facts?.kind === 'Pod' ? pod.facts : undefined;
  const volume = facts?.claims.includes(claim.name)
    ? `spec.volumes: persistentVolumeClaim ${claim.name}`
    : `spec.volumes: ephemeral ${claim.name.slice(pod.name.length + 1)}`;
  return `${volume}, on ${facts?.nodeName ?? ''}, ${facts?.phase ?? ''}`;
}

function remedies(
  tracked: TrackedView,
  claim: KubeObject,
  users: readonly KubeObject[],
): readonly OfferedRemedy[] {
  const offered: OfferedRemedy[] = [];
  const running: KubeObject[] = [];
  for (const pod of users) {
    if (isDeadlocked(pod, claim)) offered.push({ ...leaveFirst(pod), id: `let-go/pod/${pod.name}` });
    else if (!isDeleting(pod)) running.push(pod);
    else {
      offered.push(
        advice(
          `look-at/pod/${pod.name}`,
          `see what keeps ${objectTitleIn(pod, claim.namespace)}, which is being deleted: when it is deleted, the claim follows`,
        ),
      );
    }
  }
  const [only] = running;
  if (only !== undefined) {
    const title = `delete ${kindAndNames(running)}, so that the claim is deleted${createdAgain(tracked, only, claim)}`;
    offered.push(
      running.length === 1
        ? deleteObject(tracked, only, 'background', { risk: 'caution', title })
        : deleteObjects(running, 'background', { risk: 'caution', title, id: 'delete-users' }),
    );
  }
  return offered;
}

function createdAgain(tracked: TrackedView, pod: KubeObject, claim: KubeObject): string {
  const set = makerOf(tracked, pod, claim);
  return set === undefined ? '' : `: StatefulSet ${set.name} creates the pod again, with an empty claim`;
}

/** A deletion can't be undone, but the data on the disk can still be kept. */
export function keepData(tracked: TrackedView, claim: KubeObject): readonly OfferedRemedy[] {
  const name = claim.facts?.kind === 'PersistentVolumeClaim' ? claim.facts.volumeName : '';
  const type = tracked.type('v1', 'PersistentVolume');
  const volume = type && name !== '' ? tracked.find(type, '', name) : undefined;
  if (volume?.facts?.kind !== 'PersistentVolume' || volume.facts.reclaimPolicy !== 'Delete') return [];
  const path = '/spec/persistentVolumeReclaimPolicy';
  return [
    remedy({
      id: `retain-volume/${name}`,
      title: `keep the data: set the reclaim policy of PersistentVolume ${name} to Retain before the claim is deleted`,
      risk: 'caution',
      acts: [
        patch(tracked.view.catalog, volume, [
          { op: 'test', path, value: 'Delete' },
          { op: 'replace', path, value: 'Retain' },
        ]),
      ],
    }),
  ];
}

export const claimRules: readonly Rule[] = [deadlock, inUse];

/**
 * Returns true if the stopped pod waits in the foreground for a claim that it owns and mounts. `usesClaim` excludes
 * claims of generic ephemeral volumes, which are released by then.
 */
function isDeadlocked(pod: KubeObject, claim: KubeObject): boolean {
  return (
    objectDeletion.isForeground(pod) &&
    pod.deletionGracePeriodSeconds === 0 &&
    isDeleting(claim) &&
    claim.finalizers.includes(CLAIM_PROTECTION) &&
    claim.namespace === pod.namespace &&
    objectDeletion.isBlockedBy(claim, pod.uid) &&
    usesClaim(pod, claim)
  );
}
