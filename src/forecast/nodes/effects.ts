/**
 * What an action does to what runs on the nodes that it takes away or taints, and what has to be said about that
 * before anybody does it. Apart from the rest of the telling, because most actions touch no node.
 */
import type { PodFacts } from '../../model/facts/facts.ts';
import { controllerOf, namespacedName, podFacts, type Uid, workloadFacts } from '../../model/object.ts';
import { OUT_OF_SERVICE_TAINT } from '../../podgc/passes/passes.ts';
import { podGcSettings } from '../../podgc/passes/settings.ts';
import { isSchedulable } from '../../simulation/controllers/pods/nodes.ts';
import type { Action } from '../action.ts';
import type { Ends } from '../plan/outcome.ts';
import type { NodeEffects, RecreatedObjects } from '../plan/plan.ts';
import type { Run, Stage } from '../run.ts';
import { alarmsOf, eachNode, heedsTaint, heldNodes, unconfirmed } from './alarms.ts';
import { freedVolumes } from './freed-volumes.ts';
import { hasTaint } from './out-of-service.ts';
import { nodePods, type PodOnNode, podsOn, type TouchedNode, touchedNodes } from './pods.ts';
import { couldRunTwice } from './run-twice.ts';

export interface NodeStory {
  /** Undefined where no node goes or is tainted. */
  readonly effects: NodeEffects | undefined;
  /** As it was handed in, but for what the action brings about sooner than it would happen by itself. */
  readonly recreated: readonly RecreatedObjects[];
  /** To be read before anything else. */
  readonly alarms: readonly string[];
  readonly warnings: readonly string[];
}

export interface NodeRun {
  readonly stage: Stage;
  readonly performed: Action;
  readonly run: Run;
  readonly ends: Ends;
  readonly recreated: readonly RecreatedObjects[];
}

export function nodeStory({ stage, performed, run, ends, recreated }: NodeRun): NodeStory {
  const nodes = touchedNodes(ends, run);
  const already = [...alreadyTainted(performed), ...heldNodes(stage, performed, ends)];
  const pending = stayPending(stage, run, ends);
  if (nodes.length === 0) {
    return { effects: undefined, recreated, alarms: [], warnings: [...already, ...pending] };
  }
  const pods = podsOn(stage, run, nodes);
  const told = nodePods(stage, run, pods);
  const news = withReplacements(recreated, pods);
  const twice = couldRunTwice({ stage, run, ends }, pods);
  const effects = {
    pods: told,
    volumes: freedVolumes({ stage, run, ends, pods, told }),
    couldRunTwice: twice,
  };
  return {
    effects,
    recreated: news,
    alarms: [...eachNode(nodes, each => alarmsOf(stage, each)), ...unseenPods(stage, nodes)],
    warnings: [
      ...already,
      ...eachNode(nodes, each => unconfirmed(each, pods)),
      ...unheeded(stage, nodes),
      ...pending,
      ...fitting(recreated),
      ...parallel(run, recreated, pods),
      ...jobs(news),
      ...unseenClaims(stage),
    ],
  };
}

/**
 * What is made in place of pods of such a node counts as the action's own. Pods of a node that has fallen silent are
 * evicted, and replaced, in a few minutes if nobody acts; the action doesn't wait for that.
 */
function withReplacements(
  recreated: readonly RecreatedObjects[],
  pods: readonly PodOnNode[],
): RecreatedObjects[] {
  return recreated.flatMap(each => {
    const { by, kind, anyway } = each;
    if (!anyway || by === undefined || kind !== 'Pod') return [each];
    const lost = pods.filter(({ pod }) => controllerOf(pod)?.uid === by.uid).length;
    const own = recreated.find(other => !other.anyway && other.by?.uid === by.uid && other.kind === kind);
    const count = Math.max(0, Math.min(each.count, lost - (own?.count ?? 0)));
    const pending = Math.min(each.pending, count);
    const rest = { ...each, count: each.count - count, pending: each.pending - pending };
    return [{ ...each, count, pending, anyway: false }, rest].filter(part => part.count > 0);
  });
}

function alreadyTainted(performed: Action): string[] {
  if (performed.verb !== 'taint') return [];
  const { taint, targets } = performed;
  return targets
    .filter(node => hasTaint(node, taint))
    .map(({ name }) => `Node ${name} has the taint ${taint.key}:${taint.effect} already.`);
}

