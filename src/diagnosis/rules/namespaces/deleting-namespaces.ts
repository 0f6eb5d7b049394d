/** Namespaces that are being deleted and still exist (docs/kubernetes.md §8, and §10 rows 36 to 40). */

import { patience } from '../../../forecast/index.ts';
import { isDeleting } from '../../../graph/index.ts';
import { enumerated, shownName } from '../../../model/index.ts';
import { firstOf, isHeld, relatedTo } from '../../cluster/namespace-content.ts';
import { advice, chainLink, type FindingDraft } from '../../engine/finding.ts';
import { reportedIn } from '../../engine/live-holds.ts';
import type { Rule } from '../../engine/rule.ts';
import { chainInto } from '../../waits/chain.ts';
import { failureFinding } from './content-failure.ts';
import {
  type FinalizerHold,
  holdEvidence,
  holdRemedies,
  holdWords,
  namespaceHolds,
  withHoldSuspects,
} from './content-holds.ts';
import { discoveryFinding, versionFinding } from './failing-discovery.ts';
import {
  amount,
  type NamespaceCase,
  namespaceCase,
  namespaceEvidence,
  unseenClause,
} from './namespace-case.ts';
import { podsFinding } from './namespace-pods.ts';
import { ownFinalizerFinding } from './own-finalizers.ts';
import { besidesClause, listAdvice, reportedFinding, reportedRemedies } from './reported.ts';

export const namespaceRule: Rule = {
  appliesTo: ({ object, deleting }) => deleting && object.facts?.kind === 'Namespace',
  judge: ({ object }, tracked) => {
    const at = namespaceCase(tracked, object);
    if (at === undefined) return [];
    const own = ownFinalizerFinding(at);
    // Without finalizers in its spec it has been emptied, and its controller no longer looks at it.
    if (at.facts.specFinalizers.length === 0) return present(own);
    const discovery = discoveryFinding(at);
    const pods = podsFinding(at);
    const failure = failureFinding(at);
    const version = versionFinding(at);
    const explained = present(own, discovery, version, failure).length > 0;
    const leftover = pods === undefined ? leftoverFinding(at, explained) : undefined;
    return present(own, discovery, version, pods, failure, leftover);
  },
};

function present(...drafts: readonly (FindingDraft | undefined)[]): FindingDraft[] {
  return drafts.filter(draft => draft !== undefined);
}

/** Milliseconds in which a finalizer's controller usually finishes. */
const FINALIZER_PATIENCE = 120_000;

/** `explained` is true if another finding already explains why the namespace isn't emptied. */
function leftoverFinding(at: NamespaceCase, explained: boolean): FindingDraft | undefined {
  const { tracked, content } = at;
  const { others } = content;
  const held = others.filter(isHeld);
  if (held.length > 0) return heldFinding(at, namespaceHolds(tracked, held));
  const reported = reportedFinding(at);
  if (reported !== undefined) return reported;
  // Its controller starts at once and looks again (docs/kubernetes.md §8: within 60 s).
  if (explained || !tracked.lasted(patience.begins(at.namespace), patience.withNamespaces)) return undefined;
  return others.length > 0 ? untouchedFinding(at) : emptyFinding(at);
}

function heldFinding(at: NamespaceCase, holds: readonly FinalizerHold[]): FindingDraft {
  const { tracked, namespace, content, since } = at;
  const held = content.others.filter(isHeld);
  const [worst] = holds;
  const lasting = tracked.lasted(since, FINALIZER_PATIENCE);
  const forGood = worst?.presence === 'absent' || (lasting && worst?.presence !== 'present');
  const severity = forGood ? 'error' : lasting ? 'warning' : 'info';
  const free = content.others.length - held.length;
  const others = free === 0 ? '' : `; ${free} more ${free === 1 ? 'is' : 'are'} not being deleted yet`;
  const reported = reportedIn(tracked, namespace);
  const unseen = besidesClause(reported) || unseenClause(at, '; more may be in it');
  const state = severity === 'info' ? 'is being emptied' : forGood ? 'is stuck' : "isn't emptied";
  return withHoldSuspects(tracked, holds, {
    code: 'NamespaceContentStuck',
    severity,
    since,
    message: `Namespace ${namespace.name} ${state}: ${holdWords(holds)}${others}${unseen}.`,
    brief: `${amount(held)} held by ${holds.map(({ finalizer }) => finalizer).join(', ')}`,
    evidence: [...namespaceEvidence(at), ...holdEvidence(holds)],
    related: relatedTo(worst?.objects ?? [], held),
    certainty:
      worst?.presence === 'unknown' || content.unseen.length > 0 || content.reported ? 'assumed' : 'exact',
    chain: chainInto(tracked, namespace, firstOf(worst?.objects ?? [], 1)[0], 'deleting, and not empty'),
    remedies: () => [...holdRemedies(tracked, namespace, holds), ...reportedRemedies(at, reported)],
  });
}

/** Reports content that isn't being deleted: the namespace controller doesn't run or is told to wait. */
function untouchedFinding(at: NamespaceCase): FindingDraft | undefined {
  const { tracked, namespace, content, since, facts } = at;
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

function emptyFinding(at: NamespaceCase): FindingDraft {
  const { namespace, since, content, facts } = at;
  const hidden = content.unseen.length > 0;
  const remaining = facts.conditions.find(({ type }) => type === 'NamespaceContentRemaining');
  const podsUnseen = content.unseen.includes('pods');
  const waiting =
    podsUnseen && remaining?.status === 'False'
      ? '; its controller names nothing that is left, as it does while it waits for pods'
      : '';
  const own =
    namespace.finalizers.length === 0
      ? ''
      : `; after that it is held by ${enumerated(namespace.finalizers.map(shownName))}`;
  return {
    code: 'NamespaceContentStuck',
    severity: 'warning',
    since,
    message: hidden
      ? `Namespace ${namespace.name} isn't gone, and what keeps it cannot be seen${unseenClause(at, '')}${waiting}${own}.`
      : `Namespace ${namespace.name} isn't gone though nothing is left in it: the namespace controller, a part of kube-controller-manager, has not come back to it.`,
    brief: hidden ? 'what keeps it cannot be seen' : 'empty, but not removed',
    evidence: namespaceEvidence(at),
    certainty: 'assumed',
    chain: [chainLink(namespace, '', 'deleting', since)],
    remedies: () =>
      podsUnseen ? [listAdvice([{ resource: 'pods' }], namespace.name)] : hidden ? [] : [controllerAdvice],
  };
}

const controllerAdvice = advice(
  'check-controller-manager',
  'see whether kube-controller-manager runs and what its log says of the namespace: it empties namespaces and then removes them',
);
