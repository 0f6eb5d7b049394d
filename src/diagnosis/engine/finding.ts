/** What a diagnosis says about one object, in the product's own types; documents are made from it. */
import type { Certainty } from '../../collector/verdict.ts';
import type { ApplicableRemedy, Remedy, Risk } from '../../forecast/action.ts';
import { compareBytes, type Identity } from '../../graph/node.ts';
import type { OwnerReference } from '../../model/object.ts';
import { objectId } from '../../model/object-id.ts';
import { compareSeverity, type FindingCode, findingCodes, type Severity } from './codes.ts';

/** One step from an object down to what decides: `StatefulSet web`, blocked by `Pod web-2`, held by a finalizer. */
export interface ChainLink {
  /** A finalizer's link stands at the object that carries it. */
  readonly object: Identity;
  /** How the link before leads here: `blocked by`, `held by`, `owned by`, `mounted by`; `''` for the first. */
  readonly by: string;
  /** Set where the link is a finalizer and not the object itself. */
  readonly finalizer?: string;
  /** State or reason in words, without an age. */
  readonly because: string;
  /** Milliseconds since the epoch: the state's beginning, told as an age. */
  readonly since?: number | undefined;
}

export function chainLink(object: Identity, by: string, because: string, since?: number): ChainLink {
  return { object, by, because, since };
}

/** Something that can be done. Without `requests` it is advice. */
export type OfferedRemedy = ApplicableRemedy | Advice;

/** What somebody has to do elsewhere; it cannot be applied. Its commands, where it has any, only show something. */
export interface Advice extends Remedy {
  readonly requests: readonly [];
}

export function isApplicable(remedy: OfferedRemedy): remedy is ApplicableRemedy {
  return 'apply' in remedy;
}

/** A field that a finding goes by, as data. */
export interface Fact {
  readonly object: Identity;
  /** As in the object's JSON: `metadata.finalizers[0]`, `metadata.labels['app']`. */
  readonly path: string;
  /** As it stands there, verbatim. */
  readonly value: string | number | boolean | Readonly<Record<string, string | boolean>>;
}

/** Evidence in words, with the fields that it tells of. */
export interface EvidenceLine {
  readonly text: string;
  readonly facts: readonly Fact[];
}

/** A bare text tells of something else than fields: of what isn't there, or of several things together. */
export type Evidence = string | EvidenceLine;

/** What a rule finds. Texts may hold names from the cluster, verbatim; whoever prints them sanitises them. */
export interface FindingDraft {
  readonly code: FindingCode;
  /** Left out, the usual one of the code. */
  readonly severity?: Severity;
  /** What tells it from other findings of its code on the same object, where there may be several; without uids. */
  readonly about?: string;
  /** What it has in common with others of its code, as a clause: where a list folds, those that say the same are one line. */
  readonly alike?: string;
  /** Milliseconds since the epoch: since when it has been so. */
  readonly since?: number | undefined;
  /** One whole sentence without ages: `StatefulSet shop/web is stuck: its foreground deletion waits for Pod web-2 …` */
  readonly message: string;
  /** The same for a column: `waits for web-2: example.com/drain`. */
  readonly brief: string;
  /** The very fields and values: `metadata.finalizers: [example.com/drain]`. */
  readonly evidence: readonly Evidence[];
  /** Objects that have to do with it, the deciding one first; left out, none. */
  readonly related?: readonly Identity[];
  /** `assumed` where something that cannot be seen could change it; left out, `exact`. */
  readonly certainty?: Certainty;
  /** From the object to the leaf that decides. */
  readonly chain: readonly ChainLink[];
  /** What can be done, in order of safety. Made when asked for: a list of hundreds of findings needs none. */
  readonly remedies?: () => readonly OfferedRemedy[];
}

/** A draft with nothing left out but the severity. */
export type WholeDraft = FindingDraft & Required<Pick<FindingDraft, 'related' | 'certainty' | 'remedies'>>;

export interface Finding extends WholeDraft {
  /** See `findingIds`. */
  readonly id: string;
  readonly object: Identity;
  readonly severity: Severity;
  /** In words. */
  readonly evidence: readonly string[];
  /** The fields in it, each once. */
  readonly facts: readonly Fact[];
}

export function evidenceText(evidence: Evidence): string {
  return typeof evidence === 'string' ? evidence : evidence.text;
}

/** The fields in lines of evidence, each once. */
export function factsIn(evidence: readonly Evidence[]): Fact[] {
  const facts = new Map<string, Fact>();
  for (const line of evidence)
    if (typeof line !== 'string')
      for (const fact of line.facts) facts.set(`${fact.object.uid} ${fact.path}`, fact);
  return [...facts.values()];
}

/**
 * The ids of an object's findings, in their order: `OwnerRecreated/ConfigMap/shop/settings#Deployment.apps/api`. What is
 * the same in all of this, as owner references that differ in their uid alone, is counted.
 */
export function findingIds(object: Identity, drafts: readonly FindingDraft[]): string[] {
  const times = new Map<string, number>();
  return drafts.map(({ code, about }) => {
    const id = `${code}/${objectId(object)}${about === undefined ? '' : `#${about}`}`;
    const nth = (times.get(id) ?? 0) + 1;
    times.set(id, nth);
    return nth === 1 ? id : `${id}#${nth}`;
  });
}

/** For `about` of a finding on one of several owner references. */
export function aboutOwner(reference: OwnerReference): string {
  return objectId({ ...reference, namespace: '' });
}

export type SeverityCounts = Readonly<Record<Severity, number>>;

export function countSeverities(findings: Iterable<Pick<Finding, 'severity'>>): SeverityCounts {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** Whether a severity is at or above a threshold; at or above `never` is none. */
export function reaches(severity: Severity, threshold: Severity | 'never'): boolean {
  return threshold !== 'never' && compareSeverity(severity, threshold) <= 0;
}

/** Worst first; among equals in the order of docs/kubernetes.md §10. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    compareSeverity(a.severity, b.severity) || findingCodes.indexOf(a.code) - findingCodes.indexOf(b.code)
  );
}

/** The same over several objects: then by namespace, kind and name. */
export function compareForReport(a: Finding, b: Finding): number {
  return (
    compareFindings(a, b) ||
    compareBytes(a.object.namespace, b.object.namespace) ||
    compareBytes(a.object.kind, b.object.kind) ||
    compareBytes(a.object.name, b.object.name)
  );
}

/** `title` is the whole of it: `bring drain-operator back: it finishes, and everything follows`. */
export function advice(id: string, title: string, risk: Risk = 'safe'): Advice {
  return { id, title, risk, effect: '', requests: [], kubectl: [] };
}

/** The same with a command that shows what it is about: `kubectl get widgets.example.com -n shop`. */
export function adviceToLook(id: string, title: string, words: readonly (string | undefined)[]): Advice {
  return { ...advice(id, title), kubectl: [{ words: ['kubectl', ...words] }] };
}

const risks: readonly Risk[] = ['safe', 'caution', 'dangerous'];

/** Safest first, otherwise in the order they come in. */
export function bySafety<R extends { readonly risk: Risk }>(remedies: readonly R[]): R[] {
  return remedies.toSorted(compareRisk);
}

/** Of several things that are done together; `dangerous` where nothing is known of them. */
export function worstRisk(of: readonly Risk[]): Risk {
  return risks.toReversed().find(each => of.includes(each)) ?? 'dangerous';
}

/** Negative where the first is safer. */
export function compareRisk(a: { readonly risk: Risk }, b: { readonly risk: Risk }): number {
  return risks.indexOf(a.risk) - risks.indexOf(b.risk);
}
