/**
 * Known causes and findings (docs/pipelines.md), each omitted until it expires. Ids have no uid, so recreated objects
 * match.
 */
import {
  Cause,
  type ChainLink,
  causesOf,
  compareSeverity,
  type Finding,
  type FindingCode,
  findingCodes,
} from '../../../diagnosis/index.ts';
import { documentText } from '../../../text/index.ts';
import { API_VERSION } from '../basis.ts';
import type { BaselineEntry } from '../definitions.ts';

export interface Baseline {
  readonly file: string;
  readonly entries: readonly BaselineEntry[];
}

export interface KnownFinding {
  readonly finding: Finding;
  readonly entry: BaselineEntry;
}

export interface Baselined {
  readonly file: string;
  /** Findings that count, in order: unknown or no longer covered. */
  readonly counting: readonly Finding[];
  readonly known: readonly KnownFinding[];
  /** Findings that count again because their entry has expired. */
  readonly expired: readonly KnownFinding[];
  /** Findings that count because they became more severe. */
  readonly worse: readonly KnownFinding[];
  /** Entries within the scope without a finding. */
  readonly unmatched: readonly BaselineEntry[];
}

export interface BaselineScope {
  readonly namespace: string | undefined;
  /** False if only a part was checked, so that entries without a finding prove nothing. */
  readonly everything: boolean;
  includes(code: FindingCode): boolean;
}

export function applyBaseline(
  { file, entries }: Baseline,
  findings: readonly Finding[],
  scope: BaselineScope,
  now: number,
): Baselined {
  const matchers = Map.groupBy(entries.flatMap(matchersOf), ({ code }) => code);
  const matched = new Set<BaselineEntry>();
  const counting: Finding[] = [];
  const known: KnownFinding[] = [];
  const expired: KnownFinding[] = [];
  const worse: KnownFinding[] = [];
  for (const finding of findings) {
    const fitting = [
      ...(matchers.get(finding.code) ?? []).filter(each => each.fits(finding.id)),
      ...(matchers.get(CAUSE) ?? []).filter(each => each.fits(causeEntryId(finding) ?? '')),
    ];
    for (const { entry } of fitting) matched.add(entry);
    const valid = fitting.filter(({ entry }) => now < endOf(entry));
    const holding = valid.find(({ entry }) => !isWorse(finding, entry));
    if (holding !== undefined) {
      known.push({ finding, entry: holding.entry });
      continue;
    }
    counting.push(finding);
    const [exceeded] = valid;
    const [late] = fitting;
    if (exceeded !== undefined) worse.push({ finding, entry: exceeded.entry });
    else if (late !== undefined) expired.push({ finding, entry: late.entry });
  }
  const unmatched = entries.filter(entry => !matched.has(entry) && isLookedFor(entry, scope));
  return { file, counting, known, expired, worse, unmatched };
}

/** Takes the place of the code in the id of a cause: `Cause/finalizer/example.com/drain`. */
const CAUSE = 'Cause';

function causeEntryId(finding: Finding): string | undefined {
  const id = Cause.sharedIdOf(finding);
  return id === undefined ? undefined : `${CAUSE}/${id}`;
}

/** Returns the end of the last day. */
function endOf({ expires }: BaselineEntry): number {
  return Date.parse(`${expires}T00:00:00Z`) + DAY;
}

const DAY = 24 * 60 * 60 * 1000;

function isWorse({ severity }: Finding, entry: BaselineEntry): boolean {
  return entry.severity !== undefined && compareSeverity(severity, entry.severity) < 0;
}

interface Matcher {
  readonly entry: BaselineEntry;
  readonly code: string;
  fits(id: string): boolean;
}

function matchersOf(entry: BaselineEntry): Matcher[] {
  return [entry.id, ...(entry.also ?? [])].map(id => matcherOf(id, entry));
}

function matcherOf(id: string, entry: BaselineEntry): Matcher {
  const { code } = partsOf({ id });
  const parts = id.split('*').map(part => literally(part.replaceAll('%2A', '*')));
  // For a cause, an id without # doesn't match one with the code of a faulty reference after #.
  const anything = id.includes('#') || code === CAUSE ? '' : '(?:#.*)?';
  const pattern = new RegExp(`^${parts.join('[^/#]*')}${anything}$`, 'su');
  return { entry, code, fits: found => pattern.test(found) };
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&');
}

