/**
 * Completion in PowerShell by a grammar of its language, for few machines have it: the script can be parsed, and what
 * is put on the line is one argument with the very name.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete-line.ts';
import { completionScript } from '../../src/cli/completion/scripts.ts';
import { textEscapes } from '../../src/model/text/shown.ts';
import { consoleFor, SmallSource } from '../cli/console.ts';
import { HOW_MANY, PATIENCE, pathSegments, sampled, subdomains } from './names.ts';

/** What is used of web-tree-sitter. */
interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly hasError: boolean;
  readonly namedChildren: readonly SyntaxNode[];
  descendantsOfType(type: string): readonly SyntaxNode[];
}

interface Parser {
  setLanguage(language: unknown): void;
  parse(text: string): { readonly rootNode: SyntaxNode; delete(): void };
}

interface TreeSitter {
  readonly Parser: { init(): Promise<void>; new (): Parser };
  readonly Language: { load(grammar: Uint8Array): Promise<unknown> };
}

const require = createRequire(import.meta.url);

function installed(): string | undefined {
  try {
    return require.resolve('@vscode/tree-sitter-wasm');
  } catch {
    return undefined;
  }
}

async function parser(file: string): Promise<Parser> {
  const { Parser, Language } = require(file) as TreeSitter;
  await Parser.init();
  const made = new Parser();
  made.setLanguage(
    await Language.load(await readFile(path.join(path.dirname(file), 'tree-sitter-powershell.wasm'))),
  );
  return made;
}

/** What a program is given of a line; undefined where the line is anything but one command of plain words. */
function received(made: Parser, line: string): string[] | undefined {
  const tree = made.parse(line);
  try {
    const [command, ...others] = tree.rootNode.descendantsOfType('command');
    const elements = command?.namedChildren.find(({ type }) => type === 'command_elements');
    if (tree.rootNode.hasError || elements === undefined || others.length > 0) return undefined;
    // Of one line there is nothing else.
    if (command?.text !== line) return undefined;
    const words = elements.namedChildren.filter(({ type }) => type !== 'command_argument_sep').map(wordOf);
    return words.includes(undefined) ? undefined : words.map(String);
  } finally {
    tree.delete();
  }
}

function wordOf(argument: SyntaxNode): string | undefined {
  // The grammar overlooks what begins in the middle of a word.
  if (argument.type === 'generic_token') return /['"`$@,]/u.test(argument.text) ? undefined : argument.text;
  const [verbatim] = argument.descendantsOfType('verbatim_string_characters');
  // The text of more than a string is another one.
  if (verbatim?.text !== argument.text) return undefined;
  return verbatim.text.slice(1, -1).replaceAll("''", "'");
}

/** What is offered for `role/`. */
async function offered(names: readonly string[]): Promise<string[]> {
  const objects = names.map((name, i) => `- ${JSON.stringify({ kind: 'Role', name, uid: `uid-${i}` })}`);
  const env = { GC_TREE_COMPLETE: 'powershell' };
  const { io, services, result } = consoleFor({ source: new SmallSource(objects.join('\n')), env });
  await complete(['why', 'role/'], io, services);
  return result().out.split('\n').slice(0, -2);
}

const file = installed();
describe.skipIf(file === undefined)(
  file === undefined ? 'PowerShell (its grammar is not installed: npm ci)' : 'PowerShell',
  async () => {
    const made = file === undefined ? undefined : await parser(file);

    test('can parse the script', () => {
      const script = completionScript('powershell');
      expect(made?.parse(script).rootNode.hasError).toBe(false);
      expect(made?.parse(script.replace('param(', 'param((')).rootNode.hasError).toBe(true);
    });

    test('takes each word for the very name', { timeout: PATIENCE }, async () => {
      const names = [...new Set([...sampled(pathSegments, HOW_MANY), ...sampled(subdomains, HOW_MANY)])];
      const words = await offered(names);
      const targets = new Set(names.map(name => `role/${name}`));
      const wrong = words.filter(word => {
        const [verb, target, ...more] = (made && received(made, `kubectl-gc_tree why ${word}`)) ?? [];
        return verb !== 'why' || target === undefined || more.length > 0 || !targets.has(target);
      });
      expect(wrong).toEqual([]);
      // PowerShell reads typographic quotes as quotes; and its old versions lose these two on the way to a program.
      const possible = names.filter(
        name => textEscapes.isShown(name) && !/["\\\u201c-\u201e\u2018-\u201b]/u.test(name),
      );
      expect(words.length).toBe(possible.length);
    });

    test('would take none of these for one word', () => {
      for (const word of [
        'role/a b',
        "role/it's",
        'role/$(touch x)',
        'role/a;touch x',
        'role/a,b',
        'role/a|b',
      ])
        expect(made && received(made, `kubectl-gc_tree why ${word}`)).not.toEqual(['why', word]);
    });
  },
);
