/** The effects of deleting or tainting nodes on the pods and volumes there. */
import { compareBytes, identityOfObject, objectDeletion } from '../../graph/index.ts';
import {
  BuiltInKind,
  controllerKindOf,
  controllerOf,
  type KubeObject,
  namespacedName,
  nodeFacts,
  objectState,
  type PodFacts,
  podFacts,
  tolerationRules,
  workloadFacts,
} from '../../model/index.ts';
import { KubeletState, outOfServiceNodes, PodGcRules, podGcCycle } from '../../podgc/index.ts';
import { isSchedulable } from '../../simulation/index.ts';
import type { Action } from '../action.ts';
import { hasTaint } from '../out-of-service.ts';
import type { NodeEffects, RecreatedObjects, Warning } from '../plan/forecast-result.ts';
import { type Ends, isModelled } from '../plan/run-ends.ts';
import { type Run, type Stage, seesAllOf } from '../simulated-run.ts';
import { freedVolumes } from './freed-volumes.ts';
import {
  forceDeletionOf,
  nodePods,
  type PodOnNode,
  podsOn,
  type TouchedNode,
  touchedNodes,
} from './pods-on-nodes.ts';
import { couldRunTwice } from './run-twice.ts';

export interface NodeStory {
  readonly effects: NodeEffects | undefined;
  /** The input, with replacements that the action brings forward. */
  readonly recreated: readonly RecreatedObjects[];
  readonly alarms: readonly Warning[];
  readonly warnings: readonly Warning[];
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
    const drained = performed.verb === 'drain' ? drainWarnings(stage, performed.targets, recreated) : [];
    return { effects: undefined, recreated, alarms: [], warnings: [...already, ...drained, ...pending] };
  }
  const pods = podsOn(stage, run, nodes);
  const fates = nodePods(stage, run, pods);
  const news = withReplacements(recreated, pods);
  const effects = {
    pods: fates,
    volumes: freedVolumes({ stage, run, ends, pods, fates }),
    couldRunTwice: couldRunTwice({ stage, run, ends }, pods),
  };
  return {
    effects,
    recreated: news,
    alarms: [
      ...nodes.flatMap(each => machineRuns(stage, each)),
      ...(seesAllOf(stage.view, 'Pod')
        ? []
        : [{ code: 'unseenPods' as const, nodes: nodes.map(({ before }) => before.name) }]),
    ],
    warnings: [
      ...already,
      ...nodes.flatMap(each => unconfirmed(each, pods)),
      ...taintIgnored(stage, nodes),
      ...pending,
      ...fitting(recreated),
      ...ordered(run, recreated, pods),
      ...jobs(news),
      ...(seesAllOf(stage.view, 'PersistentVolumeClaim') ? [] : [{ code: 'unseenClaims' as const }]),
    ],
  };
}

function drainWarnings(
  { view }: Stage,
  nodes: readonly KubeObject[],
  recreated: readonly RecreatedObjects[],
): Warning[] {
  const unseen = { code: 'unseenPods' as const, nodes: nodes.map(({ name }) => name) };
  return [...(seesAllOf(view, 'Pod') ? [] : [unseen]), ...fitting(recreated), ...jobs(recreated)];
}

/** Attributes replacements of these nodes' pods to the action, even if a silent node's pods are evicted anyway. */
function withReplacements(
  recreated: readonly RecreatedObjects[],
  pods: readonly PodOnNode[],
): RecreatedObjects[] {
  return recreated.flatMap(each => {
    const { by, anyway } = each;
    if (!anyway || by === undefined || BuiltInKind.of(each) !== 'Pod') return [each];
    const lost = pods.filter(({ pod }) => controllerOf(pod)?.uid === by.uid).length;
    const own = recreated.find(
      other => !other.anyway && other.by?.uid === by.uid && BuiltInKind.of(other) === 'Pod',
    );
    const count = Math.max(0, Math.min(each.count, lost - (own?.count ?? 0)));
    const pending = Math.min(each.pending, count);
    const rest = { ...each, count: each.count - count, pending: each.pending - pending };
    return [{ ...each, count, pending, anyway: false }, rest].filter(part => part.count > 0);
  });
}

function alreadyTainted(performed: Action): Warning[] {
  if (performed.verb !== 'taint') return [];
  const { taint, targets } = performed;
  return targets
    .filter(node => hasTaint(node, taint))
    .map(({ name }) => ({ code: 'alreadyTainted', node: name, taint }));
}

/** PodGC and the attach/detach controller of older releases ignore the taint. */
function ignoresTaint(stage: Stage): boolean {
  return !PodGcRules.of(stage.behaviour).passes.includes('OutOfService');
}

function taintIgnored(stage: Stage, nodes: readonly TouchedNode[]): Warning[] {
  const { version, outOfService } = PodGcRules.of(stage.behaviour);
  const isTainted = nodes.some(({ after, tainted }) => tainted && after !== undefined);
  return isTainted && ignoresTaint(stage)
    ? [{ code: 'taintIgnored', version, optional: outOfService !== 'Absent' }]
    : [];
}