/** Escapes `*` as `%2A`, because no name in a cluster contains `%`. */
function exactly(id: string): string {
  return id.replaceAll('*', '%2A');
}

function partsOf({ id }: Pick<BaselineEntry, 'id'>): {
  readonly code: string;
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
} {
  const [object = ''] = id.split('#');
  const [code = '', type = '', ...place] = object.split('/');
  const name = place.at(-1) ?? '';
  return { code, type, namespace: place.length > 1 ? (place[0] ?? '') : '', name };
}

function isLookedFor(entry: BaselineEntry, scope: BaselineScope): boolean {
  const { everything, namespace } = scope;
  const { code, type, namespace: place, name } = partsOf(entry);
  // A cause may hold objects in any namespace, with findings of any code.
  if (code === CAUSE)
    return everything && namespace === undefined && findingCodes.every(each => scope.includes(each));
  // Unknown codes count too.
  if (!everything || !scope.includes(code as FindingCode)) return false;
  return namespace === undefined || place === namespace || (type === 'Namespace' && name === namespace);
}

/**
 * Maps a finding to the one that explains it, such as that of a stuck namespace to that of the held object in it. The
 * held object may have another cause.
 */
function explainedBy(findings: readonly Finding[]): Map<Finding, Finding> {
  const byHold = new Map<string, Finding>();
  for (const finding of findings) {
    const end = finding.chain.at(-1);
    if (end?.object.uid === finding.object.uid) byHold.set(holdKey(end), finding);
  }
  const causes = new Map<Finding, Finding>();
  for (const finding of findings) {
    const end = finding.chain.at(-1);
    const cause = end && byHold.get(holdKey(end));
    if (cause !== undefined && cause.object.uid !== finding.object.uid) causes.set(finding, cause);
  }
  return causes;
}

function holdKey({ object, finalizer }: ChainLink): string {
  return JSON.stringify([object.uid, finalizer]);
}

const header = `# Known findings: \`kubectl gc-tree check --baseline FILE\` leaves each out through the day on which it expires.
# Say in each reason why it may stay. See docs/pipelines.md.
`;

export interface NewBaseline {
  readonly findings: readonly Finding[];
  readonly kept: readonly BaselineEntry[];
  /** Writes one entry for each cause that holds, or can hold, several objects, instead of one for each finding. */
  readonly byCause: boolean;
  readonly now: number;
}

const FIRST_DAYS = 90;

/** Prints a new or extended baseline; each finding gets ninety days. */
export function* printBaseline({ findings: all, kept, byCause, now }: NewBaseline): Generator<string> {
  const reason = `known since ${dayOf(now)}`;
  const expires = dayOf(now + FIRST_DAYS * DAY);
  const named = byCause ? causesOf(all.filter(each => Cause.sharedIdOf(each) !== undefined)) : [];
  const findings = byCause ? all.filter(each => Cause.sharedIdOf(each) === undefined) : all;
  const causes = explainedBy(findings);
  const caused = Map.groupBy(causes.keys(), finding => causes.get(finding));
  const worst = new Map<string, BaselineEntry>();
  // Among causes with the same id, the worst one wins.
  for (const { id, severity } of named.toReversed())
    worst.set(id, { id: exactly(`${CAUSE}/${id}`), severity, reason, expires });
  const entries: BaselineEntry[] = [...kept, ...[...worst.values()].toReversed()];
  for (const finding of findings) {
    if (causes.has(finding)) continue;
    const others = caused.get(finding) ?? [];
    const [severity = finding.severity] = [finding, ...others]
      .map(each => each.severity)
      .sort(compareSeverity);
    const also = others.map(({ id }) => exactly(id));
    entries.push({ id: exactly(finding.id), ...(also.length > 0 && { also }), severity, reason, expires });
  }
  yield `${header}apiVersion: ${API_VERSION}\nkind: Baseline\nfindings:${entries.length === 0 ? ' []' : ''}\n`;
  for (const entry of entries) {
    const severity = entry.severity === undefined ? '' : `    severity: ${entry.severity}\n`;
    const also = (entry.also ?? []).map(id => `      - ${documentText.yamlScalar(id)}\n`).join('');
    yield `  - id: ${documentText.yamlScalar(entry.id)}\n${also === '' ? '' : `    also:\n${also}`}${severity}    reason: ${documentText.yamlScalar(entry.reason)}\n    expires: ${entry.expires}\n`;
  }
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
