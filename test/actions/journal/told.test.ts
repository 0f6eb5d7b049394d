/** What the list of the journal says of an entry whose process ended before it knew how the action did. */
import { expect, it } from 'vitest';
import type { Entry, RequestState } from '../../../src/actions/journal/journal-entry.ts';
import type { Uid } from '../../../src/model/object.ts';
import { journalWords } from '../../../src/text/actions/journal.ts';

function told(...requests: readonly RequestState[]): string {
  const entry: Entry = {
    intended: {
      step: 'intended',
      id: '20261121T101500Z-aaaaaa',
      at: 1_000,
      verb: 'delete',
      title: 'it',
      object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'x', uid: 'x' as Uid },
      cluster: '',
      context: undefined,
      requests: requests.map(() => ({ method: 'DELETE', path: '/x', contentType: '', body: {} })),
      backup: [],
    },
    requests,
  };
  const judged = { entry, reversibility: { extent: 'nothing' } } as const;
  const [line] = journalWords.lines([judged], { wide: false, headers: false, now: 61_000 });
  // Behind its id and its age.
  return (line?.spans ?? [])
    .map(({ text }) => text)
    .join('')
    .slice(32, 45)
    .trim();
}

const notSent: RequestState = { state: 'notSent' };
const refused: RequestState = { state: 'answered', status: 403, message: 'no' };

it.each([
  ['not sent', [notSent, notSent]],
  ['unknown', [{ state: 'unknown' }, notSent]],
  ['unknown', [{ state: 'answered', status: 200 }, notSent]],
  ['unknown', [{ state: 'answered', status: 504 }]],
  ['refused', [refused, notSent]],
] as const)('is that it was %s', (outcome, requests) => {
  expect(told(...requests)).toBe(outcome);
});
