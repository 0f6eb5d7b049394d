/** The end of every pod on deleted or tainted nodes: actor, time range and reason (docs/kubernetes.md §7). */
import { identityOfObject, objectDeletion } from '../../graph/index.ts';
import {
  formatCount,
  isMirrorPod,
  type KubeObject,
  nodeFacts,
  podFacts,
  type Taint,
  tolerationRules,
  type Uid,
} from '../../model/index.ts';
import {
  KubeletState,
  outOfServiceNodes,
  type PodGcRule,
  PodGcRules,
  podGcCycle,
} from '../../podgc/index.ts';
import { type LoggedRequest, taintEviction } from '../../simulation/index.ts';
import type { NodePod, TimeRange } from '../plan/forecast-result.ts';
import { compareIdentity, type Ends } from '../plan/run-ends.ts';
import type { Run, Stage } from '../simulated-run.ts';

const PODGC = 'pod-garbage-collector';
const KUBELET = 'kubelet';

/** A snapshot pod on such a node, and the run's effect on it. */
export interface PodOnNode {
  readonly pod: KubeObject;
  readonly touched: TouchedNode;
  readonly after: KubeObject | undefined;
  /** Requests that deleted it or removed its last finalizer. */
  readonly requests: readonly LoggedRequest[];
}

export function podsOn(stage: Stage, run: Run, nodes: readonly TouchedNode[]): PodOnNode[] {
  const type = stage.view.catalog.resolveKind('v1', 'Pod');
  if (type === undefined) return [];
  const byName = new Map(nodes.map(each => [each.before.name, each]));
  const found = new Map<Uid, PodOnNode & { readonly requests: LoggedRequest[] }>();
  for (const { object: pod } of stage.view.graph.ofType(type)) {
    const touched = pod && byName.get(podFacts(pod)?.nodeName ?? '');
    if (pod === undefined || touched === undefined) continue;
    found.set(pod.uid, { pod, touched, after: run.store.byUid(pod.uid), requests: [] });
  }
  for (const request of run.log) {
    const { before, after, verb } = request;
    if (before !== undefined && (verb === 'delete' || after === undefined))
      found.get(before.uid)?.requests.push(request);
  }
  return [...found.values()];
}

export function nodePods(stage: Stage, run: Run, pods: readonly PodOnNode[]): NodePod[] {
  const timing = { stage, paceOf: pacesOf(run) };
  return pods
    .map(each => nodePod(timing, each))
    .sort((a, b) => compareIdentity(a.pod, b.pod) || (a.node < b.node ? -1 : 1));
}

function nodePod(timing: Timing, each: PodOnNode): NodePod {
  const { pod, touched, after, requests } = each;
  const common = { pod: identityOfObject(pod), node: touched.before.name };
  const last = requests.at(-1);
  const heldBy = after === undefined ? [] : objectDeletion.finalizers(after);
  if (after !== undefined && after.deletionTimestamp === undefined) {
    const because = whyItStays(each);
    return { ...common, fate: 'Stays', by: undefined, when: undefined, because, heldBy: [] };
  }
  const fate = after === undefined ? 'Deleted' : 'Terminating';
  if (last === undefined) {
    const because = `was being deleted before, and ${whyItIsLeft(each)}`;
    return { ...common, fate, by: undefined, when: undefined, because, heldBy };
  }
  const when = spanOf(timing, each, last);
  return { ...common, fate, by: last.actor, when, because: reasonOf(each, last), heldBy };
}

function whyItStays({ pod, touched: { after, tainted } }: PodOnNode): string {
  if (after === undefined || !tainted) return 'nothing deletes it';
  const taints = tolerationRules.noExecute(nodeFacts(after)?.taints ?? []);
  const patience = tolerationRules.toleratedFor(podFacts(pod)?.tolerations ?? [], taints) ?? 0;
  // More than a day ahead isn't simulated.
  if (patience >= taintEviction.longestAwaited && patience < Number.POSITIVE_INFINITY)
    return `tolerates the taints of the node for ${formatCount(Math.round(patience / taintEviction.longestAwaited))} days at most, and is evicted then`;
  // Taints with other effects repel new pods but keep existing ones.
  return outOfServiceTaints(after).some(({ effect }) => effect === 'NoExecute')
    ? 'tolerates the taint'
    : 'not evicted, because only a taint of the effect NoExecute does that';
}

function whyItIsLeft({ pod, touched }: PodOnNode): string {
  if ((pod.deletionGracePeriodSeconds ?? 0) === 0 && pod.finalizers.length > 0)
    return 'waits for its finalizers alone';
  return KubeletState.of(touched.before) === 'Reports'
    ? 'the kubelet, which is not ready, has not confirmed that the containers have stopped'
    : 'no kubelet confirms that its containers have stopped';
}

function outOfServiceTaints(node: KubeObject): readonly Taint[] {
  return (nodeFacts(node)?.taints ?? []).filter(({ key }) => key === outOfServiceNodes.key);
}

/** Returns PodGC's forced deletion, which no kubelet confirmed. */
export function forceDeletionOf({ requests }: PodOnNode): LoggedRequest | undefined {
  return requests.find(({ actor }) => actor === PODGC);
}

/** Returns the PodGC pass that deletes the pod; finished pods on an existing node may exceed the threshold. */
function ruleOf({ touched }: PodOnNode, { before }: LoggedRequest): PodGcRule {
  if (touched.after === undefined) return 'Orphaned';
  return before?.deletionTimestamp === undefined ? 'Terminated' : 'OutOfService';
}

