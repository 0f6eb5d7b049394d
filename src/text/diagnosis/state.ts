/** The STATE column of `tree` and the screen. Deletion and the collector's verdict outrank health. */
import type { Certainty, Judgement, OwnerStatus, Verdict } from '../../collector/index.ts';
import { type GraphNode, objectDeletion } from '../../graph/index.ts';
import {
  type Condition,
  type Facts,
  FOREGROUND_FINALIZER,
  type KubeObject,
  type NodeFacts,
  ORPHAN_FINALIZER,
  type PodFacts,
  showHidden,
  shownName,
  statementJson,
  type WorkloadFacts,
} from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import type { StateText } from '../terminal/style.ts';

function deletingText(object: KubeObject, now: number): StateText {
  const since = objectDeletion.requestedAt(object);
  const duration = since === undefined ? '' : `, ${timeText.duration(Math.max(0, now - since))}`;
  const held = objectDeletion.foreignFinalizers(object);
  const heldBy = held.length === 0 ? '' : `held: ${held.map(shownName).join(', ')}`;
  const also = heldBy === '' ? '' : `, ${heldBy}`;
  if (object.finalizers.includes(ORPHAN_FINALIZER))
    return { mark: 'warning', text: `orphaning${duration}${also}`, style: 'warning' };
  if (object.finalizers.includes(FOREGROUND_FINALIZER))
    return { mark: 'warning', text: `foreground${duration}${also}`, style: 'warning' };
  // Until its grace period is over, a pod waits for its kubelet, even with finalizers.
  const inGrace = object.deletionTimestamp !== undefined && object.deletionTimestamp > now;
  if (heldBy !== '' && !inGrace) return { mark: 'warning', text: heldBy, style: 'warning' };
  // This is normal: every rollout terminates pods.
  return { mark: '', text: 'terminating', style: 'muted' };
}

/** The collector's next step for a live object. */
const verdictTexts: Readonly<Partial<Record<Verdict, StateText>>> = {
  DeleteBackground: { mark: 'danger', text: 'will be collected', style: 'danger' },
  DeleteForeground: { mark: 'danger', text: 'will be collected', style: 'danger' },
  UnblockAndDelete: { mark: 'danger', text: 'will be collected', style: 'danger' },
  DeleteOrphan: { mark: 'danger', text: 'will be collected, dependents kept', style: 'danger' },
  RetryForever: { mark: 'warning', text: 'owner kind not served', style: 'warning' },
  NeverCollected: { mark: 'warning', text: 'never collected', style: 'warning' },
};

function ifCertain(text: string, certainty: Certainty): string {
  return certainty === 'exact' ? text : `${text} (assumed)`;
}

type Judged = Pick<Judgement, 'verdict' | 'certainty'>;

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

/** Describes an owner known only from a reference's status. */
function ghostText(status: OwnerStatus, certainty: Certainty): StateText {
  if (status !== 'Absent')
    return { mark: 'unknown', text: ghosts[status] ?? 'only in references', style: 'ghost' };
  const mark = certainty === 'exact' ? 'danger' : 'unknown';
  return { mark, text: ifCertain('gone', certainty), style: 'ghost' };
}

/** Gives a virtual node a fixed state, because only its references are known. */
function stateText(node: GraphNode, judged: Judged, now: number): StateText {
  return node.object === undefined
    ? { mark: 'unknown', text: 'only in references', style: 'ghost' }
    : objectStateText(node.object, judged, now);
}

function stateLine(
  state: StateText,
  glyphs: { readonly warning: string; readonly danger: string; readonly unknown: string },
): string {
  return state.mark === '' ? state.text : `${glyphs[state.mark]} ${state.text}`;
}

const silent: StateText = { mark: '', text: '', style: 'plain' };

/** Muted, so that the other states stand out. */
function healthy(text: string): StateText {
  return { mark: '', text: showHidden(text), style: 'muted' };
}

function poor(text: string): StateText {
  return { mark: '', text: showHidden(text), style: 'warning' };
}

function condition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find(c => c.type === type);
}

/**
 * Returns kubectl's STATUS of a pod: the phase, unless `status.reason` or a container's reason overrides it
 * (pkg/printers/internalversion printPod, v1.36), with ready counts if incomplete.
 */
function podText(facts: PodFacts): StateText {
  const running = facts.phase === 'Running';
  // One finished container among running ones doesn't complete the pod.
  const ofContainer = running && facts.containerReason === 'Completed' ? '' : facts.containerReason;
  const word = ofContainer || facts.reason || facts.phase || 'Unknown';
  const finished = facts.phase === 'Succeeded' || facts.phase === 'Failed';
  if (finished) return facts.phase === 'Failed' ? poor(word) : healthy(word);
  if (running && facts.readyContainers < facts.containers)
    return poor(`${word} ${facts.readyContainers}/${facts.containers}`);
  return running && word === 'Running' ? healthy(word) : poor(word);
}

