/**
 * Waits between claims, volumes, attachments and snapshots (external-provisioner v5.3, external-attacher v4.9,
 * external-snapshotter v8.3).
 */
import { isDeleting } from '../../graph/index.ts';
import { type KubeObject, Labels, objectState, type ResourceType, record, text } from '../../model/index.ts';
import { advice, chainLink } from '../engine/finding.ts';
import { isFutile } from '../engine/obstacles.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { type Handler, handlerOfDriver, mayAct } from '../finalizers/handler.ts';
import { identifyMissing, type Wait } from './edge.ts';

const SNAPSHOT_GROUP = 'snapshot.storage.k8s.io';
const SNAPSHOT_SOURCE = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';
const SNAPSHOT_BOUND = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';
const detachedFirst = /^(?:external-attacher\/|external-provisioner\.|kubernetes\.io\/pv-controller$)/u;
const cloned = 'provisioner.storage.kubernetes.io/cloning-protection';
const restored = [
  'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
  'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection',
];

export function storageWaits(tracked: TrackedView, object: KubeObject, handler: Handler): readonly Wait[] {
  const { finalizer } = handler;
  const { facts } = object;
  const secret = deletionSecrets.flatMap(([ofFinalizer, prefix]) =>
    finalizer === ofFinalizer ? missingSecret(tracked, object, prefix) : [],
  );
  if (secret.length > 0) return secret;
  if (facts?.kind === 'VolumeAttachment' && finalizer.startsWith('external-attacher/'))
    return [
      ...missingVolume(tracked, object, facts.volumeName),
      ...missingNode(tracked, object, facts.nodeName),
    ];
  if (facts?.kind === 'PersistentVolume' && detachedFirst.test(finalizer))
    return attachments(tracked, object, each => each.volumeName);
  // Pods were evicted before: their volumes are detached last.
  if (facts?.kind === 'Node' && handler.entry?.drains === true)
    return attachments(tracked, object, each => each.nodeName);
  if (finalizer === SNAPSHOT_SOURCE) return snapshotsOf(tracked, object);
  return finalizer === cloned || restored.includes(finalizer) ? copiesOf(tracked, object) : [];
}

/** Annotations that name the Secret with which a driver deletes a volume or a snapshot, by finalizer. */
const deletionSecrets = [
  ['external-provisioner.volume.kubernetes.io/finalizer', 'volume.kubernetes.io/provisioner-deletion-secret'],
  [
    'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection',
    'snapshot.storage.kubernetes.io/deletion-secret',
  ],
] as const;

function missingSecret(tracked: TrackedView, object: KubeObject, prefix: string): Wait[] {
  const [name = '', namespace = ''] = ['name', 'namespace'].map(part =>
    Labels.value(object.annotations, `${prefix}-${part}`),
  );
  if (namespace === '') return [];
  const on = identifyMissing(tracked, { type: tracked.type('v1', 'Secret'), namespace, name });
  if (on === undefined) return [];
  const evidence = [`${object.type.kind} ${object.name}: annotation ${prefix}-name: ${namespace}/${name}`];
  return [{ ...known, on, isMissing: true, evidence }];
}

/** The attacher reads the volume before it detaches it. */
function missingVolume(tracked: TrackedView, object: KubeObject, name: string): Wait[] {
  const type = tracked.type('v1', 'PersistentVolume');
  const on = identifyMissing(tracked, { type, namespace: '', name });
  if (on === undefined) return [];
  const evidence = [`VolumeAttachment ${object.name}: spec.source.persistentVolumeName: ${name}`];
  return [{ ...known, on, isMissing: true, evidence }];
}

/** Some drivers cannot detach a volume from a node that they no longer find. */
function missingNode(tracked: TrackedView, object: KubeObject, name: string): Wait[] {
  const on = identifyMissing(tracked, { type: tracked.type('v1', 'Node'), namespace: '', name });
  if (on === undefined) return [];
  const evidence = [`VolumeAttachment ${object.name}: spec.nodeName: ${name}`];
  return [{ on, isMissing: true, isReported: false, certainty: 'assumed', evidence }];
}

type AttachmentFacts = Extract<KubeObject['facts'], { kind: 'VolumeAttachment' }>;

/** Lists attachments of a volume, or to a node: those that are being deleted first. */
function attachments(
  tracked: TrackedView,
  object: KubeObject,
  nameIn: (facts: AttachmentFacts) => string,
): Wait[] {
  const type = tracked.type('storage.k8s.io/v1', 'VolumeAttachment');
  if (type === undefined) return [];
  return [...tracked.all(type)]
    .filter(({ facts }) => facts?.kind === 'VolumeAttachment' && nameIn(facts) === object.name)
    .sort((a, b) => Number(isDeleting(b)) - Number(isDeleting(a)))
    .map(on => ({ ...known, on, evidence: [`VolumeAttachment ${on.name} names ${object.name}`] }));
}

