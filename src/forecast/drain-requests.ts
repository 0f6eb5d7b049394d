/** The requests of `kubectl drain`, its filters and order (kubectl pkg/drain/filters.go and drain.go, v0.36). */
import { type ClusterView, compareBytes } from '../graph/index.ts';
import {
  controllerOf,
  isMirrorPod,
  type KubeObject,
  nodeFacts,
  objectState,
  podFacts,
  type ShellCommands,
  shownName,
} from '../model/index.ts';
import type { ApiAnswer, ApiClient } from '../simulation/index.ts';
import type { DrainAction } from './action.ts';

/** `blocks`: kubectl evicts nothing from the node because of the pod. `stays`: it leaves the pod there. */
export interface DrainVerdict {
  readonly pod: KubeObject;
  readonly does: 'evict' | 'blocks' | 'stays';
  /** A clause; `''` if it is evicted. */
  readonly because: string;
}

/** Judges the pods on a node in the order in which kubectl lists them. */
export function drainVerdicts(view: ClusterView, node: KubeObject, action: DrainAction): DrainVerdict[] {
  return [...view.podsOn(node.name)]
    .filter(pod => action.podSelector?.matches(pod) ?? true)
    .sort((a, b) => compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name))
    .map(pod => ({ pod, does: 'evict', because: '', ...exception(view, pod, action) }));
}

type Exception = Pick<DrainVerdict, 'does' | 'because'>;

/** The order of the checks decides: a DaemonSet's pod is never judged by its volumes. */
function exception(view: ClusterView, pod: KubeObject, action: DrainAction): Exception | undefined {
  const isFinished = objectState.isFinished(pod);
  const set = isFinished ? undefined : daemonSetOf(pod);
  if (set !== undefined) {
    const state = daemonSetState(view, pod.namespace, set);
    const isMissing = state === 'absent';
    if (isMissing && !action.force)
      return {
        does: 'blocks',
        because: `DaemonSet ${shownName(set)} doesn't exist (--force evicts its pods)`,
      };
    const managed = `managed by DaemonSet ${shownName(set)}${state === 'unseen' ? ', which cannot be seen' : ''}`;
    if (!isMissing)
      return action.ignoreDaemonSets
        ? { does: 'stays', because: managed }
        : {
            does: 'blocks',
            because: `${managed} (--ignore-daemonsets leaves such pods there)`,
          };
  }
  if (isMirrorPod(pod))
    return { does: 'stays', because: 'mirror of a static pod, which no API request stops' };
  if (isFinished) return undefined;
  if (podFacts(pod)?.hasEmptyDir === true && !action.deleteEmptyDirData)
    return { does: 'blocks', because: 'data in an emptyDir (--delete-emptydir-data deletes it)' };
  if (controllerOf(pod) === undefined && !action.force)
    return {
      does: 'blocks',
      because: 'no controller (--force evicts such pods, and nothing recreates them)',
    };
  return undefined;
}

/** kubectl compares the version too. */
function daemonSetOf(pod: KubeObject): string | undefined {
  const owner = controllerOf(pod);
  return owner?.kind === 'DaemonSet' && owner.apiVersion === 'apps/v1' ? owner.name : undefined;
}

/** kubectl looks a DaemonSet up by name; one that can't be seen counts as existing. */
function daemonSetState(view: ClusterView, namespace: string, name: string): 'exists' | 'absent' | 'unseen' {
  const type = view.catalog.resolveKind('apps/v1', 'DaemonSet');
  if (type === undefined) return 'unseen';
  if (view.find(type, namespace, name) !== undefined) return 'exists';
  return view.seesAt(type, namespace, name) ? 'absent' : 'unseen';
}

export function isRefused(verdicts: readonly DrainVerdict[]): boolean {
  return verdicts.some(({ does }) => does === 'blocks');
}

/** Cordons all nodes first. Evictions of a node are sent together, so each is tried whatever the others get. */
export function drainRequests(view: ClusterView, action: DrainAction, api: ApiClient): (() => ApiAnswer)[] {
  const { targets, disableEviction, gracePeriodSeconds } = action;
  const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  const cordons = targets.flatMap(node => {
    const facts = nodeFacts(node);
    if (facts === undefined || facts.unschedulable) return [];
    const cordoned = { facts: { ...facts, unschedulable: true } };
    return () => api.because('cordoned').patch(node, cordoned, { strategic: true });
  });
  const evictions = targets.flatMap(node => {
    const verdicts = drainVerdicts(view, node, action);
    if (isRefused(verdicts)) return [];
    const asked = api.because(`drained from ${node.name}`);
    return verdicts
      .filter(({ does }) => does === 'evict')
      .map(
        ({ pod }) =>
          () =>
            disableEviction ? asked.delete(pod, options) : asked.evict(pod, options),
      );
  });
  return [...cordons, ...evictions];
}

export function kubectlDrain(action: DrainAction): ShellCommands {
  const { targets, gracePeriodSeconds, podSelector, timeout } = action;
  const switches = [
    action.force && '--force',
    action.ignoreDaemonSets && '--ignore-daemonsets',
    action.deleteEmptyDirData && '--delete-emptydir-data',
    action.disableEviction && '--disable-eviction',
    gracePeriodSeconds !== undefined && `--grace-period=${gracePeriodSeconds}`,
    podSelector !== undefined && `--pod-selector=${podSelector.text}`,
    timeout > 0 && `--timeout=${timeout / 1000}s`,
  ].filter(flag => flag !== false);
  // Undefined for a name that kubectl would read differently; no cluster has such a node.
  const names = targets.map(({ name }) => (/^[a-z0-9][a-z0-9.-]*$/u.test(name) ? name : undefined));
  return [{ words: ['kubectl', 'drain', ...names, ...switches] }];
}
