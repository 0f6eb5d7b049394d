/**
 * What is dangerous about taking a node away or tainting it: that its machine may run, or does. Apart from the rest
 * that is said of nodes, because it has to be read first.
 */
import { finalizersOf } from '../../graph/deletion.ts';
import { compareBytes } from '../../graph/node.ts';
import { noExecuteTaints } from '../../model/facts/tolerations.ts';
import {
  controllerOf,
  isFinished,
  type KubeObject,
  namespacedName,
  nodeFacts,
  podFacts,
} from '../../model/object.ts';
import { kubeletOf } from '../../podgc/passes/kubelet.ts';
import { hasOutOfServiceTaint, OUT_OF_SERVICE_TAINT } from '../../podgc/passes/passes.ts';
import { podGcSettings } from '../../podgc/passes/settings.ts';
import { orphanedAfter } from '../../podgc/survey/cycle-times.ts';
import type { Action } from '../action.ts';
import { type Ends, isModelled } from '../plan/outcome.ts';
import type { Stage } from '../run.ts';
import { forceDeletionOf, type PodOnNode, type TouchedNode } from './pods.ts';

/** Whether PodGC and the attach/detach controller of this server look at the taint. */
export function heedsTaint(stage: Stage): boolean {
  return podGcSettings(stage.view).rules.passes.includes('OutOfService');
}

/** So many nodes get a sentence of their own. */
const TOLD = 5;

/** One for each node up to a handful; the same is true of the rest. */
export function eachNode(
  nodes: readonly TouchedNode[],
  sentencesOf: (node: TouchedNode) => readonly string[],
): string[] {
  const concerned = nodes.flatMap(node => {
    const [sentence] = sentencesOf(node);
    return sentence === undefined ? [] : [{ node, sentence, state: kubeletOf(node.before) }];
  });
  const states = [...new Set(concerned.map(({ state }) => state))];
  return states.flatMap(wanted => {
    const alike = concerned.filter(({ state }) => state === wanted);
    const told = alike.slice(0, TOLD).map(({ sentence }) => sentence);
    const more = alike.slice(TOLD).map(({ node }) => node.before.name);
    if (more.length === 0) return told;
    const names = `${more.slice(0, TOLD).join(', ')}${more.length > TOLD ? ` and ${more.length - TOLD} more` : ''}`;
    return [...told, `The same is true of ${more.length === 1 ? 'Node' : 'Nodes'} ${names}.`];
  });
}

/** What is wrong with doing this to a node whose machine runs. */
export function alarmsOf(stage: Stage, { before: node, after }: TouchedNode): string[] {
  const state = kubeletOf(node);
  if (state === 'Silent') return [];
  const reports = `Node ${node.name} is not ready, but its kubelet says so itself (Ready: False), so its machine runs`;
  if (after === undefined) {
    return [
      state === 'Ready'
        ? `Node ${node.name} is Ready: its containers run on until PodGC deletes their pods, and no PodDisruptionBudget is heeded. To empty it in order, drain it first (kubectl drain).`
        : `${reports}: PodGC deletes its pods, and they are replaced, while their containers may run on. No PodDisruptionBudget is heeded.`,
    ];
  }
  if (!hasOutOfServiceTaint(after)) return [];
  const doings: string[] = [];
  if (noExecuteTaints(nodeFacts(after)?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE_TAINT))
    doings.push("pods that don't tolerate it have to go all the same");
  if (heedsTaint(stage)) {
    if (state === 'Reports')
      doings.push('PodGC deletes pods by force without waiting for the kubelet to stop their containers');
    doings.push("volumes of pods that go are detached without waiting for the kubelet's unmount");
  }
  const subject = state === 'Ready' ? `Node ${node.name} is Ready, so its machine runs` : reports;
  return [
    `${subject}. This taint is only for a node that is certain to be powered off${doings.length === 0 ? '' : `: ${enumerated(doings)}`}.`,
  ];
}

function enumerated(parts: readonly string[]): string {
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter(part => part !== '').join(', and ');
}

/** Upstream's rule for both actions on a node that isn't ready. */
export function unconfirmed({ before: node }: TouchedNode, pods: readonly PodOnNode[]): string[] {
  const state = kubeletOf(node);
  if (state === 'Ready') return [];
  const forced = pods.some(each => each.touched.before === node && forceDeletionOf(each) !== undefined);
  if (!forced) return [];
  return [
    state === 'Silent'
      ? `Nobody confirms that the containers on ${node.name} have stopped. Make sure first that its machine is off, not only cut off.`
      : `Nobody waits for the kubelet of ${node.name} to confirm that the containers have stopped. Make sure first that its machine is off.`,
  ];
}

/**
 * Nodes that finalizers keep in being: the forecast ends there, but whoever takes those off goes on, as tools do that
 * own the machines.
 */
export function heldNodes(stage: Stage, performed: Action, ends: Ends): string[] {
  if (performed.verb !== 'delete') return [];
  const held = performed.targets.flatMap(target => {
    if (target.type.group !== '' || target.type.kind !== 'Node') return [];
    const end = ends.get(target.uid);
    const node = end === undefined ? target : end.after;
    return node?.deletionTimestamp === undefined || node.finalizers.length === 0 ? [] : [node];
  });
  if (held.length === 0) return [];
  const pods = podsByNode(stage, new Set(held.map(({ name }) => name)));
  const { earliest, latest } = orphanedAfter(podGcSettings(stage.view).rules.quarantine);
  const told = held.slice(0, TOLD).map(node => {
    const finalizers = finalizersOf(node);
    const its = pods.get(node.name) ?? [];
    return `Node ${node.name} stays only until ${finalizers.join(' and ')} ${finalizers.length === 1 ? 'is' : 'are'} taken off, which isn't forecast. Whoever does that may evict its pods and switch its machine off first. Pods that are still on it when it goes (${its.length} now) PodGC deletes by force ${earliest / 1000} to ${latest / 1000} s later.${couldReturn(its)}`;
  });
  return held.length > TOLD
    ? [...told, `Finalizers keep ${held.length - TOLD} more nodes in the same way.`]
    : told;
}

function podsByNode({ view }: Stage, names: ReadonlySet<string>): ReadonlyMap<string, KubeObject[]> {
  const type = view.catalog.resolveKind('v1', 'Pod');
  const found = new Map<string, KubeObject[]>();
  for (const { object } of type === undefined ? [] : view.graph.ofType(type)) {
    const nodeName = object === undefined ? '' : (podFacts(object)?.nodeName ?? '');
    if (object === undefined || !names.has(nodeName)) continue;
    const others = found.get(nodeName);
    if (others === undefined) found.set(nodeName, [object]);
    else others.push(object);
  }
  return found;
}

const NAMED = 5;

/** Which of them a controller makes again under the same name, or may. */
function couldReturn(pods: readonly KubeObject[]): string {
  const names = pods
    .filter(pod => {
      const owner = controllerOf(pod);
      return owner !== undefined && !isFinished(pod) && (owner.kind === 'StatefulSet' || !isModelled(owner));
    })
    .map(namespacedName)
    .sort(compareBytes);
  if (names.length === 0) return '';
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return ` Of these could run twice then: ${names.slice(0, NAMED).join(', ')}${more}.`;
}
