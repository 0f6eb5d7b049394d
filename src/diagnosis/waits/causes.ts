/** Causes: what decides at the end of findings' chains. Many findings can share one. */
import type { Certainty } from '../../collector/index.ts';
import { compareBytes, type Identity } from '../../graph/index.ts';
import { objectIds, objectTitle, shownName } from '../../model/index.ts';
import { compareSeverity, type FindingCode, type Severity } from '../engine/codes.ts';
import type { Finding } from '../engine/finding.ts';

export interface Cause {
  /**
   * `finalizer/example.com/drain`, or the deciding object's id; for faults of references to an owner, and finalizers of
   * objects that aren't being deleted, with the code: `ConfigMap/shop/settings#OwnerRecreated`.
   */
  readonly id: string;
  /** A clause: `nothing in this cluster handles example.com`. Verbatim: to be sanitised before printing. */
  readonly because: string;
  /** The finalizer or the title of the deciding object, with which `because` begins. Verbatim. */
  readonly name: string;
  /** The deciding object; undefined if many carry the same finalizer. */
  readonly object: Identity | undefined;
  /** The worst of its findings. */
  readonly severity: Severity;
  readonly certainty: Certainty;
  /** Start of the oldest finding. */
  readonly since: number | undefined;
  /** The objects that it holds, each once. */
  readonly holds: readonly Identity[];
  readonly findings: readonly Finding[];
}

/** Groups findings by what decides; the worst cause first, then the one that holds the most. */
export function causesOf(findings: readonly Finding[]): readonly Cause[] {
  const groups = Map.groupBy(findings, keyOf);
  return [...groups.values()].flatMap(each => causeOf(each) ?? []).sort(compareCauses);
}

function compareCauses(a: Cause, b: Cause): number {
  return (
    compareSeverity(a.severity, b.severity) ||
    b.holds.length - a.holds.length ||
    Number(isLeftToHandler(a)) - Number(isLeftToHandler(b)) ||
    compareBytes(a.id, b.id)
  );
}

/** Checks for a cause that ends at a finalizer: nothing shows why its controller doesn't act. */
function isLeftToHandler({ findings: [first] }: Cause): boolean {
  return first?.chain.at(-1)?.finalizer !== undefined;
}

/** Causes that hold several objects, each one entry in lists and reports, and the findings without such a cause. */
export interface GroupedFindings {
  readonly causes: readonly Cause[];
  readonly others: readonly Finding[];
}

function grouped(findings: readonly Finding[], byCause = true): GroupedFindings {
  if (!byCause) return { causes: [], others: findings };
  const causes = causesOf(findings).filter(isShared);
  const caused = new Set(causes.flatMap(each => each.findings));
  return { causes, others: findings.filter(each => !caused.has(each)) };
}

type Shared = Pick<Cause, 'findings'>;

/** Checks for a cause that holds several objects, so that one entry can stand for them. */
function isShared({ findings: [first, ...others] }: Shared): boolean {
  return (
    others.some(({ object }) => object.uid !== first?.object.uid) &&
    [first, ...others].some(each => each?.severity !== 'info')
  );
}

/** Checks for references that name an owner wrongly, or one that is absent: such an owner holds nothing. */
function isFault({ findings: [first] }: Shared): boolean {
  return owned.has(first?.chain.at(-1)?.by ?? '');
}

/** Returns the id of a cause that can hold more than this finding's object; undefined if it can't. */
function sharedCauseId({ code, chain, object }: Finding): string | undefined {
  const end = chain.at(-1);
  if (end?.finalizer !== undefined)
    return `finalizer/${shownName(end.finalizer)}${holdsLater(code) ? `#${code}` : ''}`;
  if (end === undefined || end.object.uid === object.uid) return undefined;
  return `${objectIds.of(end.object)}${owned.has(end.by) ? `#${code}` : ''}`;
}

/** Returns the finding with the shortest chain to the cause: its remedies free all objects. */
function nearest({ findings }: Shared): Finding | undefined {
  return findings.toSorted((a, b) => a.chain.length - b.chain.length)[0];
}

export const Cause = {
  compare: compareCauses,
  grouped,
  isFault,
  isShared,
  keyOf: sharedKeyOf,
  nearest,
  of: causeOf,
  sharedIdOf: sharedCauseId,
};

/** Returns what two findings with the same cause have in common. */
function keyOf(finding: Finding): string {
  return sharedKeyOf(finding) ?? JSON.stringify([finding.code, finding.object.uid]);
}

/** Returns undefined if the finding's cause can't hold another object. */
function sharedKeyOf({ code, chain, object }: Finding): string | undefined {
  const end = chain.at(-1);
  if (end === undefined) return undefined;
  // A finalizer's handler decides for all objects that carry it.
  if (end.finalizer !== undefined)
    return JSON.stringify(['finalizer', end.finalizer, end.cause ?? end.because, holdsLater(code)]);
  const { apiVersion, kind, namespace, name, uid } = end.object;
  if (uid === object.uid) return undefined;
  // Faulty references to one owner differ by code; objects that wait for the same object always belong together.
  const fault = owned.has(end.by) ? code : '';
  return JSON.stringify(['object', fault, apiVersion, kind, namespace, name]);
}

/** Checks for a finalizer of an object that isn't being deleted, and so isn't held. */
function holdsLater(code: FindingCode): boolean {
  return code === 'FinalizerHandlerAbsent';
}

const owned: ReadonlySet<string> = new Set(['owned by', 'controlled by']);

/** Builds the cause that the findings share; undefined if there are none. */
function causeOf(findings: readonly Finding[]): Cause | undefined {
  const [first] = findings;
  if (first === undefined) return undefined;
  const end = first.chain.at(-1);
  const isFinalizer = end?.finalizer !== undefined;
  const holds = new Map(findings.map(({ object }) => [object.uid, object]));
  const since = findings.flatMap(each => each.since ?? []);
  const worst = findings.reduce((a, b) => (compareSeverity(b.severity, a.severity) < 0 ? b : a));
  const decides = end?.object ?? first.object;
  const ends = new Set(findings.map(({ chain }) => chain.at(-1)?.object.uid));
  return {
    id: sharedCauseId(first) ?? objectIds.of(decides),
    because: isFinalizer
      ? `${end.finalizer}: ${end.cause ?? end.because}`
      : decides.uid === first.object.uid
        ? first.brief
        : predicated(objectTitle(decides), end?.because ?? ''),
    name: isFinalizer ? end.finalizer : objectTitle(decides),
    object: ends.size === 1 ? decides : undefined,
    severity: worst.severity,
    certainty: findings.every(({ certainty }) => certainty === 'exact') ? 'exact' : 'assumed',
    since: since.length === 0 ? undefined : since.reduce((a, b) => Math.min(a, b)),
    holds: [...holds.values()],
    findings,
  };
}

/** `ConfigMap shop/nightly doesn't exist`, `Deployment shop/web: the reference calls it Deployment front-end`. */
function predicated(title: string, because: string): string {
  const clause = because.replace(/^there; /u, '');
  return clause.startsWith('it ') ? `${title} ${clause.slice('it '.length)}` : `${title}: ${clause}`;
}
