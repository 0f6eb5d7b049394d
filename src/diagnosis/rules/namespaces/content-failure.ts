/** A namespace whose content can't be deleted or listed (docs/kubernetes.md §8, NamespaceDeletionContentFailure). */

import { isDeleting } from '../../../graph/index.ts';
import { DeletionCondition, type KubeObject, prose } from '../../../model/index.ts';
import { failingApis } from '../../cluster/failing-apis.ts';
import { firstOf, relatedTo } from '../../cluster/namespace-content.ts';
import { advice, chainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import { apiRemedies } from '../apis/api-remedies.ts';
import { amount, type NamespaceCase, namespaceEvidence, reported } from './namespace-case.ts';
import { type Refusal, refusalIn } from './refusals.ts';
import { listAdvice } from './reported.ts';

/** In milliseconds: the controller retries within this time, and a short disturbance is over by then. */
const PATIENCE = 60_000;

export function failureFinding(at: NamespaceCase): FindingDraft | undefined {
  const condition = reported(at, 'NamespaceDeletionContentFailure');
  if (condition === undefined) return undefined;
  const { tracked, namespace, content } = at;
  const said = prose(condition.message).replace(/^Failed to delete all resource types, \d+ remaining: /, '');
  // Every namespace reports this between the end of a pod's grace period and its kubelet's confirmation.
  if (content.pods.some(isDeleting) && DeletionCondition.namesOnlyPods(said))
    return lingeringPods(at, condition.since);
  const untouched = [...content.pods, ...content.others].filter(each => !isDeleting(each));
  const refusal = refusalIn(tracked, said);
  const nothingLeft = refusal?.unlisted !== true && content.pods.length + content.others.length === 0;
  const outdated = nothingLeft && content.unseen.length === 0 && content.hidden.length === 0;
  const lasting = !outdated && tracked.lasted(condition.since ?? at.since, PATIENCE);
  const why = refusal?.why ?? inWords(said);
  const left =
    untouched.length === 0
      ? ''
      : `; ${amount(untouched)} ${untouched.length === 1 ? "isn't" : "aren't"} being deleted`;
  return {
    code: 'NamespaceContentFailure',
    // The message may be about unseen pods that are ending.
    severity: !lasting
      ? 'info'
      : content.unseen.length > 0 && DeletionCondition.namesOnlyPods(said)
        ? 'warning'
        : 'error',
    since: condition.since ?? at.since,
    message: outdated
      ? `Namespace ${namespace.name} could not be emptied (${why}), but nothing is left in it now; the namespace controller looks again within a minute or so.`
      : `Namespace ${namespace.name} cannot be emptied: ${why}${left}.`,
    brief: outdated ? 'could not be emptied before; is empty now' : `cannot be emptied: ${why}`,
    evidence: namespaceEvidence(at),
    related: relatedTo(untouched),
    certainty: content.unseen.length > 0 || outdated ? 'assumed' : 'exact',
    chain: [
      chainLink(namespace, '', `deleting; ${why}`, at.since),
      ...firstOf(untouched, 1).map(each => chainLink(each, 'waits for', 'not being deleted')),
    ],
    remedies: () => remediesFor(at, refusal, DeletionCondition.leftoverKinds(said), untouched),
  };
}

function lingeringPods(at: NamespaceCase, since: number | undefined): FindingDraft {
  const { namespace, content } = at;
  return {
    code: 'NamespaceContentFailure',
    severity: 'info',
    since: since ?? at.since,
    message: `The namespace controller reports that it cannot empty Namespace ${namespace.name}, because its pods are still there though no finalizer holds them: their kubelets have yet to confirm that they have stopped.`,
    brief: 'reported as failing while pods end',
    evidence: namespaceEvidence(at),
    related: relatedTo(content.pods),
    chain: [chainLink(namespace, '', 'deleting, pods first', at.since)],
  };
}

function inWords(said: string): string {
  return DeletionCondition.withLeftovers(
    said,
    ({ apiVersion, resource }) =>
      `${resource}${apiVersion === 'v1' ? '' : ` of ${apiVersion}`} are still there though no finalizer holds them`,
  );
}

function remediesFor(
  { tracked, namespace }: NamespaceCase,
  refusal: Refusal | undefined,
  left: readonly string[],
  untouched: readonly KubeObject[],
): OfferedRemedy[] {
  if (refusal !== undefined) return [...refusal.remedies()];
  const apis = failingApis(tracked).flatMap(each => apiRemedies(tracked, each));
  if (apis.length > 0) return apis;
  const [first] = firstOf(untouched, 1);
  if (first === undefined && left.length > 0)
    return [
      listAdvice(
        left.map(resource => ({ resource })),
        namespace.name,
      ),
    ];
  return [
    advice(
      'read-failure',
      first === undefined
        ? 'read what the namespace controller reports, and fix that: it continues by itself'
        : `find out what rejects the deletion of ${first.type.kind} ${first.name}: \`kubectl gc-tree why --probe\` asks the API server without changing anything`,
    ),
  ];
}
