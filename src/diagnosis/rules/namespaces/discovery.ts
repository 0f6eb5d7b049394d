/**
 * A namespace that cannot be let go because an API group cannot be discovered: what is in it may be of kinds that
 * nobody can name (docs/kubernetes.md §8, step 4).
 */

import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { Condition } from '../../../model/facts/facts.ts';
import { undiscoveredVersions } from '../../../model/facts/namespace-conditions.ts';
import { prose } from '../../../model/text/shown.ts';
import { counted, enumerated, objectTitle } from '../../../model/text/titles.ts';
import { adviceToLook, chainLink, type FindingDraft } from '../../engine/finding.ts';
import { apiRemedies, type FailingApi, failingApis } from '../apis/apis.ts';
import { type NamespaceCase, namespaceEvidence, reported } from './case.ts';
import { relatedTo } from './content.ts';

/** Milliseconds in which an API that went away may come back by itself. */
const PATIENCE = 60_000;

/** None where all groups answer, as far as anybody says. */
export function discoveryFinding(at: NamespaceCase): FindingDraft | undefined {
  const { tracked, content, namespace } = at;
  const condition = reported(at, 'NamespaceDeletionDiscoveryFailure');
  const failing = failingApis(tracked);
  // What cannot be discovered from here alone may well be there for the namespace controller.
  if (condition === undefined && !failing.some(({ reported: isReported }) => isReported)) return undefined;
  const [first] = failing;
  if (first === undefined) return condition && withoutFailing(at, condition);
  const outage = first.since ?? condition?.since ?? at.since;
  // One whose Service is missing doesn't come back by itself, however short a time the namespace has waited.
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
      ...(also.length === 0 ? [] : [`waiting for the same: Namespace ${enumerated(also)}`]),
    ],
    related: [...failing.flatMap(({ related }) => related), ...relatedTo(content.hidden)],
    // Until the namespace controller says so, it may see a group that cannot be discovered from here.
    certainty: condition === undefined ? 'assumed' : 'exact',
    chain: [chainLink(identityOfObject(namespace), '', 'deleting', at.since), ...chainThrough(first)],
    remedies: () => failing.flatMap(each => apiRemedies(tracked, each)),
  };
}

function apisFail(failing: readonly FailingApi[]): string {
  const apis = enumerated(failing.map(({ api }) => api));
  return failing.length === 1
    ? `the API ${apis} cannot be discovered`
    : `the APIs ${apis} cannot be discovered`;
}

function chainThrough({ related, why, since, api }: FailingApi): FindingDraft['chain'] {
  const [service, ...behind] = related;
  if (service === undefined) return [];
  return [
    chainLink(service, 'waits for', `${api} doesn't answer: ${why}`, since),
    ...behind.map(object => chainLink(object, 'answered by', 'there, and not answering as it should')),
  ];
}

/** A condition of which nothing that fails can be seen. Files have no discovery that could show the contrary. */
function withoutFailing(at: NamespaceCase, condition: Condition): FindingDraft {
  const { settings } = at.tracked.view;
  return settings.standsStill === true && undiscoveredVersions(at.facts.conditions).length === 0
    ? reportedFailure(at, condition, 'what is served cannot be discovered')
    : answersAgain(at, condition);
}

/** A version that an API server announces and nobody can parse: the namespace isn't finished as long as it does. */
export function versionFinding(at: NamespaceCase): FindingDraft | undefined {
  const condition = reported(at, 'NamespaceDeletionGroupVersionParsingFailure');
  return condition && reportedFailure(at, condition, 'an API announces a version that cannot be parsed');
}

/** By the word of the namespace controller alone. */
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
    chain: [chainLink(identityOfObject(namespace), '', `deleting; reported: ${prose(message)}`, at.since)],
    remedies: () => [
      adviceToLook(
        'restore-api',
        'see which APIService fails, and mend what answers behind it: the namespace controller goes on by itself',
        ['get', 'apiservices'],
      ),
    ],
  };
}

/** The condition is older than what can be discovered now; the namespace controller looks again within a minute. */
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

/** Other namespaces that are being deleted and not emptied: none of them can go either. */
function othersWaiting({ tracked, namespace }: NamespaceCase): string[] {
  const found: string[] = [];
  for (const { name, facts, deletionTimestamp } of tracked.all(namespace.type)) {
    if (name === namespace.name || deletionTimestamp === undefined) continue;
    if (facts?.kind === 'Namespace' && facts.specFinalizers.length > 0) found.push(name);
  }
  return found.sort();
}
