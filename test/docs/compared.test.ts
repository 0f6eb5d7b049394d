/** The keys that the comparison with other programs says of this one. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { commands } from '../../src/app/commands/bindings.ts';
import { keyLabel } from '../../src/app/state/keys.ts';

test('docs/compared.md names keys that there are', async () => {
  const page = await readFile(new URL('../../docs/compared.md', import.meta.url), 'utf8');
  const cells = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gmu)].map(
    ([, cell = '']) => cell,
  );
  const named = cells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/gu)].map(([, key = '']) => key));
  const keys = named.filter(key => key.length === 1 || key === 'enter' || key === 'space');
  const known = new Set(commands.flatMap(command => command.keys.map(key => keyLabel(key, false))));
  expect(keys.length).toBeGreaterThan(20);
  expect(keys.filter(key => !known.has(key))).toEqual([]);
});
