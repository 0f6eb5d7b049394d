import { expect, test } from 'vitest';
import { SimilarWord, Vocabulary } from '../../../src/model/text/fuzzy.ts';

test.each([
  ['deploymnet', ['deployments', 'deployment', 'daemonset'], ['deployment', 'deployments']],
  ['unblok', ['undo', 'unblock', 'simulate'], ['unblock']],
  ['tre', ['why', 'tree'], ['tree']],
  // Fuse.js alone counts two wrong letters of four.
  ['pdos', ['nodes', 'pods', 'pdbs'], ['pods']],
  ['xyz', ['pods', 'services'], []],
  ['po', ['persistentvolumes', 'pod'], ['pod']],
])('%s may stand for one of %j: %j', (word, known, expected) => {
  const found = SimilarWord.closest(word, known);
  expect(found.slice(0, expected.length)).toEqual(expected);
  if (expected.length === 0) expect(found).toEqual([]);
});

const vocabulary = new Vocabulary();
for (const line of [
  'deployment deploy shop/api',
  'pod po shop/stock-import-7d9f8c5b6-x2x4z',
  'pod po kube-system/kube-apiserver-a',
  'configmap cm shop/restoked',
  'secret shop/xya',
])
  vocabulary.add(line);

function similar(word: string): readonly string[] {
  const steps = vocabulary.similar(word);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value.map(each => each.word);
  }
}

test.each([
  ['stokc', 'stock'],
  ['tsock', 'stock'],
  ['deploymnet', 'deployment'],
  ['imprt', 'import'],
  ['apiserverr', 'apiserver'],
  ['confgimap', 'configmap'],
  ['apsrvr', 'apiserver'],
  ['stckmprt', 'stock-import'],
])('%s is similar to %s', (word, expected) => {
  expect(similar(word)[0]).toBe(expected);
});

test.each(['xyz', 'zzqq', 'x2x4'])('%s is similar to nothing', word => {
  expect(similar(word)).toEqual([]);
});

test('items are similar to all words of a query, the most similar first', () => {
  const items = ['deployments.apps', 'daemonsets.apps', 'delete in the background'].map(label => ({ label }));
  const labels = (...terms: string[]) => SimilarWord.items(items, terms).map(({ label }) => label);
  expect(labels('deploymnets')).toEqual(['deployments.apps']);
  expect(labels('bakground', 'delte')).toEqual(['delete in the background']);
  expect(labels('zzzz')).toEqual([]);
});
