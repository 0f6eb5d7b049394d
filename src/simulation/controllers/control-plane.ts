import type { CollectorRelease, KubeObject } from '../../model/index.ts';
import type { PodGcSettings } from '../../podgc/index.ts';
import { FirstCollector, type FirstCollectorOptions } from '../collector/first/simulated-first-collector.ts';
import { GarbageCollector, type GarbageCollectorOptions } from '../collector/garbage-collector.ts';
import type { ReportUncertainty } from '../runtime/controller.ts';
import type { ProcessSetup } from '../runtime/simulated-cluster.ts';
import { CrdCleanupController } from './crd-cleanup.ts';
import { NamespaceController } from './namespaces.ts';
import { KubeletController } from './pods/kubelet.ts';
import type { NodeOptions } from './pods/kubelet-nodes.ts';
import { PodGarbageCollector } from './pods/pod-garbage-collector.ts';
import { SchedulerController } from './pods/scheduler.ts';
import { TaintEvictionController, type TaintEvictionOptions } from './pods/taint-eviction.ts';
import { useProtections } from './protections.ts';
import { putBackControllers } from './put-back-controller.ts';
import {
  ClaimProtectionController,
  EphemeralVolumeController,
  VolumeBinderController,
  VolumeProtectionController,
} from './volumes.ts';
import { withService } from './with-service.ts';
import { CronJobController } from './workloads/cronjob.ts';
import { DaemonSetController } from './workloads/daemonset.ts';
import { DeploymentController } from './workloads/deployment.ts';
import { JobController } from './workloads/job.ts';
import { ReplicaSetController } from './workloads/replicaset.ts';
import { StatefulSetController } from './workloads/statefulset.ts';

export interface ControlPlaneOptions
  extends NodeOptions,
    TaintEvictionOptions,
    Pick<GarbageCollectorOptions, 'atRest' | 'early'>,
    Pick<FirstCollectorOptions, 'departed'> {
  /** Today's by default. The API server must follow the same version (`ServerBehaviour`). */
  readonly collector?: CollectorRelease | undefined;
  readonly podGc?: Partial<PodGcSettings>;
  readonly finishedPods?: readonly KubeObject[];
  readonly report?: ReportUncertainty;
}

/** Returns unstarted processes, which make new controllers at every start. */
export function controlPlane(options: ControlPlaneOptions = {}): readonly ProcessSetup[] {
  const { podGc, report, atRest, early = false, collector, departed } = options;
  const known = atRest === undefined ? {} : { atRest };
  return [
    {
      name: 'kube-apiserver',
      controllers: () => [
        new CrdCleanupController(),
        withService.addresses(),
        ...putBackControllers('kube-apiserver', options),
      ],
    },
    {
      name: 'kube-controller-manager',
      controllers: () => [
        collector === '1.5'
          ? new FirstCollector({ ...known, departed })
          : new GarbageCollector({ ...known, early }),
        new NamespaceController(),
        withService.endpoints(),
        new DeploymentController(),
        new ReplicaSetController('ReplicaSet', report),
        new ReplicaSetController('ReplicationController', report),
        new StatefulSetController(),
        new DaemonSetController(options),
        new JobController(),
        new CronJobController(),
        new ClaimProtectionController(),
        new VolumeProtectionController(),
        new VolumeBinderController(),
        ...useProtections.controllers(),
        new EphemeralVolumeController(),
        new TaintEvictionController(options),
        new PodGarbageCollector({ ...options, ...podGc }),
        ...putBackControllers('kube-controller-manager', options),
      ],
    },
    {
      name: 'kube-scheduler',
      controllers: () => [new SchedulerController(options), ...putBackControllers('kube-scheduler', options)],
    },
    {
      name: 'kubelet',
      controllers: () => [new KubeletController(options), ...putBackControllers('kubelet', options)],
    },
  ];
}
