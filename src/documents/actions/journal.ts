/** The Journal document (docs/documents.md): actions of this tool, and if they can be undone. */
import type { EntryOutcome, RequestState } from '../../actions/journal/record.ts';
import type { ActRequest } from '../../model/exchange/act.ts';
import { record } from '../../model/json/json.ts';
import { withoutSecrets } from '../../model/secret.ts';
import type { JudgedEntry } from '../../text/actions/journal.ts';
import { formatTimestamp } from '../../text/terminal/age.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from '../basis.ts';

export interface JournalDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Journal';
  readonly basis: Basis;
  /** Latest first. */
  readonly items: readonly JournalItem[];
}

interface JournalItem {
  readonly id: string;
  /** RFC 3339, in seconds. */
  readonly at: string;
  readonly action: 'delete' | 'unblock' | 'undo';
  readonly title: string;
  readonly object: ObjectRef;
  readonly context?: string;
  readonly undoes?: string;
  /** Omitted if the process ended too early. */
  readonly outcome?: EntryOutcome;
  readonly reversible: boolean;
  /** Reason why it isn't reversible, or what cannot be restored. */
  readonly because?: string;
  readonly requests: readonly JournalRequest[];
}

export interface JournalRequest {
  readonly verb: ActRequest['method'];
  readonly path: string;
  readonly contentType: string;
  /** Without the data of Secrets. */
  readonly body: unknown;
  readonly state: RequestState['state'];
  readonly status?: number;
  readonly message?: string;
}

export function journalDocument(basis: Basis, entries: readonly JudgedEntry[]): JournalDocument {
  return { apiVersion: API_VERSION, kind: 'Journal', basis, items: entries.map(itemOf) };
}

function itemOf({ entry, reversibility }: JudgedEntry): JournalItem {
  const { intended, ended } = entry;
  const { context, undoes } = intended;
  return {
    id: intended.id,
    at: formatTimestamp(intended.at),
    action: intended.verb,
    title: intended.title,
    object: objectRef(intended.object),
    ...(context === undefined ? {} : { context }),
    ...(undoes === undefined ? {} : { undoes }),
    ...(ended === undefined ? {} : { outcome: ended.outcome }),
    reversible: reversibility.extent !== 'nothing',
    ...(reversibility.because === undefined ? {} : { because: reversibility.because }),
    requests: journalRequests(entry.intended.requests, entry.requests),
  };
}

/** Combines requests with `known` states by index; a missing state means that it wasn't sent. */
export function journalRequests(
  requests: readonly ActRequest[],
  known: readonly RequestState[],
): JournalRequest[] {
  return requests.map(({ method: verb, path, contentType, body }, index) => ({
    verb,
    path,
    contentType,
    body: Array.isArray(body) ? body : withoutSecrets(record(body), 'removed'),
    ...(known[index] ?? { state: 'notSent' }),
  }));
}