/** Returns kubectl's STATUS of a node: `Ready`, `NotReady` or `Unknown`, and if it is cordoned. */
function nodeText(facts: NodeFacts): StateText {
  const ready = condition(facts.conditions, 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  const text = facts.unschedulable ? `${word},SchedulingDisabled` : word;
  return word === 'Ready' ? healthy(text) : poor(text);
}

function jobText(facts: WorkloadFacts): StateText {
  const count = `${facts.ready}/${facts.desired}`;
  const holds = (type: string): boolean => condition(facts.conditions, type)?.status === 'True';
  if (holds('Complete')) return healthy(`Complete ${count}`);
  if (holds('Failed')) return poor(`Failed ${count}`);
  if (facts.suspended) return healthy(`suspended ${count}`);
  return facts.failed > 0 ? poor(`${count}, ${facts.failed} failed`) : healthy(count);
}

function workloadText(kind: string, facts: WorkloadFacts): StateText {
  if (kind === 'Job') return jobText(facts);
  if (kind === 'CronJob') {
    const active = facts.active > 0 ? `${facts.active} active` : 'waiting';
    return healthy(facts.suspended ? 'suspended' : active);
  }
  const count = `${facts.ready}/${facts.desired}`;
  if (facts.suspended) return healthy(`${count} paused`);
  return facts.ready < facts.desired ? poor(count) : healthy(count);
}

function availability(conditions: readonly Condition[], type: string, word: string): StateText {
  const found = condition(conditions, type);
  if (found === undefined) return silent;
  return found.status === 'True' ? healthy(word) : poor(`not ${word}: ${found.reason || found.status}`);
}

function withReason(word: string, reason: string): string {
  return reason === '' ? word : `${word}: ${reason}`;
}

/** Returns `Ready`, the worst condition with its reason, or the phase. */
function customText({ status }: Extract<Facts, { kind: 'CustomResource' }>, generation: number): StateText {
  const { observedGeneration: observed, phase, signs } = status;
  const [sign] = signs;
  const isSettling = sign?.status === 'True' && (sign.type === 'Stalled' || sign.type === 'Reconciling');
  if (!isSettling && observed !== undefined && generation > 0 && observed !== generation)
    return poor(`generation ${generation} not observed yet`);
  if (sign === undefined) return statementJson.isFailed(phase) ? poor(phase) : healthy(phase);
  const { type, reason } = sign;
  const report = statementJson.reportOf(type);
  if (sign.status === 'True' && report === 'success') return healthy(type === 'Ready' ? type : phase || type);
  if (sign.status === 'True') return poor(withReason(type, reason));
  const word = sign.status === 'False' ? `not ${type}` : `${type} ${sign.status.toLowerCase()}`;
  return poor(withReason(word, reason || phase));
}

/** Returns the condition `Ready` of an object whose facts have one. */
function readySign({ facts }: KubeObject): Pick<Condition, 'type' | 'status' | 'reason'> | undefined {
  const all = facts === undefined ? [] : 'conditions' in facts ? facts.conditions : [];
  const signs = facts?.kind === 'CustomResource' ? facts.status.signs : all;
  return signs.find(({ type }) => type === 'Ready');
}

/** Checks for a custom resource with a status that has neither a phase nor a condition that decides. */
function isSilent({ facts }: KubeObject): boolean {
  return facts?.kind === 'CustomResource' && facts.status.signs.length === 0 && facts.status.phase === '';
}

/** Returns `3/3`, `Running`, `Bound`, or nothing without facts. */
function healthText(object: KubeObject): StateText {
  const { facts } = object;
  switch (facts?.kind) {
    case undefined:
      return silent;
    case 'CustomResource':
      return customText(facts, object.generation);
    case 'Pod':
      return podText(facts);
    case 'Node':
      return nodeText(facts);
    case 'Workload':
      return workloadText(object.type.kind, facts);
    case 'Namespace':
      return facts.phase === 'Active' ? healthy(facts.phase) : poor(facts.phase);
    case 'PersistentVolumeClaim':
      return facts.phase === 'Bound' ? healthy(facts.phase) : poor(facts.phase);
    case 'PersistentVolume':
      return facts.phase === 'Failed' ? poor(facts.phase) : healthy(facts.phase);
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
    case 'ResourceClaim':
    case 'ServiceCIDR':
      return silent;
  }
}

export const stateWords = { line: stateLine, text: stateText, ghost: ghostText, ready: readySign, isSilent };
