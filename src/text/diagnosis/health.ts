/**
 * How an object that nobody deletes is doing, per kind, in kubectl's words where kubectl has some. Apart from
 * `state.ts` because it reads only the per-kind facts.
 */
import type { Condition, NodeFacts, PodFacts, WorkloadFacts } from '../../model/facts/facts.ts';
import type { KubeObject } from '../../model/object.ts';
import { sanitise } from '../terminal/sanitise.ts';
import type { StateText } from '../terminal/style.ts';

const silent: StateText = { mark: '', text: '', style: 'plain' };

function plain(text: string): StateText {
  return { mark: '', text: sanitise(text), style: 'plain' };
}

function poor(text: string): StateText {
  return { mark: '', text: sanitise(text), style: 'warning' };
}

function condition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find(c => c.type === type);
}

/**
 * kubectl's STATUS of a pod: the phase, overruled by `status.reason`, overruled by a container's reason
 * (pkg/printers/internalversion printPod, v1.36). Where containers aren't ready, how many are.
 */
function podText(facts: PodFacts): StateText {
  const running = facts.phase === 'Running';
  // A finished container next to running ones doesn't make the pod Completed.
  const ofContainer = running && facts.containerReason === 'Completed' ? '' : facts.containerReason;
  const word = ofContainer || facts.reason || facts.phase || 'Unknown';
  const finished = facts.phase === 'Succeeded' || facts.phase === 'Failed';
  if (finished) return facts.phase === 'Failed' ? poor(word) : plain(word);
  if (running && facts.readyContainers < facts.containers)
    return poor(`${word} ${facts.readyContainers}/${facts.containers}`);
  return running && word === 'Running' ? plain(word) : poor(word);
}

/** kubectl's STATUS of a node: `Ready`, `NotReady` or `Unknown`, and whether it is cordoned. */
function nodeText(facts: NodeFacts): StateText {
  const ready = condition(facts.conditions, 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  const text = facts.unschedulable ? `${word},SchedulingDisabled` : word;
  return word === 'Ready' ? plain(text) : poor(text);
}

function jobText(facts: WorkloadFacts): StateText {
  const count = `${facts.ready}/${facts.desired}`;
  const holds = (type: string): boolean => condition(facts.conditions, type)?.status === 'True';
  if (holds('Complete')) return plain(`Complete ${count}`);
  if (holds('Failed')) return poor(`Failed ${count}`);
  if (facts.suspended) return plain(`suspended ${count}`);
  return facts.failed > 0 ? poor(`${count}, ${facts.failed} failed`) : plain(count);
}

function workloadText(kind: string, facts: WorkloadFacts): StateText {
  if (kind === 'Job') return jobText(facts);
  if (kind === 'CronJob') {
    const active = facts.active > 0 ? `${facts.active} active` : 'waiting';
    return plain(facts.suspended ? 'suspended' : active);
  }
  const count = `${facts.ready}/${facts.desired}`;
  if (facts.suspended) return plain(`${count} paused`);
  return facts.ready < facts.desired ? poor(count) : plain(count);
}

function availability(conditions: readonly Condition[], type: string, word: string): StateText {
  const found = condition(conditions, type);
  if (found === undefined) return silent;
  return found.status === 'True' ? plain(word) : poor(`not ${word}: ${found.reason || found.status}`);
}

/** `3/3`, `Running`, `Bound`, …; empty for kinds without facts and while the facts haven't arrived. */
export function healthText(object: KubeObject): StateText {
  const { facts } = object;
  switch (facts?.kind) {
    case undefined:
      return silent;
    case 'Pod':
      return podText(facts);
    case 'Node':
      return nodeText(facts);
    case 'Workload':
      return workloadText(object.type.kind, facts);
    case 'Namespace':
      return facts.phase === 'Active' ? plain(facts.phase) : poor(facts.phase);
    case 'PersistentVolumeClaim':
      return facts.phase === 'Bound' ? plain(facts.phase) : poor(facts.phase);
    case 'PersistentVolume':
      return facts.phase === 'Failed' ? poor(facts.phase) : plain(facts.phase);
    case 'APIService':
      return availability(facts.conditions, 'Available', 'available');
    case 'CustomResourceDefinition':
      return availability(facts.conditions, 'Established', 'established');
  }
}
