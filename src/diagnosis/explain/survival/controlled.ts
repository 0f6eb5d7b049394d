/** Explains objects whose controller is gone, being deleted, or replaced (docs/kubernetes.md §2.3, §2.4, §9). */

import { OwnerStatus } from '../../../collector/index.ts';
import { type GraphNode, isDeleting } from '../../../graph/index.ts';
import {
  BuiltInKind,
  controllerOf,
  enumerated,
  isoTime,
  type KubeObject,
  Labels,
  type OwnerReference,
  objectTitle,
  podFacts,
  shownName,
  textEscapes,
} from '../../../model/index.ts';
import { formerOwnerOf, REVISION_HASH } from '../../cluster/former-owner.ts';
import { ownerTitle } from '../../engine/kind-words.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Survival, survivalOfOwnerless } from './ownerless.ts';

interface Case {
  readonly tracked: TrackedView;
  readonly node: GraphNode;
  readonly object: KubeObject;
  readonly reference: OwnerReference;
}

/** Covers objects with a `controller: true` reference; undefined in the normal case. */
export function survivalOfControlled(tracked: TrackedView, object: KubeObject): Survival | undefined {
  const node = tracked.node(object.uid);
  const reference = controllerOf(object);
  if (node === undefined || reference === undefined) return undefined;
  const each: Case = { tracked, node, object, reference };
  const survival = survivalIn(each, tracked.ownerStatus(node, reference));
  // The absence of its other owners is assumed too.
  tracked.verdict(node);
  return survival && { ...survival, summary: `${objectTitle(object)} ${survival.summary}.` };
}

/** Returns a summary that continues the object's title. */
function survivalIn(each: Case, status: OwnerStatus): Survival | undefined {
  if (OwnerStatus.isDangling(status)) return ofGoneController(each);
  if (status === 'Solid') return ofLiveController(each);
  return status === 'Unresolvable' && !isDeleting(each.object)
    ? ofUnresolvable(each, each.reference)
    : undefined;
}

function ofGoneController(each: Case): Survival | undefined {
  const { tracked, node, object, reference } = each;
  const { kind, name, uid } = textEscapes.asShown(reference);
  const evidence = `metadata.ownerReferences: ${kind} ${name}, uid ${uid}, controller: ${reference.controller}`;
  const others = object.owners.filter(owner => owner !== reference);
  const statuses = others.map(owner => ({ owner, status: tracked.ownerStatus(node, owner) }));
  if (isDeleting(object)) return held(each, [evidence]);
  const unresolvable = statuses.find(({ status }) => status === 'Unresolvable');
  if (unresolvable !== undefined) return ofUnresolvable(each, unresolvable.owner);
  const keeping = statuses.filter(({ status }) => status === 'Solid').map(({ owner }) => owner);
  if (keeping.length > 0) {
    const owners = enumerated(keeping.map(ownerTitle));
    return {
      way: 'second-owner',
      summary: `survived its controller ${kind} ${name}, which is gone: ${owners} ${keeping.length === 1 ? 'owns' : 'own'} it too`,
      because: [evidence, `metadata.ownerReferences: ${owners}`],
      next: `The garbage collector removes the reference to ${name}; it is deleted when ${owners} ${keeping.length === 1 ? 'is' : 'are'}.`,
    };
  }
  const namesake = liveNamesake(each);
  if (namesake !== undefined) {
    return {
      way: 'owner-recreated',
      summary: `belongs to an earlier ${kind} ${name}, which is gone: the ${kind} of that name is another one, which cannot adopt it while the reference is there`,
      because: [evidence, `${kind} ${name} has the uid ${namesake.uid}`],
      next: 'The garbage collector deletes it as soon as it looks at it.',
    };
  }
  return {
    way: 'dangling',
    summary: `is still there only because the garbage collector hasn't deleted it yet: its ${kind} ${name} is gone, and its reference to it remains`,
    because: [evidence, `there is no ${kind} ${name} of that uid`],
    next: 'The garbage collector deletes it as soon as it works; after minutes without a deletion, it is down or fails.',
  };
}

function held({ object, reference }: Case, evidence: readonly string[]): Survival | undefined {
  const { finalizers } = object;
  if (finalizers.length === 0) return undefined;
  const named = `${finalizers.length === 1 ? 'the finalizer' : 'the finalizers'} ${finalizers.join(', ')}`;
  return {
    way: 'held',
    summary: `outlives its ${shownName(reference.kind)} ${shownName(reference.name)}: it is being deleted too, and held by ${named}`,
    because: [...evidence, `metadata.finalizers: ${finalizers.join(', ')}`],
    next: `It is deleted when ${named} ${finalizers.length === 1 ? 'is' : 'are'} removed.`,
  };
}

function ofUnresolvable({ tracked, object }: Case, reference: OwnerReference): Survival {
  const { apiVersion, kind, name } = textEscapes.asShown(reference);
  const one = object.owners.length === 1;
  return {
    way: 'unresolvable-owner',
    summary: `stays because the garbage collector cannot decide about it: the API server doesn't serve ${kind} of ${apiVersion}, the kind of its owner ${name}`,
    because: [
      `metadata.ownerReferences: ${apiVersion} ${kind} ${name}`,
      tracked.view.complete
        ? `no served group and version has the kind ${kind} under ${apiVersion}`
        : `no group and version that can be seen has the kind ${kind} under ${apiVersion}`,
    ],
    next: `Nothing${one ? '' : ', whatever becomes of its other owners'}: the garbage collector tries again and again, and deletes it if that kind returns without ${name}.`,
  };
}

