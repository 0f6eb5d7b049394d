/** Every document but the nested tree as JSON and YAML, list entry by list entry: there may be tens of thousands. */
import type { Forecast } from '../../forecast/plan/plan.ts';
import { scopedName } from '../../text/terminal/names.ts';
import type { JournalDocument } from '../actions/journal.ts';
import type { ActionResultDocument } from '../actions/result.ts';
import type { DiagnosisDocument } from '../findings/diagnosis.ts';
import type { FindingListDocument } from '../findings/finding-list.ts';
import type { PodGcCandidateListDocument } from '../podgc.ts';
import { stringify } from '../print/json.ts';
import { block } from '../print/yaml.ts';
import type { OwnershipGraphDocument } from '../tree/ownership-graph.ts';
import type { PlanDocument, RemedyListDocument } from './plan.ts';

type Document =
  | ActionResultDocument
  | PlanDocument
  | RemedyListDocument
  | FindingListDocument
  | DiagnosisDocument
  | PodGcCandidateListDocument
  | JournalDocument
  | OwnershipGraphDocument;

const INDENT = '  ';

export function* printDocumentJson(document: Document): Generator<string> {
  let open = '{';
  for (const [key, value] of Object.entries(document)) {
    yield `${open}\n${INDENT}"${key}": `;
    open = ',';
    if (!isList(value)) {
      yield stringify(value, INDENT);
      continue;
    }
    let separator = '[';
    for (const item of value) {
      yield `${separator}\n${INDENT + INDENT}${stringify(item, INDENT + INDENT)}`;
      separator = ',';
    }
    yield separator === '[' ? '[]' : `\n${INDENT}]`;
  }
  yield '\n}\n';
}

export function* printDocumentYaml(document: Document): Generator<string> {
  let lead = '';
  for (const [key, value] of Object.entries(document)) {
    yield `${lead}${key}:`;
    lead = '\n';
    if (!isList(value)) {
      yield block(value, INDENT);
      continue;
    }
    let isEmpty = true;
    for (const item of value) {
      yield block([item], '');
      isEmpty = false;
    }
    if (isEmpty) yield ' []';
  }
  yield '\n';
}

/** A list that is there, or one that is made as it is read. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** What is deleted, one `kind.group/name` a line. */
export function* printDeletedNames(
  forecast: Pick<Forecast, 'deleted'>,
  namespace: string | undefined,
): Generator<string> {
  yield* forecast.deleted.map(({ object }) => `${scopedName(object, namespace)}\n`);
}
