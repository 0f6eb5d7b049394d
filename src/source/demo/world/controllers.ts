/** Controllers that only a cluster starting empty needs. Forecasts take claims and Deployment status as they are. */
import {
  type KubeObject,
  Labels,
  namespacedName,
  type Uid,
  type VolumeClaimFacts,
  type VolumeFacts,
  type WorkloadFacts,
} from '../../../model/index.ts';
import type { Controller, ControllerContext, SyncResult } from '../../../simulation/index.ts';

/** Binds claims to existing volumes (pkg/controller/volume/persistentvolume, v1.36). */
export class ClaimBindingController implements Controller {
  readonly name = 'persistent-volume-claim-binder';

  start(context: ControllerContext): void {
    const queue = context.queue<string>('queue', key => this.#bind(context, key));
    context.informer('PersistentVolumeClaim', { added: claim => queue.add(namespacedName(claim)) });
    context.informer('PersistentVolume', {
      added: () => {
        for (const claim of context.list('PersistentVolumeClaim')) queue.add(namespacedName(claim));
      },
    });
  }

  #bind(context: ControllerContext, key: string): SyncResult {
    const claimType = context.type('PersistentVolumeClaim');
    const volumeType = context.type('PersistentVolume');
    if (claimType === undefined || volumeType === undefined) return 'done';
    const [namespace = '', name = ''] = key.split('/');
    const found = context.api.get({ type: claimType, namespace, name });
    if (!found.ok || found.object.facts?.kind !== 'PersistentVolumeClaim') return 'done';
    const claim = found.object;
    const { facts } = found.object;
    if (claim.deletionTimestamp !== undefined || facts.phase === 'Bound') return 'done';
    const volumes = context.api.list(volumeType);
    const volume = volumes.ok ? volumes.items.find(each => fits(each, claim, facts)) : undefined;
    if (volume?.facts?.kind !== 'PersistentVolume') return 'done';
    const bound: VolumeFacts = {
      ...volume.facts,
      phase: 'Bound',
      claimNamespace: claim.namespace,
      claimName: claim.name,
      claimUid: claim.uid,
    };
    const api = context.api.because(`${claim.name} fits it`);
    const answer = api.patch(volume, { facts: bound }, { uid: volume.uid, subresource: 'status' });
    if (!answer.ok) return 'done';
    context.api
      .because(`${volume.name} fits it`)
      .patch(
        claim,
        { facts: { ...facts, phase: 'Bound', volumeName: volume.name } },
        { uid: claim.uid, subresource: 'status' },
      );
    return 'done';
  }
}

/** A StatefulSet's claim has no class here: its template's isn't known. */
function fits(volume: KubeObject, claim: KubeObject, wanted: VolumeClaimFacts): boolean {
  const { facts } = volume;
  if (facts?.kind !== 'PersistentVolume' || volume.deletionTimestamp !== undefined) return false;
  if (facts.phase === 'Bound' || facts.phase === 'Released') return false;
  if (wanted.volumeName !== '' && wanted.volumeName !== volume.name) return false;
  if (facts.claimName !== '')
    return facts.claimName === claim.name && facts.claimNamespace === claim.namespace;
  return wanted.storageClassName === '' || wanted.storageClassName === facts.storageClassName;
}

/** Sums up the status of Deployments from their ReplicaSets (pkg/controller/deployment/sync.go, v1.36). */
export class DeploymentStatusController implements Controller {
  readonly name = 'deployment-status';

  start(context: ControllerContext): void {
    const queue = context.queue<Uid>('queue', uid => this.#sync(context, uid));
    const enqueue = (deployment: KubeObject): void => queue.add(deployment.uid);
    const enqueueOwner = (set: KubeObject): void => {
      const owner = set.owners.find(({ controller }) => controller === true);
      if (owner !== undefined) queue.add(owner.uid);
    };
    context.informer('Deployment', { added: enqueue, updated: enqueue });
    context.informer('ReplicaSet', { added: enqueueOwner, updated: enqueueOwner, deleted: enqueueOwner });
  }

  #sync(context: ControllerContext, uid: Uid): SyncResult {
    const deployment = context.cache.byUid(uid);
    if (deployment?.facts?.kind !== 'Workload' || deployment.type.kind !== 'Deployment') return 'done';
    const sets = context.cache
      .ownedBy(uid)
      .filter(
        ({ type, owners }) => type.kind === 'ReplicaSet' && owners.some(each => each.controller === true),
      )
      .flatMap(set => (set.facts?.kind === 'Workload' ? [{ set, facts: set.facts }] : []));
    const sum = (of: (facts: WorkloadFacts) => number): number =>
      sets.reduce((total, { facts }) => total + of(facts), 0);
    const current = sets
      .filter(({ set }) => hasTemplate(set, deployment.facts))
      .sort((a, b) => b.facts.desired - a.facts.desired)[0];
    const facts: WorkloadFacts = {
      ...deployment.facts,
      current: sum(each => each.current),
      ready: sum(each => each.ready),
      available: sum(each => each.ready),
      updated: current?.facts.current ?? 0,
      observedGeneration: deployment.generation,
    };
    context.api
      .because('its ReplicaSets changed')
      .patch(deployment, { facts }, { uid, subresource: 'status' });
    return 'done';
  }
}

/** Checks that the set has all template labels of the Deployment; further ones distinguish releases. */
function hasTemplate(set: KubeObject, deployment: KubeObject['facts']): boolean {
  const labels = deployment?.kind === 'Workload' ? deployment.templateLabels : [];
  for (let i = 0; i < labels.length; i += 2) {
    if (Labels.value(set.labels, labels[i] ?? '') !== labels[i + 1]) return false;
  }
  return true;
}
