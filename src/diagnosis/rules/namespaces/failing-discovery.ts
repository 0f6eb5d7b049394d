/** A namespace that may hold objects of an API group that can't be discovered (docs/kubernetes.md §8, step 4). */

import { identityOfObject } from '../../../graph/index.ts';
import {
  type Condition,
  counted,
  DeletionCondition,
  enumerated,
  objectTitle,
  prose,
} from '../../../model/index.ts';
import { type FailingApi, failingApis } from '../../cluster/failing-apis.ts';
import { relatedTo } from '../../cluster/namespace-content.ts';
import { adviceToLook, chainLink, type FindingDraft } from '../../engine/finding.ts';
import { apiRemedies } from '../apis/api-remedies.ts';
import { type NamespaceCase, namespaceEvidence, reported } from './namespace-case.ts';

/** Milliseconds in which an API may recover by itself. */
const PATIENCE = 60_000;

export function discoveryFinding(at: NamespaceCase): FindingDraft | undefined {
  const { tracked, content, namespace } = at;
  const condition = reported(at, 'NamespaceDeletionDiscoveryFailure');
  const failing = failingApis(tracked);
  // A failure of discovery from here alone may not affect the namespace controller.
  if (condition === undefined && !failing.some(({ reported: isReported }) => isReported)) return undefined;
  const [first] = failing;
  if (first === undefined) return condition && withoutFailing(at, condition);
  const outage = first.since ?? condition?.since ?? at.since;
  // An API whose Service is missing doesn't recover, even if the namespace hasn't waited long.
  const lasting =
    failing.some(({ forGood, since: down }) => forGood && tracked.lasted(down ?? at.since, PATIENCE)) ||
    tracked.lasted(Math.max(at.since, outage), PATIENCE);
  const apis = failing.map(({ api }) => api);
  const also = othersWaiting(at);
  const stored =
    content.hidden.length === 0
      ? ''
      : `, and ${counted(content.hidden.length, 'object')} of it seen before may still be stored`;
  return {
    code: 'NamespaceDiscoveryFailure',
    severity: lasting ? 'error' : 'info',
    since: at.since,
    message: `Namespace ${namespace.name} cannot be deleted while ${apisFail(failing)}: ${first.why}${stored}. What can be discovered is deleted all the same.`,
    brief: `waits for ${enumerated(apis)}: ${first.why}`,
    evidence: [
      ...namespaceEvidence(at),
      ...failing.flatMap(({ evidence }) => evidence),
      also.length > 0 && `waiting for the same: Namespace ${enumerated(also)}`,
    ],
    related: [...failing.flatMap(({ related }) => related), ...relatedTo(content.hidden)],
    // If the namespace lacks the condition, its controller may still discover the group.
    certainty: condition === undefined ? 'assumed' : 'exact',
    chain: [chainLink(namespace, '', 'deleting', at.since), ...chainThrough(first)],
    remedies: () => failing.flatMap(each => apiRemedies(tracked, each)),
  };
}

function apisFail(failing: readonly FailingApi[]): string {
  const apis = enumerated(failing.map(({ api }) => api));
  return failing.length === 1
    ? `the API ${apis} cannot be discovered`
    : `the APIs ${apis} cannot be discovered`;
}

function chainThrough({ related, why, since, api, unreached }: FailingApi): FindingDraft['chain'] {
  const [service, ...behind] = related;
  if (service === undefined) return [];
  return [
    chainLink(
      service,
      'waits for',
      unreached?.distrust === undefined ? `${api} doesn't answer: ${why}` : `${api} isn't trusted: ${why}`,
      since,
    ),
    ...behind.map(object => chainLink(object, 'answered by', 'there, and not answering as it should')),
  ];
}

/** Handles a condition for which no failing API is seen. Files have no discovery that could contradict it. */
function withoutFailing(at: NamespaceCase, condition: Condition): FindingDraft {
  const { settings } = at.tracked.view;
  return settings.standsStill === true &&
    DeletionCondition.undiscoveredVersions(at.facts.conditions).length === 0
    ? reportedFailure(at, condition, 'what is served cannot be discovered')
    : answersAgain(at, condition);
}

/** Reports an announced version that can't be parsed, which keeps the namespace from being finished. */
export function versionFinding(at: NamespaceCase): FindingDraft | undefined {
  const condition = reported(at, 'NamespaceDeletionGroupVersionParsingFailure');
  return condition && reportedFailure(at, condition, 'an API announces a version that cannot be parsed');
}

function reportedFailure(at: NamespaceCase, { message, since }: Condition, what: string): FindingDraft {
  const { namespace, tracked } = at;
  const why = `${what}: ${prose(message)}`;
  return {
    code: 'NamespaceDiscoveryFailure',
    severity: tracked.lasted(since ?? at.since, PATIENCE) ? 'error' : 'info',
    since: since ?? at.since,
    message: `Namespace ${namespace.name} cannot be deleted, the namespace controller reports: ${why}.`,
    brief: why,
    evidence: namespaceEvidence(at),
    certainty: 'assumed',
    chain: [chainLink(namespace, '', `deleting; reported: ${prose(message)}`, at.since)],
    remedies: () => [
      adviceToLook(
        'restore-api',
        'see which APIService fails, and fix its backend: the namespace controller continues by itself',
        ['get', 'apiservices'],
      ),
    ],
  };
}

/** Reports a condition older than the last discovery; the namespace controller looks again within a minute. */
function answersAgain(at: NamespaceCase, { message, since }: Condition): FindingDraft {
  const object = identityOfObject(at.namespace);
  return {
    code: 'NamespaceDiscoveryFailure',
    severity: 'info',
    since,
    message: `${objectTitle(at.namespace)} waited for API groups that couldn't be discovered; all can be discovered now, and the namespace controller looks again within a minute or so.`,
    brief: 'waited for an API that answers again',
    evidence: namespaceEvidence(at),
    certainty: 'assumed',
    chain: [
      chainLink(object, '', message === '' ? 'deleting' : `deleting; reported: ${prose(message)}`, at.since),
    ],
  };
}

/** Lists other namespaces being deleted that aren't empty: the same failure keeps them too. */
function othersWaiting({ tracked, namespace }: NamespaceCase): string[] {
  const found: string[] = [];
  for (const { name, facts, deletionTimestamp } of tracked.all(namespace.type)) {
    if (name === namespace.name || deletionTimestamp === undefined) continue;
    if (facts?.kind === 'Namespace' && facts.specFinalizers.length > 0) found.push(name);
  }
  return found.sort();
}