const known = { isMissing: false, isReported: true, certainty: 'exact' } as const;

/** Lists claims that are still being provisioned from a claim or a snapshot. */
function copiesOf(tracked: TrackedView, source: KubeObject): Wait[] {
  const type = tracked.type('v1', 'PersistentVolumeClaim');
  const wanted = `${source.type.kind}/${source.name}`;
  const claims = type === undefined ? [] : [...tracked.list(type, source.namespace)];
  return claims.flatMap(on => {
    const { facts } = on;
    if (facts?.kind !== 'PersistentVolumeClaim' || facts.phase !== 'Pending') return [];
    if (facts.dataSource !== wanted && facts.dataSourceRef !== wanted) return [];
    const path = facts.dataSource === wanted ? 'spec.dataSource' : 'spec.dataSourceRef';
    // A class may bind its claims only once a pod uses them (volumeBindingMode).
    const isUnused = hasNoPod(tracked, on);
    const state = `isn't bound to a volume yet${isUnused ? ', and no pod uses it' : ''}`;
    const use = isUnused ? `, or let a pod use it, if its class waits for one` : '';
    const end = {
      links: [chainLink(on, 'waits for', 'Pending'), chainLink(on, '', state)],
      advice: () => [
        advice('see-claim', `see in the events of PersistentVolumeClaim ${on.name} why it isn't bound${use}`),
        advice('delete-claim', `delete PersistentVolumeClaim ${on.name} if it isn't needed`, 'caution'),
      ],
    };
    const evidence = [`PersistentVolumeClaim ${on.name}: ${path}: ${wanted}`];
    return [{ ...known, on, until: 'bound', end, evidence }];
  });
}

/** Checks that no pod names the claim, scheduled or not. */
function hasNoPod(tracked: TrackedView, { namespace, name }: KubeObject): boolean {
  const type = tracked.type('v1', 'Pod');
  if (type === undefined || !tracked.sees(type, namespace)) return false;
  return [...tracked.list(type, namespace)].every(each => !objectState.claims(each).includes(name));
}

/** Snapshots whose fields are read, since they needn't be deleting. */
const MOST_SNAPSHOTS = 20;

/** Lists snapshots of a claim that are still being taken. */
function snapshotsOf(tracked: TrackedView, claim: KubeObject): Wait[] {
  const type = preferred(tracked, 'volumesnapshots');
  const all = type === undefined ? [] : [...tracked.list(type, claim.namespace)];
  return all.slice(0, MOST_SNAPSHOTS).flatMap((on): Wait[] => {
    const { spec, status: fields } = tracked.content(on)?.json ?? {};
    const status = record(fields);
    const source = text(record(record(spec)['source'])['persistentVolumeClaimName']);
    if (source !== claim.name || status['readyToUse'] === true) return [];
    const evidence = [`VolumeSnapshot ${on.name}: spec.source.persistentVolumeClaimName: ${claim.name}`];
    if (isDeleting(on)) return [{ ...known, on, evidence }];
    const because = [text(record(status['error'])['message']), driverTrouble(tracked, status)];
    const words = because.filter(each => each !== '').join('; ');
    const end = {
      links: [
        chainLink(on, 'waits for', "isn't ready to use"),
        chainLink(on, '', words === '' ? "isn't ready to use yet" : `isn't ready to use: ${words}`),
      ],
      advice: () => [
        ...(isFutile(words)
          ? []
          : [advice('see-snapshot', `get VolumeSnapshot ${on.name} ready: the claim follows by itself`)]),
        advice('delete-snapshot', `delete VolumeSnapshot ${on.name} if it isn't needed`, 'caution'),
      ],
    };
    return [{ ...known, on, until: 'ready to use', end, evidence }];
  });
}

/** Explains why the driver of a snapshot can't take it; `''` if nothing shows that. */
function driverTrouble(tracked: TrackedView, status: Readonly<Record<string, unknown>>): string {
  const type = preferred(tracked, 'volumesnapshotcontents');
  const name = text(status['boundVolumeSnapshotContentName']);
  const content = type && name !== '' ? tracked.find(type, '', name) : undefined;
  const driver = content === undefined ? '' : text(record(tracked.content(content)?.json['spec'])['driver']);
  if (driver === '') return '';
  const handler = handlerOfDriver(tracked, SNAPSHOT_BOUND, driver);
  return mayAct(handler) ? '' : handler.words;
}

function preferred({ view }: TrackedView, resource: string): ResourceType | undefined {
  return view.catalog.preferredOf({ group: SNAPSHOT_GROUP, resource });
}
