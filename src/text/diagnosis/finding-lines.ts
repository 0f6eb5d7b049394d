/** Sanitised cells for a finding, and the sentence below a list of them. */

import type { Finding, FindingCode, OfferedRemedy, Severity } from '../../diagnosis/index.ts';
import {
  type BlindSpot,
  counted,
  formatCount,
  type PolledKind,
  showHidden,
  shownName,
} from '../../model/index.ts';
import { connectionWords } from '../connection/connection.ts';
import { timeText } from '../terminal/age.ts';
import type { Style } from '../terminal/style.ts';
import { displayWidth, truncate, truncated } from '../terminal/width.ts';

const severityStyle: Readonly<Record<Severity, Style>> = {
  error: 'danger',
  warning: 'warning',
  info: 'muted',
};

export const riskStyle: Readonly<Record<OfferedRemedy['risk'], Style>> = {
  safe: 'good',
  caution: 'warning',
  dangerous: 'danger',
};

function objectCell({ object }: Pick<Finding, 'object'>): string {
  return `${shownName(object.namespace) || '-'}/${shownName(object.name)}`;
}

/** Marks a reason that unseen objects could change. */
function reasonOf({ brief, certainty }: Pick<Finding, 'brief' | 'certainty'>): string {
  return showHidden(certainty === 'assumed' ? `${brief} (assumed)` : brief);
}

/** Fits the reason to a width. What decides is cut last: `example.com/drain holds web-2`, `held by exam…ple.com/drain`. */
function fittedReason(finding: Finding, width: number, ellipsis: string): string {
  const whole = reasonOf(finding);
  if (displayWidth(whole) <= width) return whole;
  const { finalizer, object } = finding.chain.at(-1) ?? {};
  const cause = causeOf(finding);
  if (finalizer === undefined || !waiting.has(finding.code)) {
    const texts = [whole, withoutRemark(finding), cause];
    const fitting = texts.find(each => displayWidth(each) <= width);
    if (fitting !== undefined) return fitting;
    return finding.brief === `held by ${finalizer}`
      ? truncated.middle(whole, width, ellipsis)
      : truncate(cause, width, ellipsis);
  }
  const room = width - displayWidth(cause) - ' holds '.length;
  return room < LEAST_NAME
    ? truncated.middle(cause, width, ellipsis)
    : `${cause} holds ${truncated.middle(shownName(object?.name ?? ''), room, ellipsis)}`;
}

/** Returns the part of a reason that a narrow column keeps longest. */
function causeOf(finding: Finding): string {
  const { finalizer } = finding.chain.at(-1) ?? {};
  if (finalizer !== undefined && waiting.has(finding.code))
    return reasonOf({ ...finding, brief: shownName(finalizer) });
  const text = withoutRemark(finding);
  return fateFirst.has(finding.code) ? text.slice(text.indexOf(': ') + 1).trimStart() : text;
}

/** Drops the remark behind a semicolon. */
function withoutRemark({ brief, certainty }: Finding): string {
  const [first = brief] = brief.split('; ');
  return reasonOf({ brief: first, certainty });
}

/** Findings on objects that the finalizer at the end of their chain decides about. */
const waiting: ReadonlySet<FindingCode> = new Set([
  'DeletingOwnerStillSolid',
  'ForegroundBlockedByFinalizer',
  'NamespaceContentStuck',
]);

/** Findings whose reason is a fate, a colon and the cause: `undecided: owner was recreated`. */
const fateFirst: ReadonlySet<FindingCode> = new Set([
  'AdmissionWebhookUnreachable',
  'CollectionOverdue',
  'ForegroundBlockedByUnresolvableOwner',
  'NamespaceDiscoveryFailure',
  'NamespacedOwnerOfClusterScoped',
  'OwnerApiUnavailable',
  'OwnerInOtherNamespace',
  'OwnerKindUnresolvable',
  'OwnerRecreated',
  'OwnerReferenceMismatch',
]);

/** A name in fewer columns can't be recognised. */
const LEAST_NAME = 6;

function sinceOf({ since }: Pick<Finding, 'since'>, now: number): string {
  return since === undefined ? '' : timeText.duration(Math.max(0, now - since));
}

export interface ListFacts {
  readonly counts: Readonly<Record<Severity, number>>;
  readonly objects: number;
  readonly blindSpots: readonly BlindSpot[];
  readonly polled: readonly PolledKind[];
}

/** Returns `4 findings in 12,431 objects; 1 kind could not be seen: widgets.example.com (403).` */
function listSentence({ counts, objects, blindSpots, polled }: ListFacts): string {
  const { error, warning, info } = counts;
  const total = error + warning + info;
  const parts = [
    ...(error > 0 ? [counted(error, 'error')] : []),
    ...(warning > 0 ? [counted(warning, 'warning')] : []),
    ...(info > 0 ? [`${formatCount(info)} worth knowing`] : []),
  ];
  const kinds = parts.length > 1 ? ` (${parts.join(', ')})` : '';
  const found = total === 0 ? 'No findings' : `${counted(total, 'finding')}${kinds}`;
  const reservations = [connectionWords.unseen(blindSpots), connectionWords.polled(polled)].filter(
    words => words !== '',
  );
  return `${[`${found} in ${counted(objects, 'object')}`, ...reservations].join('; ')}.`;
}

export const findingWords = {
  cause: causeOf,
  fittedReason,
  reason: reasonOf,
  severityStyle,
  since: sinceOf,
  list: listSentence,
  object: objectCell,
};
