/** Claims that a node's pods no longer use. Objects don't show if a volume needs attaching, or how long that takes. */
import { identityOfObject } from '../../graph/index.ts';
import { objectState, podFacts, type Uid } from '../../model/index.ts';
import { outOfServiceNodes, PodGcRules } from '../../podgc/index.ts';
import type { FreedVolume, NodePod } from '../plan/forecast-result.ts';
import { compareIdentity, type Ends } from '../plan/run-ends.ts';
import type { Run, Stage } from '../simulated-run.ts';
import type { PodOnNode, TouchedNode } from './pods-on-nodes.ts';

/**
 * Milliseconds that the attach/detach controller waits for an unreported unmount (ReconcilerMaxWaitForUnmountDuration
 * in pkg/controller/volume/attachdetach/attach_detach_controller.go, v1.36).
 */
const UNMOUNT_MS = 360_000;

export interface VolumesOf {
  readonly stage: Stage;
  readonly run: Run;
  readonly ends: Ends;
  readonly pods: readonly PodOnNode[];
  readonly fates: readonly NodePod[];
}

export function freedVolumes({ stage, run, ends, pods, fates }: VolumesOf): FreedVolume[] {
  const type = stage.view.catalog.resolveKind('v1', 'PersistentVolumeClaim');
  if (type === undefined) return [];
  const leaving = new Map<Uid, number>();
  for (const { pod, when } of fates) if (when !== undefined) leaving.set(pod.uid, when.earliest);
  const uses = new Map<string, Use>();
  for (const { pod, touched, after } of pods) {
    // Finished pods need no volume (DetermineVolumeAction in pkg/controller/volume/attachdetach/util, v1.36).
    if (objectState.isFinished(pod)) continue;
    const left = after !== undefined && !objectState.isFinished(after);
    for (const claim of objectState.claims(pod)) {
      const key = `${touched.before.name} ${pod.namespace}/${claim}`;
      const use = uses.get(key) ?? { touched, namespace: pod.namespace, claim, left: false, free: stage.now };
      use.left ||= left;
      use.free = Math.max(use.free, leaving.get(pod.uid) ?? stage.now);
      uses.set(key, use);
    }
  }
  for (const { before, after } of ends.values()) {
    if (before !== undefined || after === undefined || objectState.isFinished(after)) continue;
    for (const claim of objectState.claims(after)) {
      const use = uses.get(`${podFacts(after)?.nodeName ?? ''} ${after.namespace}/${claim}`);
      if (use !== undefined) use.left = true;
    }
  }
  const found: FreedVolume[] = [];
  for (const { touched, namespace, claim: name, left, free } of uses.values()) {
    const claim = run.store.find(type, namespace, name);
    // Claims deleted with their pod are of no use, and new ones were never attached.
    if (left || claim === undefined || stage.base.byUid(claim.uid) === undefined) continue;
    const volumeName = claim.facts?.kind === 'PersistentVolumeClaim' ? claim.facts.volumeName : '';
    const { wait, because } = detachment(stage, touched);
    found.push({
      claim: identityOfObject(claim),
      volume: volumeName === '' ? undefined : volumeName,
      node: touched.before.name,
      earliest: free + wait,
      because,
    });
  }
  return found.sort((a, b) => compareIdentity(a.claim, b.claim));
}

interface Use {
  readonly touched: TouchedNode;
  readonly namespace: string;
  readonly claim: string;
  left: boolean;
  free: number;
}

/** Models the attach/detach controller (pkg/controller/volume/attachdetach/reconciler/reconciler.go, v1.36). */
function detachment(
  stage: Stage,
  { after }: TouchedNode,
): { readonly wait: number; readonly because: string } {
  const isOutOfService = PodGcRules.of(stage.behaviour).passes.includes('OutOfService');
  if (after !== undefined && outOfServiceNodes.isOn(after) && isOutOfService) {
    const because =
      'detached by the attach/detach controller as soon as the pod has ended, without waiting for an unmount, because the node is out of service';
    return { wait: 0, because };
  }
  if (after !== undefined && objectState.isNodeReady(after)) {
    const because =
      'detached by the attach/detach controller as soon as the kubelet has unmounted it after the end of the pod';
    return { wait: 0, because };
  }
  const because =
    'detached by force by the attach/detach controller 6 minutes after the pod has ended, because no kubelet reports an unmount; never, if it runs with --disable-force-detach-on-timeout';
  return { wait: UNMOUNT_MS, because };
}
