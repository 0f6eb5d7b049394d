/**
 * A namespace with something left in it after its pods are gone: objects that finalizers hold, or that nobody
 * deletes, or none that can be seen (docs/kubernetes.md §8, step 3 and 4).
 */

import { isDeleting } from '../../../graph/deletion.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { FindingDraft } from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { advice } from '../../remedies/advice.ts';
import { amount, type NamespaceCase, namespaceEvidence, unseenClause } from './case.ts';
import { chainInto } from './chain.ts';
import { firstOf, isHeld, relatedTo } from './content.ts';
import { type FinalizerHold, holdEvidence, holdRemedies, holdWords, namespaceHolds } from './holds.ts';

/** Milliseconds in which a finalizer's controller does its work, as a rule. */
const FINALIZER_PATIENCE = 120_000;
/**
 * Milliseconds in which the namespace controller has begun, and has come back to look (docs/kubernetes.md §8: up to
 * 60 s).
 */
const CONTROLLER_PATIENCE = 120_000;

/** `explained`: another finding says already why the namespace isn't emptied. */
export function leftoverFinding(
  tracked: TrackedView,
  at: NamespaceCase,
  explained: boolean,
): FindingDraft | undefined {
  const { others } = at.content;
  const held = others.filter(isHeld);
  if (held.length > 0) return heldFinding(tracked, at, namespaceHolds(tracked, held));
  if (explained || !tracked.lasted(at.since, CONTROLLER_PATIENCE)) return undefined;
  return others.length > 0 ? untouchedFinding(tracked, at) : emptyFinding(at);
}

function heldFinding(tracked: TrackedView, at: NamespaceCase, holds: readonly FinalizerHold[]): FindingDraft {
  const { namespace, content, since } = at;
  const held = content.others.filter(isHeld);
  const [worst] = holds;
  const lasting = tracked.lasted(since, FINALIZER_PATIENCE);
  const forGood = worst?.presence === 'absent' || (lasting && worst?.presence !== 'present');
  const severity = forGood ? 'error' : lasting ? 'warning' : 'info';
  const free = content.others.length - held.length;
  const others = free === 0 ? '' : `; ${free} more ${free === 1 ? 'is' : 'are'} not being deleted yet`;
  const unseen = unseenClause(at, '; more may be in it');
  const state = severity === 'info' ? 'is being emptied' : forGood ? 'is stuck' : "isn't emptied";
  return {
    code: 'NamespaceContentStuck',
    severity,
    since,
    message: `Namespace ${namespace.name} ${state}: ${holdWords(holds)}${others}${unseen}.`,
    brief: `${amount(held)} held by ${holds.map(({ finalizer }) => finalizer).join(', ')}`,
    evidence: [...namespaceEvidence(at), ...holdEvidence(holds)],
    related: relatedTo(worst?.objects ?? [], held),
    certainty: worst?.presence === 'unknown' || content.unseen.length > 0 ? 'assumed' : 'exact',
    chain: chainInto(tracked, namespace, firstOf(worst?.objects ?? [], 1)[0], 'deleting, and not empty'),
    remedies: () => holdRemedies(tracked, holds),
  };
}

/** Nobody deletes what is in it: the namespace controller doesn't work, or is told to wait. */
function untouchedFinding(tracked: TrackedView, at: NamespaceCase): FindingDraft | undefined {
  const { namespace, content, since, facts } = at;
  const untouched = content.others.filter(each => !isDeleting(each));
  if (untouched.length === 0) return undefined;
  const silent = facts.conditions.length === 0;
  const are = untouched.length === 1 ? "isn't" : "aren't";
  return {
    code: 'NamespaceContentStuck',
    severity: 'warning',
    since,
    message: `Namespace ${namespace.name} isn't emptied: ${amount(untouched)} ${are} being deleted${silent ? ', and the namespace controller, a part of kube-controller-manager, has reported nothing on it yet' : ''}.`,
    brief: `${amount(untouched)} ${are} being deleted`,
    evidence: namespaceEvidence(at),
    related: relatedTo(untouched),
    certainty: 'assumed',
    chain: chainInto(tracked, namespace, firstOf(untouched, 1)[0], 'deleting, and not empty'),
    remedies: () => [controllerAdvice],
  };
}

/** Nothing is left that can be seen, and yet the namespace is there. */
function emptyFinding(at: NamespaceCase): FindingDraft {
  const { namespace, since, content } = at;
  const hidden = content.unseen.length > 0;
  return {
    code: 'NamespaceContentStuck',
    severity: 'warning',
    since,
    message: hidden
      ? `Namespace ${namespace.name} isn't gone, and what keeps it cannot be seen${unseenClause(at, '')}.`
      : `Namespace ${namespace.name} isn't gone though nothing is left in it: the namespace controller, a part of kube-controller-manager, has not come back to it.`,
    brief: hidden ? 'what keeps it cannot be seen' : 'empty, but not let go',
    evidence: namespaceEvidence(at),
    related: [],
    certainty: 'assumed',
    chain: [{ object: identityOfObject(namespace), by: '', because: 'deleting', since }],
    remedies: () => (hidden ? [] : [controllerAdvice]),
  };
}

const controllerAdvice = advice(
  'check-controller-manager',
  'see whether kube-controller-manager runs and what its log says of the namespace: it empties namespaces and lets them go',
  'safe',
);
