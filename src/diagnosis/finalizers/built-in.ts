/**
 * The finalizers of Kubernetes itself (docs/kubernetes.md §10), and of the programs that its own projects put beside
 * it.
 */
import type { ControllerSigns, FinalizerEntry } from './entry.ts';

const controllerManager: ControllerSigns = {
  name: 'kube-controller-manager',
  runsIn: 'control plane',
  workloads: ['kube-controller-manager'],
  groups: [],
};

const cloudControllerManager: ControllerSigns = {
  name: "the cloud provider's controller manager",
  runsIn: 'control plane',
  workloads: [
    'cloud-controller-manager',
    'aws-cloud-controller-manager',
    'openstack-cloud-controller-manager',
    'vsphere-cloud-controller-manager',
    'azure-cloud-controller-manager',
    'gcp-cloud-controller-manager',
    'hcloud-cloud-controller-manager',
    'digitalocean-cloud-controller-manager',
  ],
  groups: [],
};

const csiController: ControllerSigns = {
  name: "the storage driver's controller",
  runsIn: 'elsewhere',
  workloads: ['*csi*controller*', '*csi*provisioner*', '*provisioner*', '*csi-plugin*', '*csi*ctrl*'],
  groups: [],
};

const snapshotController: ControllerSigns = {
  name: 'the snapshot controller',
  runsIn: 'cluster',
  workloads: ['*snapshot-controller*', '*csi-snapshotter*'],
  groups: ['snapshot.storage.k8s.io', 'groupsnapshot.storage.k8s.io'],
};

export const builtInFinalizers: readonly FinalizerEntry[] = [
  {
    finalizers: ['foregroundDeletion'],
    controller: controllerManager,
    on: 'any object deleted with the policy Foreground',
    protects: 'the garbage collector deletes the dependents first and waits for those that block',
    cost: 'dependents that are still there are deleted after their owner, without it waiting for them',
  },
  {
    finalizers: ['orphan'],
    controller: controllerManager,
    on: 'any object deleted with the policy Orphan',
    protects: 'the garbage collector takes the owner references off the dependents first, so that they stay',
    cost: 'dependents that still name the owner are deleted after it',
  },
  {
    finalizers: ['kubernetes'],
    controller: controllerManager,
    on: 'namespaces (in spec.finalizers)',
    protects: 'everything in the namespace is deleted first',
    cost: 'the content stays stored and reappears with a namespace of the same name',
  },
  {
    finalizers: ['kubernetes.io/pvc-protection'],
    controller: controllerManager,
    on: 'PersistentVolumeClaims',
    protects: 'a claim stays as long as a scheduled pod mounts it',
    cost: 'pods may lose their data while they use it',
  },
  {
    finalizers: ['kubernetes.io/pv-protection'],
    controller: controllerManager,
    on: 'PersistentVolumes',
    protects: 'a volume stays as long as a claim is bound to it',
    cost: 'the claim loses its volume, and its data can become unreachable',
  },
  {
    finalizers: ['kubernetes.io/vac-protection'],
    controller: controllerManager,
    on: 'VolumeAttributesClasses',
    protects: 'a class stays as long as a claim or volume uses it',
    cost: 'claims and volumes go on naming a class that does not exist',
  },
  {
    finalizers: ['kubernetes.io/pv-controller'],
    controller: controllerManager,
    on: 'PersistentVolumes of built-in storage with the reclaim policy Delete',
    protects: 'the disk behind the volume is deleted first',
    cost: 'the disk is left behind and goes on being billed',
  },
  {
    finalizers: ['batch.kubernetes.io/job-tracking'],
    controller: controllerManager,
    on: 'pods of Jobs',
    protects: 'the Job controller counts the pod before it goes',
    cost: 'the Job miscounts: it may run a pod once more, or never finish',
  },
  {
    finalizers: ['resource.kubernetes.io/delete-protection'],
    controller: controllerManager,
    on: 'ResourceClaims',
    protects: 'a claim stays as long as devices are allocated to it',
    cost: 'the devices may be given to others while a pod still uses them',
  },
  {
    finalizers: ['networking.k8s.io/service-cidr-finalizer'],
    controller: controllerManager,
    on: 'ServiceCIDRs',
    protects: 'a range stays as long as a Service has an address from it',
    cost: 'Services keep addresses that no range covers',
  },
  {
    finalizers: ['scheduling.k8s.io/podgroup-protection'],
    controller: controllerManager,
    on: 'PodGroups',
    protects: 'a group stays as long as it has pods that run',
    cost: 'its pods name a group that does not exist',
  },
  {
    finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
    controller: { name: 'the API server', runsIn: 'API server', workloads: [], groups: [] },
    on: 'CustomResourceDefinitions',
    protects: 'all objects of the kind are deleted first',
    cost: 'the objects stay stored and reappear, still deleting, when the definition comes back',
  },
  {
    finalizers: ['service.kubernetes.io/load-balancer-cleanup'],
    controller: cloudControllerManager,
    on: 'Services of type LoadBalancer',
    protects: 'the load balancer at the cloud provider is deleted first',
    cost: 'the load balancer is left behind at the cloud provider and goes on being billed',
  },
  {
    finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'],
    controller: csiController,
    on: 'PersistentVolumes of CSI drivers with the reclaim policy Delete',
    protects: 'the storage behind the volume is deleted first',
    cost: 'the storage is left behind and goes on being billed',
  },
  {
    finalizers: ['provisioner.storage.kubernetes.io/cloning-protection'],
    controller: csiController,
    on: 'PersistentVolumeClaims that are being cloned',
    protects: 'the source of a clone stays until the clone is made',
    cost: 'the clone may fail or be incomplete',
  },
  {
    finalizers: ['external-attacher/*'],
    controller: { ...csiController, workloads: [...csiController.workloads, '*attacher*'] },
    on: 'PersistentVolumes and VolumeAttachments of CSI drivers',
    protects: 'the volume is detached from its node first',
    cost: 'the volume stays attached, and other nodes may not get it',
  },
  {
    finalizers: ['snapshot.storage.kubernetes.io/*', 'groupsnapshot.storage.kubernetes.io/*'],
    controller: snapshotController,
    on: 'VolumeSnapshots, VolumeSnapshotContents, and claims that are a source of them',
    protects: 'the snapshot at the storage system is finished or deleted first',
    cost: 'the snapshot at the storage system is left behind, or a claim goes while it is being snapshot',
  },
];
