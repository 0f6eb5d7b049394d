import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { partsOfPages, referencePages } from '../../scripts/reference.ts';
import { buildProgram } from '../../src/cli/program/program.ts';

describe("the table of kubectl's flags", () => {
  const program = buildProgram(() => Promise.resolve());
  const options = [program, ...program.commands].flatMap(command => command.options);
  // `--headers=false` is written `--no-headers`, too.
  const defined = new Set(options.flatMap(({ long = '' }) => [long, long?.replace('--no-', '--') ?? '']));
  const columns = async (): Promise<readonly [taken: string[], not: string[]]> => {
    const page = await readFile(new URL('../../docs/connection.md', import.meta.url), 'utf8');
    const rows = page
      .split('\n')
      .filter(line => /^\| (?:connection|selection|output|deletion|other) \|/u.test(line));
    const cells = rows.map(row => row.split(/(?<!\\)\|/u));
    // A flag that stands in a command or in an explanation is another matter.
    const flags = (at: number): string[] =>
      cells.flatMap(row =>
        [...(row[at] ?? '').replace(/:.*$|, unless.*$/u, '').matchAll(/`(--[\w-]+)`/gu)].map(
          ([, flag = '']) => flag,
        ),
      );
    return [flags(2), flags(3)];
  };

  it('names as taken what the commands define, and nothing else', async () => {
    const [taken, not] = await columns();
    expect(taken.length).toBeGreaterThan(30);
    expect(not.length).toBeGreaterThan(15);
    expect(taken.filter(flag => !defined.has(flag))).toEqual([]);
    expect(not.filter(flag => defined.has(flag))).toEqual([]);
  });

  it('leaves out no flag of the connection', async () => {
    const [taken] = await columns();
    const connection = options.filter(({ helpGroupHeading }) => helpGroupHeading?.startsWith('Connection'));
    expect(connection.length).toBeGreaterThan(15);
    expect(connection.map(({ long }) => long).filter(flag => !taken.includes(flag ?? ''))).toEqual([]);
  });
});

describe('the pages made from the code', () => {
  it.each([...referencePages()])('docs/%s is current (else: npm run docs)', async (name, text) => {
    expect(await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')).toBe(text);
  });

  it.each(Object.entries(partsOfPages))(
    'the tables in %s are current (else: npm run docs)',
    async (name, withPart) => {
      const page = await readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
      expect(withPart(page)).toBe(page);
    },
  );
});
