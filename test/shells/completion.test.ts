/** Words that complete a line through kubectl's own scripts, as these put them there: raw. */
import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete-line.ts';
import { consoleFor, SmallSource } from '../cli/console.ts';
import { HOW_MANY, PATIENCE, pathSegments, sampled, subdomains } from './names.ts';
import { received, shells } from './shells.ts';

/** What is offered for `role/`. */
async function offered(names: readonly string[]): Promise<string[]> {
  const objects = names.map((name, i) => `- ${JSON.stringify({ kind: 'Role', name, uid: `uid-${i}` })}`);
  const { io, services, result } = consoleFor({ source: new SmallSource(objects.join('\n')) });
  await complete(['why', 'role/'], io, services);
  return result().out.split('\n').slice(0, -2);
}

describe('a word that kubectl inserts', async () => {
  const hostile = [...new Set(sampled(pathSegments, HOW_MANY))];
  const usual = [...new Set(sampled(subdomains, HOW_MANY))];
  const words = await offered([...hostile, ...usual]);

  test('is offered for every usual name', () => {
    expect(usual.filter(name => !words.includes(`role/${name}`))).toEqual([]);
  });

  for (const { shell, missing, title } of shells)
    test.skipIf(missing)(`is the name and nothing else in ${title}`, { timeout: PATIENCE }, () => {
      const names = new Set([...hostile, ...usual].map(name => `role/${name}`));
      const found = received(
        shell,
        words.map(word => `kubectl ${word}`),
      );
      expect(found.map(each => each.words)).toEqual(words.map(word => [word]));
      expect(words.filter(word => !names.has(word))).toEqual([]);
    });
});
