/** The Journal document (docs/documents.md): actions of this tool, and if they can be undone. */
import type { RequestState } from '../../../actions/index.ts';
import { type ActRequest, record, secretValues } from '../../../model/index.ts';
import { type JudgedEntry, timeText } from '../../../text/index.ts';
import { API_VERSION, definedFields, objectRef } from '../basis.ts';
import type { Basis, Journal, JournalItem, ResultRequest } from '../definitions.ts';

export function journalDocument(basis: Basis, entries: readonly JudgedEntry[]): Journal {
  return { apiVersion: API_VERSION, kind: 'Journal', basis, items: entries.map(itemOf) };
}

function itemOf({ entry, reversibility }: JudgedEntry): JournalItem {
  const { intended, ended } = entry;
  return definedFields({
    id: intended.id,
    at: timeText.timestamp(intended.at),
    action: intended.verb,
    title: intended.title,
    object: objectRef(intended.object),
    context: intended.context,
    undoes: intended.undoes,
    outcome: ended?.outcome,
    reversible: reversibility.extent !== 'nothing',
    because: reversibility.because,
    requests: journalRequests(intended.requests, entry.requests),
  });
}

/** Combines requests with `known` states by index; a missing state means that it wasn't sent. */
export function journalRequests(
  requests: readonly ActRequest[],
  known: readonly RequestState[],
): ResultRequest[] {
  return requests.map(({ method: verb, path, contentType, body }, index) => ({
    verb,
    path,
    contentType,
    body: Array.isArray(body) ? body : secretValues.hiddenBelow(record(body), 'removed'),
    ...(known[index] ?? { state: 'notSent' }),
  }));
}
