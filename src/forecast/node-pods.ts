/**
 * What becomes of every pod on the nodes that an action takes away or taints: whether it goes, by whom, when, and what
 * holds it. Who asked and in what order comes from the run's requests; how exact the time is, from how the component
 * works (spec §7).
 */
import { finalizersOf } from '../graph/deletion.ts';
import { identityOfObject } from '../graph/ownership-node.ts';
import type { KubeObject, Uid } from '../model/object.ts';
import { CYCLE_MS } from '../podgc/cycle.ts';
import type { PodGcRule } from '../podgc/force-delete.ts';
import { isNodeReady, podFacts } from '../podgc/passes.ts';
import { podGcSettings } from '../podgc/settings.ts';
import type { LoggedRequest } from '../simulation/api-types.ts';
import { TAINT_EVICTION } from '../simulation/controllers/taint-eviction.ts';
import { compareIdentity } from './outcome.ts';
import type { NodePod, Span } from './plan.ts';
import type { Run, Stage } from './run.ts';
import type { TouchedNode } from './touched-nodes.ts';

const PODGC = 'pod-garbage-collector';
const KUBELET = 'kubelet';

/** A pod of the snapshot on such a node, with what the run did to it. */
export interface PodOnNode {
  readonly pod: KubeObject;
  readonly touched: TouchedNode;
  /** As it is at the end; undefined where it is gone. */
  readonly after: KubeObject | undefined;
  /** The requests that deleted it, or took the last finalizer off. */
  readonly requests: readonly LoggedRequest[];
}

/** Every pod of the snapshot on these nodes. */
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

export function nodePods(stage: Stage, pods: readonly PodOnNode[]): NodePod[] {
  return pods
    .map(each => nodePod(stage, each))
    .sort((a, b) => compareIdentity(a.pod, b.pod) || (a.node < b.node ? -1 : 1));
}

function nodePod(stage: Stage, each: PodOnNode): NodePod {
  const { pod, touched, after, requests } = each;
  const told = { pod: identityOfObject(pod), node: touched.before.name };
  const last = requests.at(-1);
  const heldBy = after === undefined ? [] : finalizersOf(after);
  if (after !== undefined && after.deletionTimestamp === undefined) {
    const because = touched.tainted ? 'tolerates the taint' : 'nobody deletes it';
    return { ...told, fate: 'Stays', by: undefined, when: undefined, because, heldBy: [] };
  }
  const fate = after === undefined ? 'Deleted' : 'Terminating';
  if (last === undefined) {
    const because = 'was being deleted before, and nobody confirms that its containers have stopped';
    return { ...told, fate, by: undefined, when: undefined, because, heldBy };
  }
  const when = spanOf(stage, each, last);
  return { ...told, fate, by: last.actor, when, because: reasonOf(each, last), heldBy };
}

/** By whom it was removed by force, if it was: no kubelet had a say. */
export function forceDeletionOf({ requests }: PodOnNode): LoggedRequest | undefined {
  return requests.find(({ actor }) => actor === PODGC);
}

/** Which of PodGC's passes takes pods from such a node; finished pods of one that is there may go for their number. */
function ruleOf({ touched }: PodOnNode, { before }: LoggedRequest): PodGcRule {
  if (touched.after === undefined) return 'Orphaned';
  return before?.deletionTimestamp === undefined ? 'Terminated' : 'OutOfService';
}

/** Without a pronoun, because the same may be said of several. */
function reasonOf(each: PodOnNode, last: LoggedRequest): string {
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
      : requests.some(({ actor }) => actor === TAINT_EVICTION)
        ? 'evicted for the taint'
        : (requests[0]?.because ?? '');
  if (rule === 'OutOfService')
    return `${first}, then deleted by force by PodGC, because the node is out of service and not ready`;
  if (last.actor === KUBELET)
    return `${first}; the kubelet of ${touched.before.name} stops the containers and confirms it`;
  return last === requests[0] ? first : `${first}; ${last.because ?? 'the last finalizer is taken off'}`;
}

/**
 * Deleted with a grace period, by whomever, while the kubelet still runs: it confirms that without its Node object, too,
 * and the simulation's kubelets go with their nodes.
 */
function mayEndSooner({ pod, touched, requests }: PodOnNode): boolean {
  const isGraceful = pod.deletionTimestamp !== undefined || requests[0]?.actor !== PODGC;
  return touched.after === undefined && isGraceful && isNodeReady(touched.before);
}

/** When the last of these requests is made, as far as anybody can know beforehand. */
function spanOf(stage: Stage, each: PodOnNode, last: LoggedRequest): Span {
  const marked = each.requests.find(({ before }) => before?.deletionTimestamp === undefined);
  const since = Math.max(marked?.at ?? stage.now, each.touched.at);
  const forced = forceDeletionOf(each);
  if (forced === undefined) {
    // Containers may stop long before their grace period is over.
    return { earliest: last.actor === KUBELET ? since : last.at, latest: last.at };
  }
  const rest = last.at - forced.at;
  if (ruleOf(each, forced) === 'Orphaned') {
    const end = each.touched.at + podGcSettings(stage.view).rules.quarantine;
    return { earliest: mayEndSooner(each) ? since : end, latest: end + CYCLE_MS + rest };
  }
  // The first cycle that sees it deleting on such a node: they are so far apart.
  return { earliest: since, latest: since + CYCLE_MS + rest };
}
