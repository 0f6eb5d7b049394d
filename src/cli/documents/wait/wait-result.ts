/** The WaitResult document (docs/documents.md), and the basis of all reports of `wait`. */
import type { Identity } from '../../../graph/index.ts';
import type { Uid } from '../../../model/index.ts';
import type { WhyAnswer } from '../../../text/index.ts';
import { API_VERSION, objectRef } from '../basis.ts';
import type {
  Basis,
  WaitItem as WaitItemDocument,
  WaitResult as WaitResultDocument,
} from '../definitions.ts';
import { diagnosisItem } from '../findings/diagnosis-document.ts';
import type { FindingLookups } from '../findings/finding-list.ts';

/**
 * Result for one object whose deletion was expected.
 * - `Deleted`: it was deleted; `Recreated`: and another object has its name.
 * - `Absent`: it didn't exist at the start; its uid is `''`.
 * - `Remaining`: it still exists.
 * - `Unknown`: nothing shows if it exists.
 */
export type WaitItem =
  | { readonly object: Identity; readonly outcome: 'Absent' }
  | { readonly object: Identity; readonly outcome: 'Deleted'; readonly milliseconds: number }
  | {
      readonly object: Identity;
      readonly outcome: 'Recreated';
      readonly milliseconds: number;
      readonly uid: Uid;
    }
  | { readonly object: Identity; readonly outcome: 'Remaining'; readonly answer: WhyAnswer }
  | { readonly object: Identity; readonly outcome: 'Unknown'; readonly because: string };

export interface WaitResult {
  readonly items: readonly WaitItem[];
  readonly timeoutMilliseconds: number;
}

/** Ranks an unknown object as worse than a remaining one. */
export function outcomeOf({ items }: WaitResult): WaitResultDocument['outcome'] {
  if (items.some(({ outcome }) => outcome === 'Unknown')) return 'Unknown';
  return items.some(({ outcome }) => outcome === 'Remaining') ? 'TimedOut' : 'Reached';
}

export function waitResultDocument(
  basis: Basis,
  result: WaitResult,
  lookups: FindingLookups,
): WaitResultDocument {
  return {
    apiVersion: API_VERSION,
    kind: 'WaitResult',
    basis,
    condition: 'delete',
    outcome: outcomeOf(result),
    timeoutSeconds: seconds(result.timeoutMilliseconds),
    items: result.items.map(each => itemDocument(each, lookups)),
  };
}

function itemDocument(item: WaitItem, lookups: FindingLookups): WaitItemDocument {
  const { outcome } = item;
  const head = { object: objectRef(item.object), outcome };
  switch (item.outcome) {
    case 'Absent':
      return head;
    case 'Deleted':
      return { ...head, seconds: seconds(item.milliseconds) };
    case 'Recreated':
      return {
        ...head,
        seconds: seconds(item.milliseconds),
        recreated: objectRef({ ...item.object, uid: item.uid }),
      };
    case 'Remaining':
      return { ...head, because: item.answer.summary, diagnosis: diagnosisItem(item.answer, lookups) };
    case 'Unknown':
      return { ...head, because: item.because };
  }
}

function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}
