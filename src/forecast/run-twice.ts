/**
 * Pods that PodGC deletes by force and a controller replaces, while nobody has confirmed that the old containers have
 * stopped: the same identity, or the same volume, may then be in use twice (spec §7).
 */
import { compareBytes } from '../graph/identity.ts';
import { identityOfObject } from '../graph/ownership-node.ts';
import type { KubeObject } from '../model/object.ts';
import { isFinished, isNodeReady, podFacts } from '../podgc/passes.ts';
import { claimsOfPod } from '../simulation/controllers/claim-users.ts';
import { controllerOf } from '../simulation/controllers/claiming.ts';
import { ordinalOf } from '../simulation/controllers/stateful-names.ts';
import { forceDeletionOf, type PodOnNode } from './node-pods.ts';
import { compareIdentity, type Ends } from './outcome.ts';
import type { TwiceRunning } from './plan.ts';
import type { Run } from './run.ts';

export function couldRunTwice(run: Run, ends: Ends, pods: readonly PodOnNode[]): TwiceRunning[] {
  const news = newPods(ends);
  const found: TwiceRunning[] = [];
  for (const each of pods) {
    const { pod, touched, after } = each;
    const owner = controllerOf(pod);
    // Containers that have finished don't run again, and a pod that is still there keeps its name.
    if (owner === undefined || after !== undefined || isFinished(pod)) continue;
    if (forceDeletionOf(each) === undefined) continue;
    const controller = run.store.byUid(owner.uid);
    if (controller === undefined) continue;
    const siblings = news.filter(
      other => other.namespace === pod.namespace && controllerOf(other)?.uid === owner.uid,
    );
    const told = {
      pod: identityOfObject(pod),
      node: touched.before.name,
      replacedBy: identityOfObject(controller),
    };
    if (siblings.some(({ name }) => name === pod.name) || isMadeAgain(controller, pod)) {
      found.push({ ...told, claim: undefined, because: whileRunning(each) });
      continue;
    }
    const shared = siblings.flatMap(claimsOfPod);
    for (const claim of claimsOfPod(pod)) {
      if (shared.includes(claim)) found.push({ ...told, claim, because: whileRunning(each) });
    }
  }
  return found.sort((a, b) => compareIdentity(a.pod, b.pod) || compareBytes(a.claim ?? '', b.claim ?? ''));
}

/**
 * Whether a StatefulSet makes this pod again sooner or later: the forecast's set waits for the pods below to be ready,
 * which one with `podManagementPolicy: Parallel` doesn't, and facts don't tell them apart.
 */
function isMadeAgain({ type, facts, deletionTimestamp }: KubeObject, pod: KubeObject): boolean {
  if (type.kind !== 'StatefulSet' || type.group !== 'apps' || deletionTimestamp !== undefined) return false;
  return facts?.kind === 'Workload' && ordinalOf(pod) < facts.desired;
}

function newPods(ends: Ends): KubeObject[] {
  const news: KubeObject[] = [];
  for (const { before, after } of ends.values()) {
    if (before === undefined && after !== undefined && podFacts(after) !== undefined) news.push(after);
  }
  return news;
}

/** For how long the old containers may still run. */
function whileRunning({ pod, touched }: PodOnNode): string {
  const node = touched.before;
  if (!isNodeReady(node)) {
    return `${node.name} is not ready: if its machine is cut off and not powered off, the old containers run on, nobody knows for how long`;
  }
  const grace = podFacts(pod)?.terminationGracePeriodSeconds;
  const seconds = grace === undefined ? '' : `, within ${grace} s`;
  return `nobody waits for the kubelet of ${node.name}, which stops the old containers after PodGC has deleted the pod${seconds}`;
}
