/** Names that are too long are cut in the middle, since they often differ at the end only. */
import { expect, test } from 'vitest';
import { hitLines } from '../../../src/app/dialogs/search-hits.ts';
import type { Uid } from '../../../src/model/object.ts';
import { type DriverOptions, ScreenDriver } from '../screen-driver.ts';

const team = 'ledger-reconciliation-and-settlement-worker-production-europe';
const names = ['7d9c4-2kf8x', '7d9c4-9qwzl'].map(end => `${team}-${end}`);
const helm =
  'labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}';
const yaml = `
- {kind: Namespace, apiVersion: v1, name: ${team}, namespace: ''}
${names.map(name => `- {kind: Service, apiVersion: v1, name: ${name}, namespace: ${team}, ${helm}}`).join('\n')}
- {kind: Namespace, apiVersion: v1, name: calm, namespace: ''}
- {kind: ConfigMap, apiVersion: v1, name: settings, namespace: calm}`;

function opened(options: DriverOptions = {}): ScreenDriver {
  return ScreenDriver.complete(yaml, { columns: 80, namespace: undefined, ...options });
}

test('in the tree, where the namespace keeps its count', () => {
  const rows = opened().press('*').rows().join('\n');
  expect(rows).toMatch(/ledger\S+…\S+-europe \(2[ )]/u);
  for (const name of names) expect(rows).toMatch(new RegExp(`Service led\\S+${name.slice(-6)}`, 'u'));
});

test('in the list of managers', () => {
  const driver = opened().press('T');
  driver.sort();
  for (const name of names)
    expect(driver.rows().join('\n')).toMatch(new RegExp(`Service led\\S+${name.slice(-6)}`, 'u'));
});

test('among search hits, whose highlights are left where they are seen', () => {
  const { state } = opened();
  const [name = ''] = names;
  const node = state.cluster?.view.graph.get(name as Uid);
  if (node === undefined) throw new Error('no node');
  const title = `Service ${name}`;
  const places = [
    [8, 14],
    [30, 55],
    [title.length - 5, title.length],
  ] as const;
  const hits = [{ node, title, places, besides: '' }];
  const search = { kind: 'search', query: '', hits, cursor: 0 } as unknown as Parameters<typeof hitLines>[1];
  const [line] = hitLines(state, search, 0, { width: 60, height: 5 });
  const highlighted = line?.spans.filter(({ style }) => style === 'title').map(({ text }) => text);
  expect(line?.spans.map(({ text }) => text).join('')).toMatch(/^> Service ledger\S*…\S*-2kf8x /u);
  expect(highlighted?.[0]).toBe('ledger');
  expect(highlighted?.at(-1)).toBe('2kf8x');
  expect(title).toContain(highlighted?.[1]);
});
