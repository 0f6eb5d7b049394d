/** Findings: the diagnosis of one object in the product's own types, from which documents are made. */
import type { Certainty } from '../../collector/index.ts';
import { type ApplicableRemedy, type Remedy, type Risk, requestWords } from '../../forecast/index.ts';
import { type ClusterView, compareBytes, type Identity, identityOfObject } from '../../graph/index.ts';
import { KubeObject, type OwnerReference, objectIds, objectTitle } from '../../model/index.ts';
import { compareSeverity, type FindingCode, findingCodes, type Severity } from './codes.ts';

/** One step from an object down to what decides: `StatefulSet web`, blocked by `Pod web-2`, held by a finalizer. */
export interface ChainLink {
  readonly object: Identity;
  /** The relation to the previous link: `blocked by`, `held by`, `owned by`, `mounted by`; `''` for the first. */
  readonly by: string;
  /** Set if the link is a finalizer; `object` is then the object that carries it. */
  readonly finalizer?: string;
  /** State or reason in words, without an age. */
  readonly because: string;
  /** The part of `because` that is true of every object with this finalizer. */
  readonly cause?: string;
  /** Start of the state; shown as an age. */
  readonly since?: number | undefined;
}

export function chainLink(
  object: KubeObject | Identity,
  by: string,
  because: string,
  since?: number,
): ChainLink {
  return { object: identityIn(object), by, because, since };
}

function identityIn(object: KubeObject | Identity): Identity {
  return object instanceof KubeObject ? identityOfObject(object) : object;
}

export type OfferedRemedy = ApplicableRemedy | Advice;

/** A step the user has to take elsewhere; it can't be applied. Its commands show what it is about, or take it. */
export interface Advice extends Remedy {
  readonly requests: readonly [];
}

export function isApplicable(remedy: OfferedRemedy): remedy is ApplicableRemedy {
  return 'apply' in remedy;
}

export interface Fact {
  readonly object: Identity;
  /** The path in the object's JSON: `metadata.finalizers[0]`, `metadata.labels['app']`. */
  readonly path: string;
  readonly value: string | number | boolean | Readonly<Record<string, string | boolean>>;
}

export interface EvidenceLine {
  readonly text: string;
  readonly facts: readonly Fact[];
}

/** A bare string isn't about single fields: something is missing, or several things combine. */
export type Evidence = string | EvidenceLine;

/** An entry that may be missing from a list: `condition && entry`. */
export type Optional<T> = T | undefined | false;

function present<T>(entries: readonly Optional<T>[]): T[] {
  return entries.flatMap(each => (each === undefined || each === false ? [] : [each]));
}

/** The result of a rule. Texts may hold verbatim names from the cluster, which must be sanitised before printing. */
export interface FindingDraft {
  readonly code: FindingCode;
  /** Defaults to the code's usual severity. */
  readonly severity?: Severity;
  /** Distinguishes findings with the same code on one object; contains no uids. */
  readonly about?: string;
  /** A clause shared by similar findings with this code; lists fold findings with an equal clause into one line. */
  readonly alike?: string;
  /** Start of the state. */
  readonly since?: number | undefined;
  /** One whole sentence without ages: `StatefulSet shop/web is stuck: its foreground deletion waits for Pod web-2` */
  readonly message: string;
  /** The message shortened for a column: `waits for web-2: example.com/drain`. */
  readonly brief: string;
  readonly evidence: readonly Optional<Evidence>[];
  /** Related objects, the deciding one first; none by default. */
  readonly related?: readonly Optional<KubeObject | Identity>[];
  /** `assumed` if something that cannot be seen could change the finding; `exact` by default. */
  readonly certainty?: Certainty;
  readonly chain: readonly ChainLink[];
  /** Finalizers on the object whose hold it explains, so that no later rule reports them. */
  readonly explains?: readonly string[] | 'every finalizer';
  /** Remedies, safest first. Built on demand: a list of hundreds of findings needs none. */
  readonly remedies?: () => readonly Optional<OfferedRemedy>[];
}

/** A draft with everything that a rule may leave out. */
export interface WholeDraft extends FindingDraft {
  readonly evidence: readonly Evidence[];
  readonly related: readonly Identity[];
  readonly certainty: Certainty;
  readonly remedies: () => readonly OfferedRemedy[];
}

