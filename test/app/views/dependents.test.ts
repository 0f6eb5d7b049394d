/** Which dependents the details name, and in which order. */
import { expect, test } from 'vitest';
import { detailsLines } from '../../../src/app/views/object-details.ts';
import { SmallSource } from '../../cli/console.ts';
import { objects } from '../../cli/documents/cluster.ts';
import { sessionOn } from '../source-session.ts';

const OWNER = '- {kind: ConfigMap, name: front, uid: front}';
const childOf = (name: string): string =>
  `- {kind: ConfigMap, name: ${name}, uid: ${name}, owners: [v1 ConfigMap front front]}`;

async function shown(names: readonly string[], later: readonly string[] = []): Promise<string[]> {
  const source = new SmallSource([OWNER, ...names.map(childOf)].join('\n'));
  const { session, second } = sessionOn(source, 160, 60);
  await second(3);
  if (later.length > 0) source.emit({ changes: objects(later.map(childOf).join('\n')) });
  await second(3);
  for (const letter of '/front') session.dispatch({ type: 'key', key: { text: letter } });
  await second(3);
  session.dispatch({ type: 'key', key: { name: 'enter' } });
  const lines = detailsLines(session.getState(), 60).map(spans => spans.map(({ text }) => text).join(''));
  await session.close();
  const start = lines.findIndex(line => line.startsWith('Dependents'));
  const end = lines.indexOf('', start);
  return lines.slice(start, end < 0 ? undefined : end).map(line => line.trim());
}

test('dependents stand in the order of their names, whenever they came', async () => {
  expect(await shown(['c', 'a'], ['b'])).toEqual([
    'Dependents 3',
    'ConfigMap a',
    'ConfigMap b',
    'ConfigMap c',
  ]);
});

test('of very many the first by name are named, and the rest counted', async () => {
  const names = Array.from(
    { length: 1000 },
    (_, index) => `n-${String((index * 677) % 1000).padStart(3, '0')}`,
  );
  const lines = await shown(names);
  expect(lines[0]).toBe('Dependents 1,000');
  expect(lines.slice(1, -1)).toEqual(
    [...names]
      .sort()
      .slice(0, 100)
      .map(name => `ConfigMap ${name}`),
  );
  expect(lines.at(-1)).toBe('and 900 more');
});
