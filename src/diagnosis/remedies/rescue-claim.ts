/**
 * Rescues the data of a claim that is being deleted by giving its volume to a new claim of the same name; the deletion
 * itself can't be undone. A volume whose `spec.claimRef` has no uid is bound to the next claim of that name
 * (pkg/controller/volume/persistentvolume/pv_controller.go, v1.36), so no controller can get an empty volume instead.
 */
import { type ApplicableRemedy, CLAIM_PROTECTION } from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import {
  BuiltInKind,
  controllerOf,
  type KubeObject,
  statefulNames,
  workloadFacts,
} from '../../model/index.ts';
import type { Operation } from '../../simulation/index.ts';
import { usersOf } from '../cluster/claim-users.ts';
import { worstRisk } from '../engine/finding.ts';
import { kindAndNames } from '../engine/kind-words.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { deletion, type Offer, patch, recreation, remedy } from './remedy-requests.ts';

type Step = Omit<Offer, 'id'>;

/** Offers to rescue the claim, the claim of a volume, or those of a pod. */
export function rescues(tracked: TrackedView, object: KubeObject): ApplicableRemedy[] {
  const type = tracked.type('v1', 'PersistentVolumeClaim');
  const claimAt = (namespace: string, name: string): KubeObject | [] =>
    (type && name !== '' && tracked.find(type, namespace, name)) || [];
  const { facts } = object;
  const claims =
    facts?.kind === 'PersistentVolume'
      ? [claimAt(facts.claimNamespace, facts.claimName)]
      : facts?.kind === 'Pod'
        ? facts.claims.map(name => claimAt(object.namespace, name))
        : [facts?.kind === 'PersistentVolumeClaim' ? object : []];
  return claims.flat().flatMap(claim => rescueClaim(tracked, claim) ?? []);
}

function rescueClaim(tracked: TrackedView, claim: KubeObject): ApplicableRemedy | undefined {
  const users = usersOf(tracked, claim);
  const volume = volumeOf(tracked, claim);
  if (volume === undefined || users.length === 0 || !isReplaceable(tracked, claim)) return undefined;
  const makers = users.flatMap(pod => makerOf(tracked, pod, claim) ?? []);
  const running = users.filter(each => !isDeleting(each));
  const steps = [
    ...reserve(tracked, volume, claim),
    ...(running.length === 0 ? [] : [letGo(tracked, running, makers)]),
    ...(makers.length > 0 ? [] : [createAgain(tracked, claim)]),
  ];
  const offer = {
    id: `rescue-claim/${claim.name}`,
    title: `rescue the data: give PersistentVolume ${volume.name} to a new claim ${claim.name}`,
    risk: worstRisk(steps.map(({ risk }) => risk)),
  };
  return {
    ...remedy({ ...offer, acts: steps.flatMap(({ acts }) => acts) }),
    steps: steps.map(({ title, risk, acts }) => ({
      title,
      risk,
      requests: acts.map(({ request }) => request),
    })),
  };
}

/** Checks that only its pods hold the claim, and that a new one of this name can be created and isn't deleted. */
function isReplaceable(tracked: TrackedView, claim: KubeObject): boolean {
  const home = tracked.findKind('v1', 'Namespace', '', claim.namespace);
  return (
    isDeleting(claim) &&
    claim.finalizers.every(each => each === CLAIM_PROTECTION) &&
    !claim.owners.some(each => BuiltInKind.of(each) === 'Pod') &&
    (home === undefined || !isDeleting(home))
  );
}

/** Returns the claim's volume, even if it is reserved for the next claim already. */
function volumeOf(tracked: TrackedView, { namespace, name, uid, facts }: KubeObject): KubeObject | undefined {
  const bound = facts?.kind === 'PersistentVolumeClaim' ? facts.volumeName : '';
  const volume = bound === '' ? undefined : tracked.findKind('v1', 'PersistentVolume', '', bound);
  if (volume?.facts?.kind !== 'PersistentVolume' || isDeleting(volume)) return undefined;
  const { claimUid, claimName, claimNamespace } = volume.facts;
  const isReserved = claimUid === '' && claimName === name && claimNamespace === namespace;
  return claimUid === uid || isReserved ? volume : undefined;
}

/** Returns no step if the volume is retained and reserved already. */
function reserve(tracked: TrackedView, volume: KubeObject, { namespace, name, uid }: KubeObject): Step[] {
  if (volume.facts?.kind !== 'PersistentVolume') return [];
  const { reclaimPolicy, claimUid } = volume.facts;
  const policy = '/spec/persistentVolumeReclaimPolicy';
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name };
  const operations: Operation[] = [];
  if (reclaimPolicy !== 'Retain')
    operations.push(
      { op: 'test', path: policy, value: reclaimPolicy },
      { op: 'replace', path: policy, value: 'Retain' },
    );
  if (claimUid !== '')
    operations.push(
      { op: 'test', path: '/spec/claimRef/uid', value: uid },
      { op: 'replace', path: '/spec/claimRef', value: claimRef },
    );
  if (operations.length === 0) return [];
  const title = `keep PersistentVolume ${volume.name} and its data (Retain), and reserve it for the next claim ${name}`;
  return [{ title, risk: 'caution', acts: [patch(tracked.view.catalog, volume, operations)] }];
}

function letGo(tracked: TrackedView, pods: readonly KubeObject[], [maker]: readonly KubeObject[]): Step {
  const isAlone = (pod: KubeObject): boolean => {
    const controller = controllerOf(pod);
    return controller === undefined || tracked.node(controller.uid)?.object === undefined;
  };
  const again = maker === undefined ? '' : `: StatefulSet ${maker.name} creates claim and pod anew`;
  return {
    title: `delete ${kindAndNames(pods)}, which ${pods.length === 1 ? 'keeps' : 'keep'} the old claim${again}`,
    risk: pods.some(isAlone) ? 'dangerous' : 'caution',
    acts: pods.map(each => deletion(each, { cascade: 'background', unchanged: false })),
  };
}

function createAgain(tracked: TrackedView, claim: KubeObject): Step {
  return {
    title: `wait until the old claim is gone, and create ${claim.name} again for the volume`,
    risk: 'safe',
    acts: [recreation(tracked.view.catalog, claim)],
  };
}

/** Returns the pod's StatefulSet if it creates the claim again, with the pod. */
export function makerOf(tracked: TrackedView, pod: KubeObject, claim: KubeObject): KubeObject | undefined {
  const controller = controllerOf(pod);
  const node = controller && tracked.node(controller.uid);
  const set = node?.object;
  const facts = set && workloadFacts(set);
  if (node === undefined || set === undefined || facts === undefined || isDeleting(set)) return undefined;
  const ordinal = statefulNames.ordinal(pod);
  const start = statefulNames.inferStart(tracked.dependents(node), facts.desired);
  const isWanted = ordinal >= start && ordinal < start + facts.desired;
  const isNamed = (template: string): boolean => statefulNames.claim(template, set, ordinal) === claim.name;
  return isWanted && facts.claimTemplates.some(isNamed) ? set : undefined;
}