/** The taint means nothing to PodGC of an older release. */
function unheeded(stage: Stage, nodes: readonly TouchedNode[]): string[] {
  const { rules } = podGcSettings(stage.view);
  if (heedsTaint(stage) || !nodes.some(({ after, tainted }) => tainted && after !== undefined)) return [];
  const gate =
    rules.outOfService === 'Alpha'
      ? ' unless the feature gate NodeOutOfServiceVolumeDetach was switched on'
      : '';
  return [
    `Kubernetes ${rules.version} doesn't heed the taint ${OUT_OF_SERVICE_TAINT}${gate}: its pods are evicted, but on a node that is not ready nobody confirms that, and they stay.`,
  ];
}

/** New pods that no node takes, as far as nodes and taints decide it. */
function stayPending({ view }: Stage, run: Run, ends: Ends): string[] {
  const type = view.catalog.resolveKind('v1', 'Node');
  if (type === undefined || !view.sees(type, '')) return [];
  const waiting: PodFacts[] = [];
  for (const { before, after } of ends.values()) {
    if (before !== undefined || after === undefined || after.deletionTimestamp !== undefined) continue;
    const facts = podFacts(after);
    if (facts?.nodeName === '') waiting.push(facts);
  }
  // Only then the nodes of a large cluster are looked at.
  if (waiting.length === 0) return [];
  const nodes = run.store.list(type, '');
  const pending = waiting.filter(
    ({ tolerations }) => !nodes.some(node => isSchedulable(node, tolerations)),
  ).length;
  if (pending === 0) return [];
  return [
    `No node that is left takes new pods: ${pending === 1 ? 'one stays' : `${pending} stay`} Pending until one is ready for ${pending === 1 ? 'it' : 'them'}.`,
  ];
}

function fitting(recreated: readonly RecreatedObjects[]): string[] {
  const placed = recreated.some(({ kind, count, pending }) => kind === 'Pod' && count > pending);
  return placed
    ? [
        'That new pods fit on another node is taken for granted: requests, affinity and the reach of volumes are not looked at.',
      ]
    : [];
}

/** Sets whose pods come back sooner than the forecast has it (statefulset.ts of the simulation says why). */
function parallel(
  { store }: Run,
  recreated: readonly RecreatedObjects[],
  pods: readonly PodOnNode[],
): string[] {
  const lost = new Map<Uid, number>();
  for (const { pod, after } of pods) {
    const owner = controllerOf(pod);
    if (owner?.kind === 'StatefulSet' && after === undefined)
      lost.set(owner.uid, (lost.get(owner.uid) ?? 0) + 1);
  }
  return [...lost].flatMap(([uid, count]) => {
    const set = store.byUid(uid);
    const wanted = Math.min(count, (set && workloadFacts(set))?.desired ?? 0);
    const made = recreated.reduce((sum, each) => (each.by?.uid === uid ? sum + each.count : sum), 0);
    return set === undefined || set.deletionTimestamp !== undefined || made >= wanted
      ? []
      : [
          `StatefulSet ${namespacedName(set)} is taken to make its pods in order, each when those below are ready, and makes ${made} of ${wanted} for now. With podManagementPolicy Parallel it makes all at once.`,
        ];
  });
}

/** Facts hold neither of both (job-accounting.ts of the simulation). */
function jobs(recreated: readonly RecreatedObjects[]): string[] {
  const names = new Set<string>();
  for (const { by, kind, anyway } of recreated)
    if (!anyway && by?.kind === 'Job' && kind === 'Pod') names.add(`${by.namespace}/${by.name}`);
  const [one, ...more] = names;
  if (one === undefined) return [];
  const which =
    more.length === 0
      ? `Job ${one} makes a new pod or fails`
      : `Job ${one} and ${more.length} more make new pods or fail`;
  return [
    `Whether ${which} is decided by backoffLimit and podFailurePolicy, which aren't looked at: a pod that is deleted so counts as failed.`,
  ];
}

function unseenClaims({ view }: Stage): string[] {
  const type = view.catalog.resolveKind('v1', 'PersistentVolumeClaim');
  if (type !== undefined && view.sees(type, '')) return [];
  return ['Not all PersistentVolumeClaims can be seen: more volumes may become free than are named.'];
}

function unseenPods({ view }: Stage, nodes: readonly TouchedNode[]): string[] {
  const type = view.catalog.resolveKind('v1', 'Pod');
  if (type !== undefined && view.sees(type, '')) return [];
  const names = nodes.map(({ before }) => before.name).join(', ');
  return [`Not all pods can be seen: there may be others on ${names}, and the same happens to them.`];
}