/** Avoids pronouns, because the reason may apply to several pods. */
function reasonOf(each: PodOnNode, last: LoggedRequest): string {
  const reason = doingsOf(each, last);
  // A kubelet never learns of a static pod's end from the API (pkg/kubelet/kubelet.go tryReconcileMirrorPods, v1.36).
  return isMirrorPod(each.pod)
    ? `${reason}; the static pod behind it runs on as long as its kubelet does`
    : reason;
}

function doingsOf(each: PodOnNode, last: LoggedRequest): string {
  const { pod, touched, requests } = each;
  const forced = forceDeletionOf(each);
  const rule = forced && ruleOf(each, forced);
  if (rule === 'Orphaned') {
    const sooner = mayEndSooner(each) ? ', unless the kubelet confirms its end before' : '';
    return `deleted by force by PodGC, because the node is gone${sooner}`;
  }
  if (rule === 'Terminated')
    return 'deleted by PodGC, because there are more finished pods than the cluster keeps';
  const first =
    pod.deletionTimestamp !== undefined
      ? 'already being deleted'
      : requests.some(({ actor }) => actor === taintEviction.name)
        ? evictionOf(each)
        : (requests[0]?.because ?? '');
  if (rule === 'OutOfService')
    return `${first}, then deleted by force by PodGC, because the node is out of service and not ready`;
  if (last.actor === KUBELET) {
    if (isMirrorPod(pod)) return `${first}; the kubelet of ${touched.before.name} creates it again`;
    return `${first}; the kubelet of ${touched.before.name} stops the containers and confirms it`;
  }
  return last === requests[0] ? first : `${first}; ${last.because ?? 'its last finalizer is removed'}`;
}

/** A silent node has further taints, which can evict pods that tolerate this one. */
function evictionOf({ pod, touched: { after } }: PodOnNode): string {
  const taints = tolerationRules.noExecute(after === undefined ? [] : outOfServiceTaints(after));
  const stays =
    tolerationRules.toleratedFor(podFacts(pod)?.tolerations ?? [], taints) === Number.POSITIVE_INFINITY;
  return stays ? 'evicted for another taint of the node' : 'evicted for the taint';
}

/** A running kubelet confirms a graceful deletion without its Node too; the simulation removes it with the node. */
function mayEndSooner({ pod, touched, requests }: PodOnNode): boolean {
  const isGraceful = pod.deletionTimestamp !== undefined || requests[0]?.actor !== PODGC;
  return touched.after === undefined && isGraceful && KubeletState.of(touched.before) !== 'Silent';
}

function spanOf({ stage, paceOf }: Timing, each: PodOnNode, last: LoggedRequest): TimeRange {
  const marked = each.requests.find(({ before }) => before?.deletionTimestamp === undefined);
  const eviction = each.requests.find(({ actor }) => actor === taintEviction.name);
  const since = Math.max(marked?.at ?? stage.now, each.touched.at);
  const late = eviction === undefined ? 0 : paceOf(eviction);
  const forced = forceDeletionOf(each);
  if (forced === undefined) {
    // Containers may stop long before their grace period ends.
    return { earliest: last.actor === KUBELET ? since : last.at, latest: last.at + late };
  }
  const rest = last.at - forced.at + paceOf(forced);
  if (ruleOf(each, forced) === 'Orphaned') {
    const { earliest, latest } = podGcCycle.orphanedAfter(PodGcRules.of(stage.behaviour).quarantine);
    const { at } = each.touched;
    return { earliest: mayEndSooner(each) ? since : at + earliest, latest: at + latest + rest };
  }
  // PodGC acts in its next cycle, at most this much later.
  return { earliest: since, latest: since + late + podGcCycle.duration + rest };
}

interface Timing {
  readonly stage: Stage;
  /** Milliseconds a controller may need for all its requests of one virtual moment. */
  readonly paceOf: (request: LoggedRequest) => number;
}

/** `--kube-api-burst` and `--kube-api-qps` of kube-controller-manager; each controller has its own client. */
const BURST = 30;
const REQUESTS_PER_SECOND = 20;

/** Any of many pods may be the last one. */
function pacesOf({ log }: Run): Timing['paceOf'] {
  const counts = new Map<string, number>();
  const keyOf = ({ actor, at }: LoggedRequest): string => `${actor} ${at}`;
  for (const each of log) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return request => (Math.max(0, (counts.get(keyOf(request)) ?? 0) - BURST) / REQUESTS_PER_SECOND) * 1000;
}

export interface TouchedNode {
  readonly before: KubeObject;
  readonly after: KubeObject | undefined;
  /** True if it stays and got a new taint. */
  readonly tainted: boolean;
  /** Time of the eviction, in virtual milliseconds since the epoch. */
  readonly at: number;
}

/** Lists nodes that are gone at the end or have a new taint, by name. */
export function touchedNodes(ends: Ends, { log }: Run): TouchedNode[] {
  const found: TouchedNode[] = [];
  for (const { before, after } of ends.values()) {
    if (before === undefined || before.type.group !== '' || before.type.kind !== 'Node') continue;
    const tainted = after !== undefined;
    const request = log.find(each => isTheOne(each, before, tainted));
    if (request !== undefined) found.push({ before, after, tainted, at: request.at });
  }
  return found.sort((a, b) => (a.before.name < b.before.name ? -1 : 1));
}

function isTheOne({ before, after }: LoggedRequest, { uid }: KubeObject, tainted: boolean): boolean {
  if (before?.uid !== uid) return false;
  return tainted ? after !== undefined && gainsTaint(before, after) : after === undefined;
}

function gainsTaint(before: KubeObject, after: KubeObject): boolean {
  const had = nodeFacts(before)?.taints ?? [];
  const has = nodeFacts(after)?.taints ?? [];
  return has.some(({ key, effect }) => !had.some(each => each.key === key && each.effect === effect));
}
