/** Sanitised cells for a finding, and the sentence below a list of them. */

import type { Severity } from '../../diagnosis/engine/codes.ts';
import type { Finding, OfferedRemedy, SeverityCounts } from '../../diagnosis/engine/finding.ts';
import type { BlindSpot, PolledKind } from '../../model/exchange/changes.ts';
import { showHidden, shownName } from '../../model/text/shown.ts';
import { counted, formatCount } from '../../model/text/titles.ts';
import { polledWords, unseenWords } from '../connection/connection.ts';
import { formatDuration } from '../terminal/age.ts';
import type { Style } from '../terminal/style.ts';

export const severityStyle: Readonly<Record<Severity, Style>> = {
  error: 'danger',
  warning: 'warning',
  info: 'muted',
};

export const riskStyle: Readonly<Record<OfferedRemedy['risk'], Style>> = {
  safe: 'good',
  caution: 'warning',
  dangerous: 'danger',
};

export function objectCell({ object }: Pick<Finding, 'object'>): string {
  return `${shownName(object.namespace) || '-'}/${shownName(object.name)}`;
}

/** Marks a reason that unseen objects could change. */
export function reasonOf({ brief, certainty }: Pick<Finding, 'brief' | 'certainty'>): string {
  return showHidden(certainty === 'assumed' ? `${brief} (assumed)` : brief);
}

export function sinceOf({ since }: Pick<Finding, 'since'>, now: number): string {
  return since === undefined ? '' : formatDuration(Math.max(0, now - since));
}

export interface ListFacts {
  readonly counts: SeverityCounts;
  readonly objects: number;
  readonly blindSpots: readonly BlindSpot[];
  readonly polled: readonly PolledKind[];
}

/** Returns `4 findings in 12,431 objects; 1 kind could not be seen: widgets.example.com (403).` */
export function listSentence({ counts, objects, blindSpots, polled }: ListFacts): string {
  const { error, warning, info } = counts;
  const total = error + warning + info;
  const parts = [
    ...(error > 0 ? [counted(error, 'error')] : []),
    ...(warning > 0 ? [counted(warning, 'warning')] : []),
    ...(info > 0 ? [`${formatCount(info)} worth knowing`] : []),
  ];
  const kinds = parts.length > 1 ? ` (${parts.join(', ')})` : '';
  const found = total === 0 ? 'No findings' : `${counted(total, 'finding')}${kinds}`;
  const reservations = [unseenWords(blindSpots), polledWords(polled)].filter(words => words !== '');
  return `${[`${found} in ${counted(objects, 'object')}`, ...reservations].join('; ')}.`;
}