function machineRuns(stage: Stage, { before: node, after }: TouchedNode): Warning[] {
  const kubelet = KubeletState.of(node);
  if (kubelet === 'Silent' || (after !== undefined && !outOfServiceNodes.isOn(after))) return [];
  const taints = after === undefined ? [] : tolerationRules.noExecute(nodeFacts(after)?.taints ?? []);
  return [
    {
      code: 'machineRuns',
      node: node.name,
      kubelet,
      deleted: after === undefined,
      evicts: taints.some(({ key }) => key === outOfServiceNodes.key),
      taintIgnored: ignoresTaint(stage),
    },
  ];
}

/** Upstream's rule for both actions on a node that isn't ready. */
function unconfirmed({ before: node }: TouchedNode, pods: readonly PodOnNode[]): Warning[] {
  const kubelet = KubeletState.of(node);
  const forced = pods.some(each => each.touched.before === node && forceDeletionOf(each) !== undefined);
  return kubelet === 'Ready' || !forced ? [] : [{ code: 'stopUnconfirmed', node: node.name, kubelet }];
}

/** Finds nodes kept by finalizers: tools that own the machines may later remove these and go on. */
function heldNodes(stage: Stage, performed: Action, ends: Ends): Warning[] {
  if (performed.verb !== 'delete') return [];
  const held = performed.targets.flatMap(target => {
    if (target.type.group !== '' || target.type.kind !== 'Node') return [];
    const end = ends.get(target.uid);
    const node = end === undefined ? target : end.after;
    return node?.deletionTimestamp === undefined || node.finalizers.length === 0 ? [] : [node];
  });
  if (held.length === 0) return [];
  const type = stage.view.catalog.resolveKind('v1', 'Pod');
  const all = type === undefined ? [] : stage.view.graph.ofType(type);
  const pods = Map.groupBy(
    [...all].flatMap(({ object }) => object ?? []),
    pod => podFacts(pod)?.nodeName,
  );
  const { earliest, latest } = podGcCycle.orphanedAfter(PodGcRules.of(stage.behaviour).quarantine);
  return held.map(node => {
    const its = pods.get(node.name) ?? [];
    return {
      code: 'nodeHeld',
      node: node.name,
      finalizers: objectDeletion.finalizers(node),
      pods: its.length,
      earliest,
      latest,
      couldRunTwice: its.filter(couldReturn).map(namespacedName).sort(compareBytes),
    };
  });
}

/** Checks if a controller recreates it under the same name, or may. */
function couldReturn(pod: KubeObject): boolean {
  const owner = controllerOf(pod);
  return (
    owner !== undefined &&
    !objectState.isFinished(pod) &&
    (owner.kind === 'StatefulSet' || !isModelled(owner))
  );
}

/** Finds new pods that no node accepts, judging by nodes, taints and labels. */
function stayPending({ view }: Stage, run: Run, ends: Ends): Warning[] {
  const type = view.catalog.resolveKind('v1', 'Node');
  if (type === undefined) return [];
  const waiting: PodFacts[] = [];
  for (const { before, after } of ends.values()) {
    if (before !== undefined || after === undefined || after.deletionTimestamp !== undefined) continue;
    const facts = podFacts(after);
    if (facts?.nodeName === '') waiting.push(facts);
  }
  // Look through a large cluster's nodes only now.
  if (waiting.length === 0 || !view.sees(type, '')) return [];
  const nodes = run.store.list(type, '');
  const pods = waiting.filter(facts => !nodes.some(node => isSchedulable(node, facts))).length;
  return pods === 0 ? [] : [{ code: 'pendingPods', pods }];
}

function fitting(recreated: readonly RecreatedObjects[]): Warning[] {
  const placed = recreated.some(each => BuiltInKind.of(each) === 'Pod' && each.count > each.pending);
  return placed ? [{ code: 'fitAssumed' }] : [];
}

/** Finds sets whose pods return sooner than forecast (statefulset.ts of the simulation explains it). */
function ordered(
  { store }: Run,
  recreated: readonly RecreatedObjects[],
  pods: readonly PodOnNode[],
): Warning[] {
  const lost = Map.groupBy(
    pods.filter(({ pod, after }) => after === undefined && controllerKindOf(pod) === 'StatefulSet'),
    ({ pod }) => controllerOf(pod)?.uid,
  );
  return [...lost].flatMap(([uid, { length }]) => {
    const set = uid && store.byUid(uid);
    if (set === undefined || set.deletionTimestamp !== undefined) return [];
    const wanted = Math.min(length, workloadFacts(set)?.desired ?? 0);
    const created = recreated.reduce((sum, each) => (each.by?.uid === uid ? sum + each.count : sum), 0);
    return created >= wanted ? [] : { code: 'orderedPods', set: identityOfObject(set), created, wanted };
  });
}

/** The facts lack both values (simulation/controllers/workloads/job.ts). */
function jobs(recreated: readonly RecreatedObjects[]): Warning[] {
  const names = new Set<string>();
  for (const each of recreated) {
    const { by, anyway } = each;
    if (anyway || by === undefined || BuiltInKind.of(by) !== 'Job' || BuiltInKind.of(each) !== 'Pod')
      continue;
    names.add(namespacedName(by));
  }
  return names.size === 0 ? [] : [{ code: 'jobRetries', jobs: [...names] }];
}