export function completeDraft(draft: FindingDraft): WholeDraft {
  const { evidence, related = [], certainty = 'exact', remedies = () => [] } = draft;
  return {
    ...draft,
    evidence: present(evidence),
    related: present(related).map(identityIn),
    certainty,
    remedies: () => present(remedies()),
  };
}

export interface Finding extends WholeDraft {
  readonly id: string;
  readonly object: Identity;
  readonly severity: Severity;
  readonly evidence: readonly string[];
  readonly facts: readonly Fact[];
}

export function evidenceText(evidence: Evidence): string {
  return typeof evidence === 'string' ? evidence : evidence.text;
}

/** Collects the fields in lines of evidence, each once. */
export function factsIn(evidence: readonly Evidence[]): Fact[] {
  const facts = new Map<string, Fact>();
  for (const line of evidence)
    if (typeof line !== 'string')
      for (const fact of line.facts) facts.set(`${fact.object.uid} ${fact.path}`, fact);
  return [...facts.values()];
}

/** Returns ids such as `OwnerRecreated/ConfigMap/shop/settings#Deployment.apps/api`; equal ids get a counter. */
export function findingIds(object: Identity, drafts: readonly FindingDraft[]): string[] {
  const times = new Map<string, number>();
  return drafts.map(({ code, about }) => {
    const id = `${code}/${objectIds.of(object)}${about === undefined ? '' : `#${about}`}`;
    const nth = (times.get(id) ?? 0) + 1;
    times.set(id, nth);
    return nth === 1 ? id : `${id}#${nth}`;
  });
}

export function aboutOwner(reference: OwnerReference): string {
  return objectIds.of({ ...reference, namespace: '' });
}

type SeverityCounts = Readonly<Record<Severity, number>>;

export function countSeverities(findings: Iterable<Pick<Finding, 'severity'>>): SeverityCounts {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

export function reaches(severity: Severity, threshold: Severity | 'never'): boolean {
  return threshold !== 'never' && compareSeverity(severity, threshold) <= 0;
}

/** Sorts the worst first, then in the order of docs/kubernetes.md §10. */
export function compareFindings(a: Finding, b: Finding): number {
  return compareSeverity(a.severity, b.severity) || rankOf(a.code) - rankOf(b.code);
}

export function compareForReport(a: Finding, b: Finding): number {
  return (
    compareFindings(a, b) ||
    compareBytes(a.object.namespace, b.object.namespace) ||
    compareBytes(a.object.kind, b.object.kind) ||
    compareBytes(a.object.name, b.object.name)
  );
}

/** Builds advice from one whole sentence: `bring drain-operator back; the rest then completes`. */
export function advice(id: string, title: string, risk: Risk = 'safe'): Advice {
  return { id, title, risk, effect: '', requests: [], kubectl: [] };
}

export function adviceToLook(id: string, title: string, words: readonly (string | undefined)[]): Advice {
  return { ...advice(id, title), kubectl: [{ words: ['kubectl', ...words] }] };
}

export function adviceToLookFurther(
  { catalog }: ClusterView,
  object: KubeObject,
  title = objectTitle(object),
): Advice {
  const words = ['gc-tree', 'why', ...requestWords.onObject(catalog, object)];
  return adviceToLook('look-further', `see why ${title} is still there`, words);
}

const risks: readonly Risk[] = ['safe', 'caution', 'dangerous'];

export function bySafety<R extends { readonly risk: Risk }>(remedies: readonly R[]): R[] {
  return remedies.toSorted(compareRisk);
}

/** Returns the highest risk of several combined steps; `dangerous` if there are none. */
export function worstRisk(of: readonly Risk[]): Risk {
  return risks.toReversed().find(each => of.includes(each)) ?? 'dangerous';
}

export function compareRisk(a: { readonly risk: Risk }, b: { readonly risk: Risk }): number {
  return risks.indexOf(a.risk) - risks.indexOf(b.risk);
}

/** Ranks the consequence of a hold behind the hold itself. */
function rankOf(code: FindingCode): number {
  return code === 'DeletingOwnerStillSolid' ? findingCodes.length : findingCodes.indexOf(code);
}
