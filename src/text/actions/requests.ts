/** The requests of an action as they are shown before they are sent. Bodies that hold whole objects are only named. */
import type { ActRequest } from '../../model/exchange/act.ts';
import { type JsonRecord, record, text } from '../../model/json/json.ts';
import { shownJson, shownName } from '../../model/text/shown.ts';
import { type TextLine, textLine } from '../terminal/text-line.ts';

const SHOWN = 10;

export function* requestLines(requests: readonly ActRequest[], all: boolean): Generator<TextLine> {
  yield textLine(requests.length === 1 ? 'Request' : 'Requests', 'title');
  const shown = all ? requests : requests.slice(0, SHOWN);
  for (const { method, path, body } of shown) {
    yield textLine(`  ${method} ${path}`, 'plain', 6);
    const detail = detailOf(method, body);
    if (detail !== '') yield textLine(`    ${detail}`, 'muted', 6);
  }
  const more = requests.length - shown.length;
  if (more > 0) yield textLine(`  and ${more.toLocaleString('en-US')} more (-o wide shows them)`, 'muted');
}

function detailOf(method: ActRequest['method'], body: unknown): string {
  switch (method) {
    case 'DELETE':
      return deleteOptions(record(body));
    case 'POST': {
      const { kind, metadata } = record(body);
      return `${shownName(text(kind))} ${shownName(text(record(metadata)['name']))}, as the backup has it`;
    }
    case 'PATCH':
    case 'PUT':
      return shownJson(body);
  }
}

function deleteOptions({ propagationPolicy, gracePeriodSeconds, preconditions }: JsonRecord): string {
  const { uid, resourceVersion } = record(preconditions);
  const bound = [
    typeof uid === 'string' ? `uid ${uid}` : '',
    typeof resourceVersion === 'string' ? `resourceVersion ${resourceVersion}` : '',
  ].filter(each => each !== '');
  return [
    propagationPolicy === undefined ? '' : `propagationPolicy ${text(propagationPolicy)}`,
    typeof gracePeriodSeconds === 'number' ? `gracePeriodSeconds ${gracePeriodSeconds}` : '',
    bound.length === 0 ? '' : `only while it has ${bound.join(' and ')}`,
  ]
    .filter(each => each !== '')
    .join(', ');
}
