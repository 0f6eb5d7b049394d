/**
 * The claims of generic ephemeral volumes: each belongs to its pod and goes with it
 * (pkg/controller/volume/ephemeral/controller.go, v1.36). Labels and storage class are in the pod's template,
 * which facts don't hold; they stay empty.
 */

import { type KubeObject, podFacts, type Uid } from '../../../model/object.ts';
import type { Controller, ControllerContext } from '../../runtime/controller.ts';
import type { SimulatedQueue } from '../../runtime/work-queue.ts';
import { controllerReference } from '../claiming.ts';
import { draftClaim } from '../workloads/drafts.ts';
import { type GroupKind, isKind, POD, servedType } from '../workloads/workloads.ts';

const CLAIM: GroupKind = { group: '', version: 'v1', kind: 'PersistentVolumeClaim' };

export class EphemeralVolumeController implements Controller {
  readonly name = 'ephemeral-volume-controller';

  start(context: ControllerContext): void {
    const queue: SimulatedQueue<Uid> = context.queue<Uid>('pods', uid => {
      const pod = context.cache.byUid(uid);
      if (pod === undefined || pod.deletionTimestamp !== undefined || createClaims(context, pod)) {
        queue.forget(uid);
      } else {
        queue.addRateLimited(uid);
      }
    });
    context.informer(type => isKind(type, POD), {
      added: pod => {
        if ((podFacts(pod)?.ephemeralVolumes.length ?? 0) > 0) queue.add(pod.uid);
      },
    });
    // A claim that goes while its pod is there is made again.
    context.informer(type => isKind(type, CLAIM), {
      deleted: claim => {
        const owner = claim.owners.find(({ controller, kind }) => controller === true && kind === 'Pod');
        const pod = owner && context.cache.byUid(owner.uid);
        if (pod !== undefined) queue.add(pod.uid);
      },
    });
  }
}

/** False where a claim cannot be made, or another one has its name. */
function createClaims(context: ControllerContext, pod: KubeObject): boolean {
  const type = servedType(context, CLAIM);
  if (type === undefined) return true;
  return (podFacts(pod)?.ephemeralVolumes ?? []).every(volume => {
    const name = `${pod.name}-${volume}`;
    const existing = context.cache.find(type, pod.namespace, name);
    if (existing !== undefined) return existing.owners.some(({ uid }) => uid === pod.uid);
    const owners = [controllerReference(pod)];
    const draft = draftClaim({
      type,
      namespace: pod.namespace,
      name,
      labels: [],
      storageClassName: '',
      owners,
    });
    const answer = context.api.because(`pod ${pod.name} has an ephemeral volume ${volume}`).create(draft);
    // In a namespace that is terminating no claim can be made, and none is needed.
    return answer.ok || answer.reason === 'NamespaceTerminating';
  });
}
