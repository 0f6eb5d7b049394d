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
  const { finalizer, object } = finding.chain.at(-1) ?? {};
  if (displayWidth(whole) <= width || finalizer === undefined) return truncate(whole, width, ellipsis);
  if (finding.brief === `held by ${finalizer}`) return truncated.middle(whole, width, ellipsis);
  if (!waiting.has(finding.code)) return truncate(whole, width, ellipsis);
  const decides = `${shownName(finalizer)}${finding.certainty === 'assumed' ? ' (assumed)' : ''}`;
  const room = width - displayWidth(decides) - ' holds '.length;
  return room < LEAST_NAME
    ? truncated.middle(decides, width, ellipsis)
    : `${decides} holds ${truncated.middle(shownName(object?.name ?? ''), room, ellipsis)}`;
}

/** Findings on objects that wait for what the finalizer at the end of their chain holds. */
const waiting: ReadonlySet<FindingCode> = new Set(['ForegroundBlockedByFinalizer', 'NamespaceContentStuck']);

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

/** Words about findings. */
export const findingWords = {
  fittedReason,
  reason: reasonOf,
  severityStyle,
  since: sinceOf,
  list: listSentence,
  object: objectCell,
};
