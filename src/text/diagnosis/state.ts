/**
 * The STATE column: one short phrase for what an object is doing, the same in `tree` and on the screen. What
 * deletion and the collector do to an object outranks how it runs.
 */
import type { Certainty, Judgement, OwnerStatus, Verdict } from '../../collector/verdict.ts';
import { deletionRequestedAt, foreignFinalizers } from '../../graph/deletion.ts';
import type { GraphNode } from '../../graph/node.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { formatDuration } from '../terminal/age.ts';
import type { StateText } from '../terminal/style.ts';
import { healthText } from './health.ts';

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
  return { mark: 'danger', text: 'terminating', style: 'muted' };
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

/** What is known of an owner that was never observed, from the status of a reference to it. */
export function ghostText(status: OwnerStatus, certainty: Certainty): StateText {
  switch (status) {
    case 'Absent':
      return {
        mark: certainty === 'exact' ? 'danger' : 'unknown',
        text: ifCertain('gone', certainty),
        style: 'ghost',
      };
    case 'Unresolvable':
      return { mark: 'unknown', text: 'kind not served', style: 'ghost' };
    case 'Unknown':
      return { mark: 'unknown', text: 'cannot be seen', style: 'ghost' };
    case 'Solid':
    case 'WaitingForDependents':
      return { mark: 'unknown', text: 'there, not listed yet', style: 'ghost' };
    case 'Mismatched':
    case 'OtherNamespace':
    case 'ClusterScopeViolation':
      return { mark: 'unknown', text: 'only in references', style: 'ghost' };
  }
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
