/**
 * The STATE column: one short phrase for what an object is doing, the same in `tree` and on the screen. What
 * deletion and the collector do to an object outranks how it runs.
 */
import type { Certainty, Judgement, OwnerStatus, Verdict } from '../../collector/verdict.ts';
import { deletionRequestedAt, foreignFinalizers } from '../../graph/deletion.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { Condition, NodeFacts, PodFacts, WorkloadFacts } from '../../model/facts/facts.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../../model/object.ts';
import { showHidden, shownName } from '../../model/text/shown.ts';
import { formatDuration } from '../terminal/age.ts';
import type { StateText } from '../terminal/style.ts';

/** The state of a deleting object. */
function deletingText(object: KubeObject, now: number): StateText {
  const since = deletionRequestedAt(object);
  const duration = since === undefined ? '' : `, ${formatDuration(Math.max(0, now - since))}`;
  const held = foreignFinalizers(object);
  const heldBy = held.length === 0 ? '' : `held: ${held.map(shownName).join(', ')}`;
  const also = heldBy === '' ? '' : `, ${heldBy}`;
  if (object.finalizers.includes(ORPHAN_FINALIZER))
    return { mark: 'warning', text: `orphaning${duration}${also}`, style: 'warning' };
  if (object.finalizers.includes(FOREGROUND_FINALIZER))
    return { mark: 'warning', text: `foreground${duration}${also}`, style: 'warning' };
  // Until a pod's grace period is over its kubelet is what it waits for, finalizers or not.
  const inGrace = object.deletionTimestamp !== undefined && object.deletionTimestamp > now;
  if (heldBy !== '' && !inGrace) return { mark: 'warning', text: heldBy, style: 'warning' };
  // Nothing is wrong: every rollout ends pods like this.
  return { mark: '', text: 'terminating', style: 'muted' };
}

/** What the collector is about to do to an object that isn't being deleted yet. */
const verdictTexts: Readonly<Partial<Record<Verdict, StateText>>> = {
  DeleteBackground: { mark: 'danger', text: 'will be collected', style: 'danger' },
  DeleteForeground: { mark: 'danger', text: 'will be collected', style: 'danger' },
  UnblockAndDelete: { mark: 'danger', text: 'will be collected', style: 'danger' },
  DeleteOrphan: { mark: 'danger', text: 'will be collected, dependents kept', style: 'danger' },
  RetryForever: { mark: 'warning', text: 'owner kind not served', style: 'warning' },
  NeverCollected: { mark: 'warning', text: 'never collected', style: 'warning' },
};

/** Whatever rests on something that cannot be seen, or that no look-up has confirmed, says so. */
function ifCertain(text: string, certainty: Certainty): string {
  return certainty === 'exact' ? text : `${text} (assumed)`;
}

type Judged = Pick<Judgement, 'verdict' | 'certainty'>;

/** The state of an observed object. `now` in milliseconds since the epoch. */
export function objectStateText(object: KubeObject, { verdict, certainty }: Judged, now: number): StateText {
  if (object.deletionTimestamp !== undefined) return deletingText(object, now);
  const fate = verdictTexts[verdict];
  if (fate !== undefined) return { ...fate, text: ifCertain(fate.text, certainty) };
  const health = healthText(object);
  if (verdict !== 'PruneReferences') return health;
  const dead = ifCertain('has dead owner references', certainty);
  return {
    mark: 'warning',
    text: health.text === '' ? dead : `${health.text}, ${dead}`,
    style: 'warning',
  };
}

const ghosts: Readonly<Partial<Record<OwnerStatus, string>>> = {
  Unresolvable: 'kind not served',
  Unknown: 'cannot be seen',
  Solid: 'there, not listed yet',
  WaitingForDependents: 'there, not listed yet',
};

/** What is known of an owner that was never observed, from the status of a reference to it. */
export function ghostText(status: OwnerStatus, certainty: Certainty): StateText {
  if (status !== 'Absent')
    return { mark: 'unknown', text: ghosts[status] ?? 'only in references', style: 'ghost' };
  const mark = certainty === 'exact' ? 'danger' : 'unknown';
  return { mark, text: ifCertain('gone', certainty), style: 'ghost' };
}

/**
 * The state of any node. A virtual node is only heard of: what is known about it stands on the references to
 * it, so its own state says just that.
 */
export function stateText(node: GraphNode, judged: Judged, now: number): StateText {
  return node.object === undefined
    ? { mark: 'unknown', text: 'only in references', style: 'ghost' }
    : objectStateText(node.object, judged, now);
}

/** Mark and text as one string, for places without columns of their own. */
export function stateLine(
  state: StateText,
  glyphs: { readonly warning: string; readonly danger: string; readonly unknown: string },
): string {
  return state.mark === '' ? state.text : `${glyphs[state.mark]} ${state.text}`;
}

const silent: StateText = { mark: '', text: '', style: 'plain' };

function plain(text: string): StateText {
  return { mark: '', text: showHidden(text), style: 'plain' };
}

function poor(text: string): StateText {
  return { mark: '', text: showHidden(text), style: 'warning' };
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
function healthText(object: KubeObject): StateText {
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
    case 'Service':
    case 'EndpointSlice':
    case 'WebhookConfiguration':
    case 'Role':
    case 'RoleBinding':
    case 'AdmissionPolicy':
    case 'AdmissionBinding':
    case 'Lease':
    case 'PodDisruptionBudget':
    case 'HorizontalPodAutoscaler':
    case 'VolumeAttachment':
      return silent;
  }
}
