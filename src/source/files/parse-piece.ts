import { getHeapStatistics } from 'node:v8';
import { jsonValue, LocatedYaml, type YamlPath } from '../../model/index.ts';
import { MAX_DEPTH, MAX_PIECE_BYTES, ParseError, type Piece } from './piece.ts';
import { readYamlDocument, YamlError } from './yaml/yaml-document.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(piece: Piece): string {
  try {
    return decoder.decode(piece.bytes);
  } catch {
    throw new ParseError('not UTF-8. Save the file as UTF-8', firstWrongLine(piece));
  }
}

function firstWrongLine(piece: Piece): number {
  let line = piece.line;
  let from = 0;
  for (;;) {
    const newline = piece.bytes.indexOf(0x0a, from);
    const end = newline < 0 ? piece.bytes.length : newline + 1;
    try {
      decoder.decode(piece.bytes.subarray(from, end));
    } catch {
      return line;
    }
    if (newline < 0) return piece.line;
    from = end;
    line++;
  }
}

function fileLine(piece: Piece, line: number): number {
  const { cut } = piece;
  return piece.line + line - 1 + (cut !== undefined && line > cut.after ? cut.count : 0);
}

/** Template syntax, which another program must render. */
const template = /\{\{[^{}\n]*\}\}/u;

function parseYaml(text: string, piece: Piece): unknown {
  try {
    // An alias shares its value; a copy doesn't.
    return copied(
      readYamlDocument(text, {
        maxDepth: MAX_DEPTH,
        maxAliasCharacters: MAX_PIECE_BYTES,
        maxNodes: text.length < LARGE ? text.length : nodesInMemory(),
        // kubectl accepts duplicate keys, and so does the API server from kubectl.
        lastOfTwice: true,
      }),
    );
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ParseError(wording(error.message, text), fileLine(piece, error.line), error.column);
  }
}

/** Texts below this length never have too many nodes for memory. */
const LARGE = 4 * 1024 * 1024;

/** Bytes of memory per node, measured with lists of small mappings. */
const NODE_BYTES = 300;

function nodesInMemory(): number {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return Math.floor((0.8 * (limit - used)) / NODE_BYTES);
}

/** Copies a value: its strings may be slices that keep the whole text in memory. */
function copied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function wording(message: string, text: string): string {
  const [first = ''] = message.split('\n');
  const what = first.replace(/[.:\s]+$/u, '');
  return template.test(text)
    ? `${what}. It looks like a template: render it first (helm template, for a chart)`
    : what;
}

function jsonError(error: unknown, text: string, piece: Piece): ParseError {
  const message = error instanceof Error ? error.message : String(error);
  // The parser's message may include the position.
  const position = /at position (\d+)/u.exec(message)?.[1];
  const before = text.slice(0, position === undefined ? jsonBreak(text) : Number(position));
  const line = before.split('\n').length;
  const what = message
    .replace(/ (?:in JSON )?at position.*$/su, '')
    .replace(/(?:, (?:\.{3})?".*)? is not valid JSON$/su, '');
  return new ParseError(wording(what, text), fileLine(piece, line), before.length - before.lastIndexOf('\n'));
}

/** Finds the position at which a text stops being JSON, by checking if a prefix only lacks its end. */
function jsonBreak(text: string): number {
  let good = 0;
  let bad = text.length;
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2);
    if (couldGoOn(text.slice(0, middle))) good = middle;
    else bad = middle - 1;
  }
  return good;
}

function couldGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (/^Unexpected end|^Unterminated string/u.test(message)) return true;
    const position = /at position (\d+)/u.exec(message)?.[1];
    return position !== undefined && Number(position) >= beginning.length;
  }
}

function parseJson(text: string, piece: Piece): unknown {
  try {
    return jsonValue(text);
  } catch (error) {
    // YAML may begin with a bracket too; text that looks like JSON is reported as JSON.
    if (/^[{[]\s*(?:["{[]|$)/u.test(text) || text.length > MAX_FLOW_CHARACTERS)
      throw jsonError(error, text, piece);
    return parseYaml(text, piece);
  }
}

/** A larger flow document is meant to be JSON. */
const MAX_FLOW_CHARACTERS = 1024 * 1024;

/** Parses a piece; for an item, the element. YAML values share no memory with the text. Throws a `ParseError`. */
export function parsePiece(piece: Piece): unknown {
  const text = decode(piece);
  if (piece.format === 'json') return parseJson(text, piece);
  const value = parseYaml(text, piece);
  // In YAML, an element is cut out as a sequence of one.
  return piece.part === 'item' && Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** Returns the file's line of a value, or of its parent if missing; the piece's line if large. */
export function lineOfValue(piece: Piece, path: YamlPath): number {
  if (piece.bytes.length > LARGEST_LOCATED) return piece.line;
  const inSequence = piece.format === 'yaml' && piece.part === 'item';
  return fileLine(piece, LocatedYaml.line(decode(piece), inSequence ? [0, ...path] : path));
}

const LARGEST_LOCATED = 1024 * 1024;
