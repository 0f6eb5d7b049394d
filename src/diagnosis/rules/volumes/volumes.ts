/**
 * PersistentVolumes that stay for their claim or storage (docs/kubernetes.md §10 row 33;
 * pkg/controller/volume/pvprotection and persistentvolume, v1.36).
 */

import { deletionRequestedAt, isDeleting } from '../../../graph/deletion.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { VolumeFacts } from '../../../model/facts/facts.ts';
import type { KubeObject } from '../../../model/object.ts';
import { enumerated, objectTitle } from '../../../model/text/titles.ts';
import { builtInKind } from '../../../model/types/resource-type.ts';
import type { Severity } from '../../engine/codes.ts';
import { fieldEvidence, finalizersEvidence } from '../../engine/evidence.ts';
import { advice, chainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { kindAndNames, someKinds } from '../../engine/words.ts';
import { chainOf } from '../../explain/chain.ts';
import { unseenSigns, workloadsNamed } from '../../finalizers/controller-signs.ts';
import { deleteObject, removeFinalizer } from '../../remedies/deletion.ts';
import { usersOf } from './claim-users.ts';
import { keepData } from './claims-in-use.ts';

const PROTECTION = 'kubernetes.io/pv-protection';
/** Removed once the volume is deleted, by the driver's provisioner or, for in-tree volumes, the control plane. */
const PROVISIONER = 'external-provisioner.volume.kubernetes.io/finalizer';
const IN_TREE = 'kubernetes.io/pv-controller';

/** Milliseconds in which a storage system usually deletes a volume, and a claim and its volume are deleted together. */
const PATIENCE_MS = 60_000;

export const volumeRule: Rule = {
  codes: ['VolumeProtected'],
  appliesTo: ({ object, deleting }) =>
    deleting &&
    builtInKind(object.type) === 'PersistentVolume' &&
    object.finalizers.some(each => each === PROTECTION || each === PROVISIONER || each === IN_TREE),
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const { facts } = object;
    if (facts?.kind !== 'PersistentVolume') return;
    // A provisioner doesn't touch a bound volume either.
    if (facts.phase === 'Bound') {
      yield byClaim(tracked, object, facts);
      return;
    }
    const finalizer = object.finalizers.find(each => each === PROVISIONER || each === IN_TREE);
    if (finalizer !== undefined) yield byStorage(tracked, object, facts, finalizer);
  },
};

