/** Pods that PodGC deletes by force and a controller replaces while old containers may run (docs/kubernetes.md §7). */
import { compareBytes, type Identity, identityOfObject, objectDeletion } from '../../graph/index.ts';
import {
  controllerOf,
  isMirrorPod,
  type KubeObject,
  namespacedName,
  type OwnerReference,
  objectState,
  podFacts,
  statefulNames,
  type Uid,
  workloadFacts,
} from '../../model/index.ts';
import { KubeletState } from '../../podgc/index.ts';
import type { TwiceRunning, Warning } from '../plan/forecast-result.ts';
import { compareIdentity, type Ends, isModelled } from '../plan/run-ends.ts';
import { type Run, type Stage, USER } from '../simulated-run.ts';
import { forceDeletionOf, type PodOnNode } from './pods-on-nodes.ts';

export interface TwiceIn {
  readonly stage: Stage;
  readonly run: Run;
  readonly ends: Ends;
}

/** A pod that is gone, or held by finalizers alone, without its kubelet's confirmation. */
export interface LostPod {
  readonly pod: KubeObject;
  readonly after: KubeObject | undefined;
  readonly node: string;
  /** `Unseen`: the node can't be read. */
  readonly kubelet: KubeletState | 'Unseen';
}

export function couldRunTwice(world: TwiceIn, pods: readonly PodOnNode[]): TwiceRunning[] {
  const lost = pods.filter(mayStillRun).map(({ pod, after, touched: { before } }) => ({
    pod,
    after,
    node: before.name,
    kubelet: KubeletState.of(before),
  }));
  return runningTwice(world, lost);
}

/** The containers of a mirror pod run on, and a new mirror starts none. */
function runningTwice(world: TwiceIn, lost: readonly LostPod[]): TwiceRunning[] {
  const news = newPods(world.ends);
  return lost
    .filter(({ pod }) => !isMirrorPod(pod))
    .flatMap(each =>
      replacementsOf(world, each, news).map(replacement => ({
        pod: identityOfObject(each.pod),
        node: each.node,
        ...replacement,
        because: whileRunning(each),
      })),
    )
    .sort((a, b) => compareIdentity(a.pod, b.pod) || compareBytes(a.claim ?? '', b.claim ?? ''));
}

/** PodGC marks pods as Failed before deleting them, so a forced one held by finalizers only seems finished. */
function mayStillRun(each: PodOnNode): boolean {
  const { pod, touched } = each;
  if (!objectState.isFinished(pod)) return forceDeletionOf(each) !== undefined;
  const wasForced = pod.deletionTimestamp !== undefined && podFacts(pod)?.phase === 'Failed';
  return wasForced && KubeletState.of(touched.before) !== 'Ready';
}

type Replacement = Pick<TwiceRunning, 'replacedBy' | 'claim' | 'certainty' | 'heldBy'>;

function replacementsOf(world: TwiceIn, { pod, after, kubelet }: LostPod, news: NewPods): Replacement[] {
  const heldBy = after === undefined ? [] : objectDeletion.finalizers(after);
  const owner = controllerOf(pod) ?? pod.owners[0];
  const controller = owner && controllerIn(world, owner, pod.namespace);
  if (isEnding(world, pod.namespace)) return [];
  const namesake = news.byName.get(namespacedName(pod));
  const creator = namesake && controllerOf(namesake);
  if (creator !== undefined) {
    const replacedBy = controllerIn(world, creator, pod.namespace)?.identity;
    if (replacedBy !== undefined) return [{ replacedBy, claim: undefined, certainty: 'exact', heldBy }];
  }
  if (owner === undefined || controller === undefined) return [];
  const { identity: replacedBy, object } = controller;
  const facts = object && workloadFacts(object);
  // While a finalizer keeps the name, a working kubelet has time to stop the containers.
  const sameName = (certainty: Replacement['certainty']): Replacement[] =>
    heldBy.length > 0 && kubelet === 'Ready' ? [] : [{ replacedBy, claim: undefined, certainty, heldBy }];
  if (!isModelled(owner)) return sameName('assumed');
  if (owner.kind === 'StatefulSet') {
    if (facts === undefined || object === undefined) return sameName('assumed');
    return isRecreated(world, object, pod) ? sameName('exact') : [];
  }
  // Other controllers replace a pod as soon as it is being deleted, under another name.
  const siblings = news.byController.get(owner.uid) ?? [];
  const known = facts !== undefined || owner.kind === 'Node';
  const isShared = (claim: string): boolean =>
    siblings.some(other => other.namespace === pod.namespace && objectState.claims(other).includes(claim));
  return objectState
    .claims(pod)
    .filter(claim => !known || isShared(claim))
    .map(claim => ({ replacedBy, claim, certainty: known ? 'exact' : 'assumed', heldBy: [] }));
}

