/** Marks findings that rely on an unconfirmed absence: they say so, are never certain, and offer no changes. */

import type { ClusterView, Identity } from '../../graph/index.ts';
import { enumerated, type LookUp, objectTitle, prose, ResourceType, type Uid } from '../../model/index.ts';
import { advice, type ChainLink, isApplicable, type OfferedRemedy, type WholeDraft } from './finding.ts';

const NAMED = 3;

export function underAssumptions(
  draft: WholeDraft,
  assumed: readonly LookUp[],
  view: ClusterView,
): WholeDraft {
  return {
    ...draft,
    message: withDoubt(draft.message, assumed, view),
    evidence: [...draft.evidence, ...doubtEvidence(assumed, view)],
    certainty: 'assumed',
    chain: chainInDoubt(draft.chain, assumed),
    remedies: () => withoutChanges(draft.remedies(), assumed, view),
  };
}

/** Marks a finding on polled data, up to a minute old. Remedies stay: requests fail if the object has changed. */
export function asOld(draft: WholeDraft, object: Identity, view: ClusterView): WholeDraft {
  const polled = new Set<string>();
  for (const { apiVersion, kind } of [object, ...draft.related, ...draft.chain.map(link => link.object)]) {
    const type = view.catalog.resolveKind(apiVersion, kind);
    if (type !== undefined && view.isPolled(type)) polled.add(ResourceType.groupResource(type));
  }
  if (polled.size === 0) return draft;
  return {
    ...draft,
    certainty: 'assumed',
    evidence: [
      ...draft.evidence,
      `as of up to a minute ago, for want of a watch: ${[...polled].sort().join(', ')}`,
    ],
  };
}

export function withDoubt(sentence: string, assumed: readonly LookUp[], view: ClusterView): string {
  const owners = assumed.filter(({ of }) => of === 'object');
  const others = assumed.filter(({ of }) => of === 'dependents');
  return [
    sentence,
    ...(owners.length === 0
      ? []
      : [
          `That ${names(owners)} ${owners.length === 1 ? "doesn't" : "don't"} exist is assumed: ${owners.length === 1 ? "it isn't" : "they aren't"} among what was listed, and ${why(owners, view)}.`,
        ]),
    ...(others.length === 0
      ? []
      : [`That nothing else refers to ${names(others)} is assumed: ${why(others, view)}.`]),
  ].join(' ');
}

/** Marks the links that are only assumed; if the chain names none of them, marks its last link. */
export function chainInDoubt(chain: readonly ChainLink[], assumed: readonly LookUp[]): readonly ChainLink[] {
  const isMeant = ({ object }: ChainLink): boolean =>
    assumed.some(({ of, uid }) => of === 'object' && uid === object.uid);
  const last = chain.at(-1);
  const inDoubt = new Set(chain.some(isMeant) ? chain.filter(isMeant) : [last]);
  return chain.map(link => (inDoubt.has(link) ? { ...link, because: `${link.because} (assumed)` } : link));
}

/** `not confirmed by a look-up: absence of ReplicaSet shop/web (forbidden)` */
export function doubtEvidence(assumed: readonly LookUp[], view: ClusterView): string[] {
  return assumed.slice(0, NAMED).map(lookUp => {
    const reason = reasonOf(lookUp, view);
    const what = lookUp.of === 'object' ? 'absence of' : 'dependents of';
    return `not confirmed by a look-up: ${what} ${objectTitle(lookUp)}${reason === undefined ? '' : ` (${reason})`}`;
  });
}

/** Returns why the look-up of an absence failed; undefined if it hasn't been answered. */
function reasonOf(lookUp: LookUp, view: ClusterView): string | undefined {
  const absence =
    lookUp.of === 'object' ? view.absences.of(lookUp) : view.absences.ofDependents(idOf(lookUp));
  return absence.state === 'assumed' && absence.reason !== undefined ? prose(absence.reason) : undefined;
}

/** A look-up of dependents always has a uid. */
function idOf({ apiVersion, kind, namespace, name, uid }: LookUp): Identity {
  return { apiVersion, kind, namespace, name, uid: uid as Uid };
}

function withoutChanges(
  remedies: readonly OfferedRemedy[],
  assumed: readonly LookUp[],
  view: ClusterView,
): readonly OfferedRemedy[] {
  const [first] = assumed;
  const kept = remedies.filter(each => !isApplicable(each));
  if (first === undefined || kept.length === remedies.length) return kept;
  const reason = reasonOf(first, view);
  const what = first.of === 'object' ? names([first]) : `what else refers to ${names([first])}`;
  const title =
    reason === undefined
      ? `wait until it is confirmed that ${first.of === 'object' ? `${what} doesn't exist` : `nothing else refers to ${names([first])}`}: only then is offered what changes something`
      : `find out about ${what}, which cannot be looked up from here (${reason}): only then is offered what changes something`;
  return [advice('confirm-absence', title), ...kept];
}

function names(lookUps: readonly LookUp[]): string {
  return enumerated([...new Set(lookUps.map(objectTitle))], NAMED);
}

function why(lookUps: readonly LookUp[], view: ClusterView): string {
  for (const lookUp of lookUps) {
    const reason = reasonOf(lookUp, view);
    if (reason !== undefined) return `a look-up failed (${reason})`;
  }
  return 'no look-up has confirmed it yet';
}