function severityOf(tracked: TrackedView, volume: KubeObject, later: Severity = 'warning'): Severity {
  return tracked.lasted(volume.deletionTimestamp, PATIENCE_MS) ? later : 'info';
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
    severity: severityOf(tracked, volume),
    since: deletionRequestedAt(volume),
    message: `${objectTitle(volume)} stays as long as ${title} is bound to it${claimState(tracked, claim, seen)}.`,
    brief: `bound to ${namespace}/${name}`,
    evidence: [
      finalizersEvidence(volume, `metadata.finalizers: ${volume.finalizers.join(', ')}`),
      fieldEvidence(volume, 'status.phase', 'Bound'),
      `spec.claimRef: ${namespace}/${name}${uid === '' ? '' : `, uid ${uid}`}`,
      fieldEvidence(volume, 'spec.persistentVolumeReclaimPolicy', facts.reclaimPolicy),
    ],
    related: claim === undefined ? [] : [identityOfObject(claim)],
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
  if (!isDeleting(claim)) return ', and nobody deletes that claim';
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

function byStorage(
  tracked: TrackedView,
  volume: KubeObject,
  facts: VolumeFacts,
  finalizer: string,
): FindingDraft {
  const driver = driverOf(tracked, facts, finalizer);
  const kept =
    facts.reclaimPolicy === 'Delete'
      ? `the volume behind it isn't deleted yet`
      : `${finalizer} holds it, although its reclaim policy is ${facts.reclaimPolicy}`;
  return {
    code: 'VolumeProtected',
    severity: severityOf(tracked, volume, driver.state === 'absent' ? 'error' : 'warning'),
    since: deletionRequestedAt(volume),
    message: `${objectTitle(volume)} stays because ${kept}; ${driver.words}.`,
    brief: `${driver.name} hasn't deleted the volume behind it`,
    evidence: [
      finalizersEvidence(volume, `metadata.finalizers: ${volume.finalizers.join(', ')}`),
      fieldEvidence(volume, 'status.phase', facts.phase),
      fieldEvidence(volume, 'spec.persistentVolumeReclaimPolicy', facts.reclaimPolicy),
      ...(facts.csiDriver === '' ? [] : [fieldEvidence(volume, 'spec.csi.driver', facts.csiDriver)]),
      ...driver.evidence,
    ],
    related: driver.objects.map(identityOfObject),
    // Only a name links a driver to its workloads, and the storage system's progress cannot be seen.
    certainty: 'assumed',
    chain: [
      chainLink(identityOfObject(volume), '', 'deleting', deletionRequestedAt(volume)),
      { object: identityOfObject(volume), by: 'held by', finalizer, because: driver.words },
    ],
    remedies: () => [
      advice(
        'repair-driver',
        driver.state === 'absent'
          ? `install ${driver.name} again: it deletes the volume behind ${volume.name} and removes ${finalizer}`
          : `see in the log of ${driver.name} why it doesn't delete the volume behind ${volume.name}, and put that right`,
      ),
      removeFinalizer(tracked, volume, finalizer, {
        risk: 'dangerous',
        title: `remove ${finalizer} from ${volume.name}: the disk behind it is left in the storage system, paid for and unknown to the cluster`,
      }),
    ],
  };
}

interface Driver {
  readonly name: string;
  readonly state: 'there' | 'absent' | 'unknown';
  readonly words: string;
  readonly evidence: readonly string[];
  readonly objects: readonly KubeObject[];
}

function driverOf(tracked: TrackedView, { csiDriver }: VolumeFacts, finalizer: string): Driver {
  if (finalizer === IN_TREE || csiDriver === '') {
    const name = finalizer === IN_TREE ? 'kube-controller-manager' : 'the provisioner that made it';
    return {
      name,
      state: 'unknown',
      words: `${name} removes ${finalizer} when the storage system has deleted it`,
      evidence: [],
      objects: [],
    };
  }
  const name = `the CSI driver ${csiDriver}`;
  const type = tracked.type('storage.k8s.io/v1', 'CSIDriver');
  const registered = type && tracked.find(type, '', csiDriver);
  const workloads = workloadsNamed(tracked, patternsOf(csiDriver));
  const objects = [...(registered === undefined ? [] : [registered]), ...workloads.map(each => each.object)];
  const evidence = [
    ...(registered === undefined ? [] : [`CSIDriver ${csiDriver} is there`]),
    ...workloads.map(({ object, by }) => `${objectTitle(object)} seems to belong to it, by ${by}`),
  ];
  if (objects.length > 0) {
    const words = `${name} removes ${finalizer} when its storage system has deleted it`;
    return { name, state: 'there', words, evidence, objects };
  }
  const isKnown = tracked.lacks(type, '', csiDriver);
  const unseen = [...(isKnown ? [] : ['csidrivers.storage.k8s.io']), ...unseenSigns(tracked)];
  const absent = unseen.length === 0;
  return {
    name,
    state: absent ? 'absent' : 'unknown',
    words: absent
      ? `only ${name} removes ${finalizer}, and nothing in this cluster looks like that driver`
      : `only ${name} removes ${finalizer}, and whether it is there is unknown: ${someKinds(unseen)} cannot be seen`,
    evidence: [
      absent
        ? `no CSIDriver ${csiDriver}, and no workload that goes by its name`
        : `not seen: ${enumerated(unseen)}`,
    ],
    objects,
  };
}

const common = /^(?:csi|driver|storage|k8s|io|com|net|org|dev|cloud|aws|azure|google|gke|disk|file|block)$/u;

/** Matches `ebs.csi.aws.com` with workloads such as `ebs-csi-node`. */
function patternsOf(csiDriver: string): string[] {
  const words = csiDriver.toLowerCase().split(/[.-]/u);
  const telling = words.filter(word => word.length > 1 && !common.test(word));
  return telling.flatMap(word => [word, `${word}-*`, `*-${word}`, `*-${word}-*`, `${word}csi-*`]);
}
