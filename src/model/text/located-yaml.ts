/** Handwritten YAML with the line of each value, so that errors can point to it. */

import { type Document, isNode, Lexer, LineCounter, Parser, parseDocument } from 'yaml';

export type YamlPath = readonly (string | number)[];

export interface LocatedYaml {
  readonly content: unknown;
  /** Returns a value's line, counted from 1; for a missing value, the line of its parent. */
  readonly lineOf: (path: YamlPath) => number;
}

/** Invalid YAML; the message is for its author and begins with the line if known. */
export class YamlFault extends Error {}

/** Levels of nesting; no such file needs more. */
const MAX_DEPTH = 100;

/** Parses one document. Throws a `YamlFault`. */
function locatedYaml(text: string): LocatedYaml {
  assertShallow(text);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): number => lines.linePos(offset).line;
  const [broken] = document.errors;
  if (broken !== undefined)
    throw new YamlFault(
      `line ${at(broken.pos[0])}: ${broken.message}. A value that has ": " or " #" in it needs quotes.`,
    );
  return { content: contentOf(document), lineOf: path => at(offsetOf(document, path)) };
}

/** Returns the line of a value in valid YAML; for a missing value, the line of its parent. */
function lineInYaml(text: string, path: YamlPath): number {
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const;
  return lines.linePos(offsetOf(parseDocument(text, options), path)).line;
}

/** Composing a document recurses, and can overflow the stack: the nesting is bounded before. */
function assertShallow(text: string): void {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH)
      throw new YamlFault(
        `line ${lines.linePos(parser.offset).line}: nested more than ${MAX_DEPTH} levels deep`,
      );
  }
}

function contentOf(document: Document): unknown {
  try {
    const content: unknown = document.toJS();
    // An alias for its own parent would never end; stringifying finds it.
    JSON.stringify(content);
    return content;
  } catch (error) {
    // Aliases may name nothing or exhaust the memory.
    throw new YamlFault(error instanceof Error ? error.message : String(error));
  }
}

function offsetOf(document: Document, path: YamlPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

export const LocatedYaml = { read: locatedYaml, line: lineInYaml };
