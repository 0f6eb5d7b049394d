/**
 * PersistentVolumes that stay for their claim or storage (docs/kubernetes.md §10 row 33;
 * pkg/controller/volume/pvprotection and persistentvolume, v1.36).
 */

import { isDeleting, objectDeletion } from '../../../graph/index.ts';
import { BuiltInKind, type KubeObject, objectTitle, type VolumeFacts } from '../../../model/index.ts';
import { usersOf } from '../../cluster/claim-users.ts';
import type { Severity } from '../../engine/codes.ts';
import { fieldEvidence, finalizersEvidence } from '../../engine/evidence.ts';
import { advice, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import { kindAndNames } from '../../engine/kind-words.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { mayAct } from '../../finalizers/handler.ts';
import { deleteObject } from '../../remedies/deletion-remedies.ts';
import { actingHandler, chainOf } from '../../waits/chain.ts';
import { heldDraft } from '../finalizers/held-objects.ts';
import { keepData } from './claims-in-use.ts';

const PROTECTION = 'kubernetes.io/pv-protection';
/** Removed once the volume is deleted, by the driver's provisioner or, for in-tree volumes, the control plane. */
const PROVISIONER = 'external-provisioner.volume.kubernetes.io/finalizer';
const IN_TREE = 'kubernetes.io/pv-controller';
const protections = [PROTECTION, IN_TREE, PROVISIONER];

/** Milliseconds in which a storage system usually deletes a volume, and a claim and its volume are deleted together. */
const PATIENCE_MS = 60_000;

export const volumeRule: Rule = {
  appliesTo: ({ object, deleting }) =>
    deleting &&
    BuiltInKind.of(object.type) === 'PersistentVolume' &&
    object.finalizers.some(each => protections.includes(each)),
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const { facts } = object;
    if (facts?.kind !== 'PersistentVolume') return;
    // A provisioner doesn't touch a bound volume either.
    if (facts.phase === 'Bound') {
      yield byClaim(tracked, object, facts);
      return;
    }
    const finalizer = object.finalizers.find(each => each === PROVISIONER || each === IN_TREE);
    if (finalizer !== undefined) yield* byStorage(tracked, object, facts, finalizer);
  },
};

function severityOf(tracked: TrackedView, volume: KubeObject): Severity {
  return tracked.lasted(volume.deletionTimestamp, PATIENCE_MS) ? 'warning' : 'info';
}

function byClaim(tracked: TrackedView, volume: KubeObject, facts: VolumeFacts): FindingDraft {
  const { claimNamespace: namespace, claimName: name, claimUid: uid } = facts;
  const type = tracked.type('v1', 'PersistentVolumeClaim');
  const found = type && tracked.find(type, namespace, name);
  // A claim with the same name but another uid isn't the one bound to the volume.
  const claim = found !== undefined && (uid === '' || uid === found.uid) ? found : undefined;
  const seen = found !== undefined || tracked.lacks(type, namespace, name);
  const title = `PersistentVolumeClaim ${namespace}/${name}`;
  return {
    code: 'VolumeProtected',
    explains: protections,
    severity: severityOf(tracked, volume),
    since: objectDeletion.requestedAt(volume),
    message: `${objectTitle(volume)} stays as long as ${title} is bound to it${claimState(tracked, claim, seen)}.`,
    brief: `bound to ${namespace}/${name}`,
    evidence: [
      finalizersEvidence(volume, `metadata.finalizers: ${volume.finalizers.join(', ')}`),
      fieldEvidence(volume, 'status.phase', 'Bound'),
      `spec.claimRef: ${namespace}/${name}${uid === '' ? '' : `, uid ${uid}`}`,
      fieldEvidence(volume, 'spec.persistentVolumeReclaimPolicy', facts.reclaimPolicy),
    ],
    related: claim === undefined ? [] : [claim],
    certainty: seen ? 'exact' : 'assumed',
    chain: chainOf(tracked, volume),
    remedies: () => claimRemedies(tracked, claim, facts),
  };
}

function claimState(tracked: TrackedView, claim: KubeObject | undefined, seen: boolean): string {
  if (claim === undefined) {
    return seen
      ? ', and that claim is gone: kube-controller-manager marks the volume as released next'
      : ', which cannot be seen';
  }
  const users = usersOf(tracked, claim);
  if (!isDeleting(claim)) return ', and that claim is not being deleted';
  return users.length === 0
    ? ', which is being deleted'
    : `, which is being deleted and stays as long as ${kindAndNames(users)} ${users.length === 1 ? 'mounts' : 'mount'} it`;
}

function claimRemedies(
  tracked: TrackedView,
  claim: KubeObject | undefined,
  { claimName }: VolumeFacts,
): readonly OfferedRemedy[] {
  if (claim === undefined) return [];
  const offered: OfferedRemedy[] = [...keepData(tracked, claim)];
  if (isDeleting(claim)) {
    const title = `see what keeps PersistentVolumeClaim ${claim.namespace}/${claimName}: when it is deleted, the volume follows`;
    offered.push(advice(`look-at/persistentvolumeclaim/${claimName}`, title));
  } else {
    offered.push(
      deleteObject(tracked, claim, 'background', {
        risk: 'caution',
        title: `delete PersistentVolumeClaim ${claim.namespace}/${claimName} as well, once no pod needs it`,
      }),
    );
  }
  return offered;
}

/** Reports a volume that its driver may be deleting; the rules on finalizers report one whose driver can't. */
function* byStorage(
  tracked: TrackedView,
  volume: KubeObject,
  facts: VolumeFacts,
  finalizer: string,
): Iterable<FindingDraft> {
  const handler = actingHandler(tracked, volume, [finalizer]);
  if (handler === undefined || !mayAct(handler) || handler.waits !== undefined) return;
  const driver = facts.csiDriver === '' ? handler.name : `the CSI driver ${facts.csiDriver}`;
  const kept =
    facts.reclaimPolicy === 'Delete'
      ? `stays until ${driver} has deleted the volume behind it and removed ${finalizer}`
      : `stays because ${finalizer} holds it, although its reclaim policy is ${facts.reclaimPolicy}`;
  yield {
    ...heldDraft(tracked, volume, handler),
    code: 'VolumeProtected',
    explains: protections,
    severity: severityOf(tracked, volume),
    message: `${objectTitle(volume)} ${kept}; ${handler.words}.`,
    brief: `waits for ${driver}`,
    evidence: [
      finalizersEvidence(volume, `metadata.finalizers: ${volume.finalizers.join(', ')}`),
      fieldEvidence(volume, 'status.phase', facts.phase),
      fieldEvidence(volume, 'spec.persistentVolumeReclaimPolicy', facts.reclaimPolicy),
      facts.csiDriver !== '' && fieldEvidence(volume, 'spec.csi.driver', facts.csiDriver),
      ...handler.evidence,
    ],
    // Only a name links a driver to its workloads, and the storage system's progress cannot be seen.
    certainty: 'assumed',
  };
}
