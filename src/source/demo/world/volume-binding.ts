/**
 * Claims bound to volumes that are there (pkg/controller/volume/persistentvolume, v1.36). Apart from the
 * simulation's controllers, because a forecast takes the claims as it finds them, and only a cluster that begins
 * with nothing has any to bind.
 */
import type { VolumeClaimFacts, VolumeFacts } from '../../../model/facts/facts.ts';
import { type KubeObject, namespacedName } from '../../../model/object.ts';
import type { ResourceType } from '../../../model/types/resource-type.ts';
import type { Controller, ControllerContext } from '../../../simulation/runtime/controller.ts';

export class ClaimBindingController implements Controller {
  readonly name = 'persistent-volume-claim-binder';

  start(context: ControllerContext): void {
    const queue = context.queue<string>('queue', key => {
      this.#bind(context, key);
      queue.forget(key);
    });
    const isClaim = (type: ResourceType): boolean =>
      type.group === '' && type.kind === 'PersistentVolumeClaim';
    const isVolume = (type: ResourceType): boolean => type.group === '' && type.kind === 'PersistentVolume';
    context.informer(isClaim, { added: claim => queue.add(namespacedName(claim)) });
    context.informer(isVolume, {
      added: () => {
        const type = context.type('v1', 'PersistentVolumeClaim');
        for (const claim of type === undefined ? [] : context.cache.list(type))
          queue.add(namespacedName(claim));
      },
    });
  }

  #bind(context: ControllerContext, key: string): void {
    const claimType = context.type('v1', 'PersistentVolumeClaim');
    const volumeType = context.type('v1', 'PersistentVolume');
    if (claimType === undefined || volumeType === undefined) return;
    const [namespace = '', name = ''] = key.split('/');
    const found = context.api.get({ type: claimType, namespace, name });
    if (!found.ok || found.object.facts?.kind !== 'PersistentVolumeClaim') return;
    const claim = found.object;
    const { facts } = found.object;
    if (claim.deletionTimestamp !== undefined || facts.phase === 'Bound') return;
    const volumes = context.api.list(volumeType);
    const volume = volumes.ok ? volumes.items.find(each => fits(each, claim, facts)) : undefined;
    if (volume?.facts?.kind !== 'PersistentVolume') return;
    const bound: VolumeFacts = {
      ...volume.facts,
      phase: 'Bound',
      claimNamespace: claim.namespace,
      claimName: claim.name,
      claimUid: claim.uid,
    };
    const api = context.api.because(`${claim.name} fits it`);
    const answer = api.patch(volume, { facts: bound }, { uid: volume.uid, subresource: 'status' });
    if (!answer.ok) return;
    context.api
      .because(`${volume.name} fits it`)
      .patch(
        claim,
        { facts: { ...facts, phase: 'Bound', volumeName: volume.name } },
        { uid: claim.uid, subresource: 'status' },
      );
  }
}

/** A claim that a StatefulSet made has no class here: what its template says of it isn't known. */
function fits(volume: KubeObject, claim: KubeObject, wanted: VolumeClaimFacts): boolean {
  const { facts } = volume;
  if (facts?.kind !== 'PersistentVolume' || volume.deletionTimestamp !== undefined) return false;
  if (facts.phase === 'Bound' || facts.phase === 'Released') return false;
  if (wanted.volumeName !== '' && wanted.volumeName !== volume.name) return false;
  if (facts.claimName !== '')
    return facts.claimName === claim.name && facts.claimNamespace === claim.namespace;
  return wanted.storageClassName === '' || wanted.storageClassName === facts.storageClassName;
}
