/**
 * The status of Deployments, summed up from their ReplicaSets (pkg/controller/deployment/sync.go, v1.36). Apart
 * from the simulation's Deployment controller: no deletion depends on it, and a forecast needn't pay for it.
 */
import type { WorkloadFacts } from '../../../model/facts/facts.ts';
import { type KubeObject, labelValue, type Uid } from '../../../model/object.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';
import type { Controller, ControllerContext } from '../../../simulation/runtime/controller.ts';

export class DeploymentStatusController implements Controller {
  readonly name = 'deployment-status';

  start(context: ControllerContext): void {
    const queue = context.queue<Uid>('queue', uid => {
      this.#sync(context, uid);
      queue.forget(uid);
    });
    const isDeployment = (type: ResourceType): boolean => type.group === 'apps' && type.kind === 'Deployment';
    const isReplicaSet = (type: ResourceType): boolean => type.group === 'apps' && type.kind === 'ReplicaSet';
    const enqueue = (deployment: KubeObject): void => queue.add(deployment.uid);
    const enqueueOwner = (set: KubeObject): void => {
      const owner = set.owners.find(({ controller }) => controller === true);
      if (owner !== undefined) queue.add(owner.uid);
    };
    context.informer(isDeployment, { added: enqueue, updated: enqueue });
    context.informer(isReplicaSet, { added: enqueueOwner, updated: enqueueOwner, deleted: enqueueOwner });
  }

  #sync(context: ControllerContext, uid: Uid): void {
    const deployment = context.cache.byUid(uid);
    if (deployment?.facts?.kind !== 'Workload' || deployment.type.kind !== 'Deployment') return;
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
  }
}

/** Its template has every label of the Deployment's; which further ones it has tells one release from another. */
function hasTemplate(set: KubeObject, deployment: KubeObject['facts']): boolean {
  const labels = deployment?.kind === 'Workload' ? deployment.templateLabels : [];
  for (let i = 0; i < labels.length; i += 2) {
    if (labelValue(set.labels, labels[i] ?? '') !== labels[i + 1]) return false;
  }
  return true;
}
