/**
 * A namespace whose content cannot be deleted or listed: rejected by admission, behind a broken conversion, or
 * still there though nothing holds it (docs/kubernetes.md §8, NamespaceDeletionContentFailure).
 */
import { isDeleting } from '../../../graph/deletion.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { KubeObject } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { groupResource, parseApiVersion } from '../../../model/types/resource-type.ts';
import { rejectionIn } from '../../admission/answers.ts';
import { advice, chainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import { apiRemedies, failingApis } from '../apis/apis.ts';
import { amount, type NamespaceCase, namespaceEvidence, reported } from './case.ts';
import { firstOf, relatedTo } from './content.ts';
import { listAdvice } from './reported.ts';

/** Milliseconds: it is tried again at the latest after so long, and a hiccup is over by then. */
const PATIENCE = 60_000;

/** `unexpected items still remain in namespace: shop for gvr: /v1, Resource=pods` (v1.36). */
const leftover = /unexpected items still remain in namespace: \S+ for gvr: (\S*), Resource=([\w.-]+)/g;

export function failureFinding(at: NamespaceCase): FindingDraft | undefined {
  const condition = reported(at, 'NamespaceDeletionContentFailure');
  if (condition === undefined) return undefined;
  const { tracked, namespace, content } = at;
  const said = prose(condition.message).replace(/^Failed to delete all resource types, \d+ remaining: /, '');
  // Between the end of a pod's grace period and its kubelet's word this is reported of every namespace.
  if (content.pods.some(isDeleting) && onlyPods(said)) return lingeringPods(at, condition.since);
  const untouched = [...content.pods, ...content.others].filter(each => !isDeleting(each));
  const nothingLeft = content.pods.length + content.others.length === 0;
  const outdated = nothingLeft && content.unseen.length === 0 && content.hidden.length === 0;
  const lasting = !outdated && tracked.lasted(condition.since ?? at.since, PATIENCE);
  const { by, words } = rejectionIn(said);
  const why =
    by === undefined ? inWords(said) : `${by} rejects the deletion${words === '' ? '' : `: ${words}`}`;
  const left =
    untouched.length === 0
      ? ''
      : `; ${amount(untouched)} ${untouched.length === 1 ? "isn't" : "aren't"} being deleted`;
  return {
    code: 'NamespaceContentFailure',
    // Of pods that cannot be seen, which may be ending.
    severity: !lasting ? 'info' : content.unseen.length > 0 && onlyPods(said) ? 'warning' : 'error',
    since: condition.since ?? at.since,
    message: outdated
      ? `Namespace ${namespace.name} could not be emptied (${why}), but nothing is left in it now; the namespace controller looks again within a minute or so.`
      : `Namespace ${namespace.name} cannot be emptied: ${why}${left}.`,
    brief: outdated ? 'could not be emptied before; is empty now' : `cannot be emptied: ${why}`,
    evidence: namespaceEvidence(at),
    related: relatedTo(untouched),
    certainty: content.unseen.length > 0 || outdated ? 'assumed' : 'exact',
    chain: [
      chainLink(identityOfObject(namespace), '', `deleting; ${why}`, at.since),
      ...firstOf(untouched, 1).map(each =>
        chainLink(identityOfObject(each), 'waits for', 'not being deleted'),
      ),
    ],
    remedies: () => remediesFor(at, by, leftoverResources(said), untouched),
  };
}

/** The pods themselves are another finding; this one says what to make of the condition. */
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
    chain: [chainLink(identityOfObject(namespace), '', 'deleting, pods first', at.since)],
  };
}

function onlyPods(said: string): boolean {
  const found = [...said.matchAll(leftover)];
  const rest = said.replaceAll(leftover, '').replaceAll(/[,\s]/g, '');
  return (
    rest === '' &&
    found.length > 0 &&
    found.every(([, group, resource]) => group === '/v1' && resource === 'pods')
  );
}

/** `widgets.example.com` for each kind that the message names as still there. */
function leftoverResources(said: string): string[] {
  const found = [...said.matchAll(leftover)].map(([, version = '', resource = '']) => {
    const { group } = parseApiVersion(version);
    return groupResource({ group, resource });
  });
  return [...new Set(found)];
}

function inWords(said: string): string {
  return said.replaceAll(
    leftover,
    (_, group: string, resource: string) =>
      `${resource}${group === '/v1' ? '' : ` of ${group}`} are still there though no finalizer holds them`,
  );
}

function remediesFor(
  { tracked, namespace }: NamespaceCase,
  by: string | undefined,
  left: readonly string[],
  untouched: readonly KubeObject[],
): OfferedRemedy[] {
  if (by !== undefined) {
    return [
      advice(
        'admit-deletion',
        `let ${by} admit the deletion, or take it away if nobody needs it: the namespace controller goes on by itself`,
      ),
    ];
  }
  const apis = failingApis(tracked).flatMap(each => apiRemedies(tracked, each));
  if (apis.length > 0) return apis;
  const [first] = firstOf(untouched, 1);
  if (first === undefined && left.length > 0) return left.map(each => listAdvice(each, namespace.name));
  return [
    advice(
      'read-failure',
      first === undefined
        ? 'read what the namespace controller reports, and mend that: it goes on by itself'
        : `find out what rejects the deletion of ${first.type.kind} ${first.name}: \`kubectl gc-tree why --probe\` asks the API server without changing anything`,
    ),
  ];
}
