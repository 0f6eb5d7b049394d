import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { KeyReader } from '../../../../src/cli/commands/stepping/stepping-keys.ts';

async function keysOf(...chunks: readonly string[]): Promise<(string | undefined)[]> {
  const stdin = new PassThrough();
  const reader = new KeyReader(stdin);
  for (const chunk of chunks) stdin.write(chunk);
  stdin.end();
  const keys: (string | undefined)[] = [];
  for (let key = await reader.next(); key !== undefined; key = await reader.next()) keys.push(key);
  reader.close();
  return keys;
}

test.each([
  ['arrows are nothing, and what comes with them is', ['\u001b[Ab', ' \u001bOBe'], ['b', ' ', 'e']],
  ['nor are keys with modifiers and function keys', ['\u001b[1;5Cq', '\u001b[15~t'], ['q', 't']],
  ['Escape alone is a key', ['\u001b', 'r'], ['\u001b', 'r']],
])('%s', async (_, chunks, keys) => {
  expect(await keysOf(...chunks)).toEqual(keys);
});