function ofLiveController(each: Case): Survival | undefined {
  const { tracked, object, reference } = each;
  const owner = tracked.node(reference.uid)?.object;
  if (owner === undefined) return undefined;
  const { kind, name } = reference;
  if (isDeleting(owner)) {
    if (isDeleting(object)) return undefined;
    const finalizers = owner.finalizers.join(', ');
    return {
      way: 'owner-still-there',
      summary: `stays as long as its ${kind} ${name} does, which is being deleted and held by ${finalizers || 'nothing any more'}`,
      because: [
        `${kind} ${name} has a deletion timestamp, and still exists: metadata.finalizers: ${finalizers || 'none'}`,
      ],
      next: owner.finalizers.includes('orphan')
        ? `The garbage collector removes its reference to ${name} before ${name} is deleted, and it stays.`
        : `When ${name} is gone, the garbage collector deletes it.`,
    };
  }
  if (isDeleting(object)) return undefined;
  if (isYounger(owner, object)) {
    // Without marks, it may have been made by hand ahead of its owner.
    const former = formerOwnerOf(object);
    const earlier =
      former?.kind === kind && former.name === name ? `survived an earlier ${kind} ${name} and ` : '';
    return {
      way: 'adopted',
      summary: `${earlier}was adopted: ${kind} ${name} controls it, and is younger than it is`,
      because: [
        `metadata.creationTimestamp: ${time(object)}; that of ${kind} ${name}: ${time(owner)}`,
        `metadata.ownerReferences: ${kind} ${name}, controller: true`,
      ],
      next: `It belongs to ${name} like any other, and is deleted with it.`,
    };
  }
  return ofRecreatedSet(each, owner) ?? ofSurvivorsChild(each, owner);
}

/** Compares ages: a recreated set is younger than a revision or claim it took over. */
function ofRecreatedSet({ tracked, object }: Case, owner: KubeObject): Survival | undefined {
  if (BuiltInKind.of(owner.type) !== 'StatefulSet' || BuiltInKind.of(object.type) !== 'Pod') return undefined;
  const older = relics(tracked, object).find(relic => isYounger(owner, relic));
  if (older === undefined) return undefined;
  const { name } = owner;
  return {
    way: 'recreated',
    summary: `is no survivor: StatefulSet ${name} was recreated under the same name, and created this pod`,
    because: [
      `metadata.creationTimestamp: ${time(object)}; that of StatefulSet ${name}: ${time(owner)}`,
      `${older.type.kind} ${older.name} is older than ${name}: it is from a set before it`,
    ],
    next: `It belongs to ${name}, and is recreated whenever it is deleted.`,
  };
}

function relics(tracked: TrackedView, pod: KubeObject): KubeObject[] {
  const { namespace } = pod;
  const revision = Labels.value(pod.labels, REVISION_HASH);
  const claims = podFacts(pod)?.claims ?? [];
  return [
    revision && tracked.findKind('apps/v1', 'ControllerRevision', namespace, revision),
    ...claims.map(claim => tracked.findKind('v1', 'PersistentVolumeClaim', namespace, claim)),
  ].filter(each => each !== undefined && each !== '');
}

function ofSurvivorsChild({ tracked }: Case, owner: KubeObject): Survival | undefined {
  if (BuiltInKind.of(owner.type) !== 'ReplicaSet' || controllerOf(owner) !== undefined) return undefined;
  const former = formerOwnerOf(owner);
  if (former === undefined) return undefined;
  const above = survivalOfOwnerless(tracked, owner, former);
  if (above.way !== 'orphaned' && above.way !== 'released') return undefined;
  const did = above.way === 'orphaned' ? 'survived its' : 'was released by';
  return {
    way: 'kept-by-survivor',
    summary: `is kept by ReplicaSet ${owner.name}, which ${did} ${former.kind} ${former.name} and recreates every pod that is deleted`,
    because: [
      `metadata.ownerReferences: ReplicaSet ${owner.name}, controller: true`,
      ...above.because.map(line => `ReplicaSet ${owner.name}: ${line}`),
    ],
    next: `The ReplicaSet replaces the pod if it is deleted. To remove it for good, delete ReplicaSet ${owner.name}.`,
  };
}

function liveNamesake({ tracked, object, reference }: Case): KubeObject | undefined {
  const type = tracked.type(reference.apiVersion, reference.kind);
  if (type === undefined) return undefined;
  const found = tracked.find(type, type.namespaced ? object.namespace : '', reference.name);
  return found?.uid === reference.uid ? undefined : found;
}

function isYounger(object: KubeObject, than: KubeObject): boolean {
  return than.creationTimestamp > 0 && object.creationTimestamp > than.creationTimestamp;
}

function time({ creationTimestamp }: KubeObject): string {
  return isoTime(creationTimestamp);
}