interface Found {
  readonly identity: Identity;
  /** Undefined if its kind can't be resolved. */
  readonly object: KubeObject | undefined;
}

function controllerIn(
  { stage, run }: TwiceIn,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Found | undefined {
  const object = run.store.byUid(uid);
  if (object !== undefined) {
    return object.deletionTimestamp === undefined
      ? { identity: identityOfObject(object), object }
      : undefined;
  }
  // An owner of an unresolvable kind may still exist.
  if (stage.view.catalog.resolveKind(apiVersion, kind) !== undefined) return undefined;
  return { identity: { apiVersion, kind, namespace, name, uid }, object: undefined };
}

/** Facts show neither `podManagementPolicy: Parallel` nor the first ordinal, so the lowest pods count as wanted. */
function isRecreated({ stage }: TwiceIn, set: KubeObject, pod: KubeObject): boolean {
  const desired = workloadFacts(set)?.desired ?? 0;
  const ordinal = statefulNames.ordinal(pod);
  const below = new Set<number>();
  for (const other of stage.base.ownedBy(set.uid)) {
    const its = podFacts(other) === undefined ? -1 : statefulNames.ordinal(other);
    if (its >= 0 && its < ordinal) below.add(its);
  }
  return ordinal < desired || below.size < desired;
}

/** A namespace being deleted accepts no new pods. */
function isEnding({ run, stage }: TwiceIn, namespace: string): boolean {
  const type = stage.view.catalog.resolveKind('v1', 'Namespace');
  return type !== undefined && run.store.find(type, '', namespace)?.deletionTimestamp !== undefined;
}

type NewPods = ReturnType<typeof newPods>;

function newPods(ends: Ends) {
  const pods = [...ends.values()].flatMap(({ before, after }) =>
    before === undefined && after !== undefined && podFacts(after) !== undefined ? after : [],
  );
  return {
    byName: new Map(pods.map(pod => [namespacedName(pod), pod])),
    byController: Map.groupBy(pods, pod => controllerOf(pod)?.uid),
  };
}

function whileRunning({ pod, node, kubelet }: LostPod): string {
  switch (kubelet) {
    case 'Silent':
      return `${node} is not ready: if its machine is cut off and not powered off, the old containers run on for an unknown time`;
    case 'Unseen':
      return `whether ${node} answers cannot be seen: if it doesn't and its machine is not powered off, the old containers run on for an unknown time`;
    case 'Reports':
      return `${node} is not ready, but its kubelet reports, so its machine runs: the old containers run on until the kubelet has stopped them, if it can`;
    case 'Ready': {
      const grace = Math.max(
        podFacts(pod)?.terminationGracePeriodSeconds ?? 0,
        pod.deletionGracePeriodSeconds ?? 0,
      );
      // A kubelet gives every container a second (calculateEffectiveGracePeriod in pkg/kubelet/pod_workers.go, v1.36).
      return `nothing waits for the kubelet of ${node}, which stops the old containers after the pod was deleted, within ${Math.max(1, grace)} s`;
    }
  }
}

/** Warns of forced deletions by a user or remedy: containers may run on next to those of the replacement. */
export function forcedPods(stage: Stage, run: Run, ends: Ends): Warning[] {
  const lost = removedByForce(stage, run);
  const twice = lost.length === 0 ? [] : runningTwice({ stage, run, ends }, lost);
  const named = new Set<Uid>(twice.map(({ pod }) => pod.uid));
  const alone = lost.filter(({ pod, kubelet }) => !named.has(pod.uid) && kubelet !== 'Ready');
  const pods = alone.map(({ pod }) => namespacedName(pod)).sort();
  return [
    ...twice.map(each => ({ code: 'runsTwice' as const, ...each })),
    ...(pods.length === 0 ? [] : [{ code: 'runsUnseen' as const, pods }]),
  ];
}

/** Finds pods that the user's own request removed while their containers may have run. */
function removedByForce({ view }: Stage, { log }: Run): LostPod[] {
  const nodeType = view.catalog.resolveKind('v1', 'Node');
  const lost: LostPod[] = [];
  for (const { actor, verb, before: pod, after } of log) {
    if (actor !== USER || verb !== 'delete' || pod === undefined || after !== undefined) continue;
    const nodeName = podFacts(pod)?.nodeName ?? '';
    if (nodeName === '' || objectState.isFinished(pod)) continue;
    const node = nodeType && view.find(nodeType, '', nodeName);
    const seen = nodeType !== undefined && view.seesAt(nodeType, '', nodeName);
    // A missing node has no kubelet.
    const kubelet = node === undefined ? (seen ? 'Silent' : 'Unseen') : KubeletState.of(node);
    lost.push({ pod, after: undefined, node: nodeName, kubelet });
  }
  return lost;
}
