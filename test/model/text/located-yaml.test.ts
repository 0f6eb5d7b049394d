/** YAML of settings, baselines and catalogues that nobody wrote by hand. */
import { expect, it } from 'vitest';
import { LocatedYaml } from '../../../src/model/text/located-yaml.ts';

const nested = (levels: number): string => `a: ${'['.repeat(levels)}${']'.repeat(levels)}\n`;

it.each([
  ['lists in brackets', nested(100_000)],
  ['lists in brackets that stay open', '['.repeat(100_000)],
  ['JSON mappings', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ['sequences in a line', `${'- '.repeat(100_000)}1\n`],
  ['mappings in lines', Array.from({ length: 1_000 }, (_, level) => `${' '.repeat(level)}a:\n`).join('')],
  ['keys', `${'? '.repeat(1_000)}a\n`],
  ['lists that the parser can still read', nested(150)],
])('refuses %s by their nesting', (_, text) => {
  expect(() => LocatedYaml.read(text)).toThrow(/^line (?:1|100): nested more than 100 levels deep$/u);
});

it('reads what is nested less', () => {
  expect(LocatedYaml.read(nested(90)).content).toHaveProperty('a');
});
