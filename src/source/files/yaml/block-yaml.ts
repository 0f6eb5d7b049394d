/**
 * Reads the block style in which kubectl writes YAML: block mappings and sequences, one-line or folded scalars, literal
 * blocks. Anything beyond that it leaves to `source/files/yaml/document.ts`, by answering `notPlain`.
 *
 * Why it exists: of a must-gather this reads 115 MB a second, the reader of any YAML 37, and the `yaml` package 4
 * (docs/decisions/0006-reading-yaml.md).
 */

import { factsKind } from '../../../model/facts/facts.ts';
import { record } from '../../../model/json/json.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';
import * as ascii from '../ascii.ts';
import { BlockLines, leave } from './block-lines.ts';
import { chomped, closingQuote, isPlainLine, notPlain, plainValue } from './scalars.ts';

type Mapping = Record<string, unknown>;

/** What may not begin a plain scalar here, `-`, `?` and `:` before a space aside. */
const indicators = new Set(Buffer.from('#&*!|>%@`"\'{}[],'));

/** Deeper than any API object, and far from the end of the stack. */
const MAX_DEPTH = 200;

class BlockReader extends BlockLines {
  readonly #prune: boolean;
  #depth = 0;

  constructor(text: string, prune: boolean) {
    super(text);
    this.#prune = prune;
  }

  read(): unknown {
    if (this.end) return null;
    const value = this.#block(this.indent, -1, 0);
    if (!this.end) throw leave;
    return value;
  }

  /** A block node whose first line is the current one. `path`: 0 the object, 1 its metadata, -1 elsewhere. */
  #block(indent: number, parent: number, path: number): unknown {
    if (++this.#depth > MAX_DEPTH) throw leave;
    const value = this.#node(indent, parent, path);
    this.#depth--;
    return value;
  }

  #node(indent: number, parent: number, path: number): unknown {
    if (this.isDash()) return this.#sequence(indent, path);
    const colon = this.#colon();
    if (colon >= 0) return this.#mapping(indent, path);
    // A document of nothing but text: whoever writes that isn't kubectl.
    if (parent < 0) throw leave;
    return this.#scalar(this.at, parent);
  }

  #sequence(indent: number, path: number): unknown[] {
    const items: unknown[] = [];
    const text = this.text;
    while (!this.end && this.indent === indent && this.isDash()) {
      const dash = this.at;
      let at = dash + 1;
      while (text.charCodeAt(at) === ascii.SPACE) at++;
      if (at >= this.lineEnd()) {
        this.line();
        items.push(this.indent > indent ? this.#block(this.indent, indent, path) : null);
        continue;
      }
      // What follows on the same line stands at its own column.
      const column = indent + (at - dash);
      this.at = at;
      this.indent = column;
      items.push(this.#block(column, indent, path));
    }
    if (!this.end && this.indent > indent) throw leave;
    return items;
  }

  /** Position of the colon that ends the current line's key, -1 where the line is no mapping entry. */
  #colon(): number {
    const text = this.text;
    const at = this.at;
    const first = text.charCodeAt(at);
    const end = this.lineEnd();
    let from = at;
    if (first === 0x22 || first === 0x27) {
      const quote = text.indexOf(first === 0x22 ? '"' : "'", at + 1);
      if (quote < 0 || quote >= end) return -1;
      // A key with an escape in it is the full parser's.
      if (text.charCodeAt(quote + 1) !== ascii.COLON) return -1;
      from = quote + 1;
    } else if (indicators.has(first)) {
      return -1;
    } else if (first === ascii.QUESTION || first === ascii.COLON) throw leave;
    return this.colonBefore(end, from);
  }

  #key(colon: number): string {
    const text = this.text;
    const first = text.charCodeAt(this.at);
    if (first !== 0x22 && first !== 0x27) {
      const key = text.slice(this.at, colon);
      const last = key.charCodeAt(key.length - 1);
      if (last === ascii.SPACE || key.includes(' #') || key.includes('\t')) throw leave;
      // A key of another type than string: `1: x`, `null: x`.
      if (typeof plainValue(key) !== 'string') throw leave;
      return key;
    }
    const key = text.slice(this.at + 1, colon - 1);
    if (key.includes('\\') || key.includes("'")) throw leave;
    return key;
  }

  #mapping(indent: number, path: number): Mapping {
    const mapping: Mapping = {};
    while (!this.end && this.indent === indent && !this.isDash()) {
      const colon = this.#colon();
      if (colon < 0) throw leave;
      const key = this.#key(colon);
      if (key === '__proto__' || Object.hasOwn(mapping, key)) throw leave;
      if (key === '<<') throw leave;
      if (this.#prune && path >= 0 && unneeded(path, key, mapping)) {
        this.#skip(indent);
        continue;
      }
      mapping[key] = this.#entry(indent, colon, path === 0 && key === 'metadata' ? 1 : inner(path, key));
    }
    if (!this.end && this.indent > indent) throw leave;
    return mapping;
  }

  #entry(indent: number, colon: number, path: number): unknown {
    const text = this.text;
    let at = colon + 1;
    while (text.charCodeAt(at) === ascii.SPACE) at++;
    if (at < this.lineEnd()) return this.#scalar(at, indent);
    this.line();
    if (this.indent > indent) return this.#block(this.indent, indent, path);
    // kubectl writes sequences at the column of their key.
    if (this.indent === indent && this.isDash()) return this.#sequence(indent, path);
    return null;
  }

  /** Passes over an entry and all that belongs to it. */
  #skip(indent: number): void {
    do {
      const parent = this.blockParent();
      if (parent < 0 && this.opensMore()) throw leave;
      do this.lineOfAny();
      while (parent >= 0 && this.indent > parent);
    } while (!this.end && (this.indent > indent || (this.indent === indent && this.isDash())));
  }

  /** The scalar that begins at `at` of the current line; ends on the line after it. */
  #scalar(at: number, parent: number): unknown {
    const text = this.text;
    const end = this.lineEnd();
    const first = text.charCodeAt(at);
    switch (first) {
      case 0x22:
        return this.#doubleQuoted(at, end);
      case 0x27:
        return this.#singleQuoted(at, end, parent);
      case 0x7c:
        return this.#literal(text.slice(at, end), parent);
      case 0x7b:
      case 0x5b: {
        const flow = text.slice(at, end);
        if (flow !== '{}' && flow !== '[]') throw leave;
        this.line();
        return flow === '{}' ? {} : [];
      }
      default:
        return this.#plain(at, end, parent);
    }
  }

  #doubleQuoted(at: number, end: number): string {
    const quoted = this.text.slice(at, end);
    let value: unknown;
    try {
      // JSON's strings are YAML's, on one line and with fewer escapes.
      value = JSON.parse(quoted);
    } catch {
      throw leave;
    }
    if (typeof value !== 'string') throw leave;
    this.line();
    return value.toWellFormed();
  }

  #singleQuoted(at: number, end: number, parent: number): string {
    let part = this.text.slice(at + 1, end);
    let close = closingQuote(part);
    let value = '';
    while (close < 0) {
      const blank = this.blankLinesAhead();
      value += part + (blank === 0 ? ' ' : '\n'.repeat(blank));
      this.line();
      if (this.end || this.indent <= parent) throw leave;
      part = this.text.slice(this.at, this.lineEnd());
      close = closingQuote(part);
    }
    value += part.slice(0, close);
    if (close !== part.length - 1 || value.includes('\t')) throw leave;
    this.line();
    return value.replaceAll("''", "'");
  }

  #plain(at: number, end: number, parent: number): unknown {
    const first = this.text.charCodeAt(at);
    if (indicators.has(first)) throw leave;
    const after = this.text.charCodeAt(at + 1);
    const alone = at + 1 >= end || after === ascii.SPACE;
    if (alone && (first === ascii.DASH || first === ascii.QUESTION || first === ascii.COLON)) throw leave;
    let value = this.text.slice(at, end);
    if (!isPlainLine(value)) throw leave;
    let blank = this.blankLinesAhead();
    this.line();
    if (this.end || this.indent <= parent) return this.#resolved(value);
    do {
      const more = this.text.slice(this.at, this.lineEnd());
      if (!isPlainLine(more)) throw leave;
      value += (blank === 0 ? ' ' : '\n'.repeat(blank)) + more;
      blank = this.blankLinesAhead();
      this.line();
    } while (!this.end && this.indent > parent);
    return value;
  }

  #resolved(value: string): unknown {
    const resolved = plainValue(value);
    if (resolved === notPlain) throw leave;
    return resolved;
  }

  #literal(header: string, parent: number): string {
    if (header !== '|' && header !== '|-' && header !== '|+') throw leave;
    const text = this.text;
    const lines: string[] = [];
    let column = -1;
    let at = this.next;
    for (;;) {
      if (at >= text.length) break;
      const newline = text.indexOf('\n', at);
      // A literal that ends without a line break: the full parser knows how that counts.
      if (newline < 0) throw leave;
      let start = at;
      while (text.charCodeAt(start) === ascii.SPACE) start++;
      const blank = start >= newline;
      if (!blank && column < 0) {
        column = start - at;
        if (column <= parent || text.charCodeAt(start) === 0x09) throw leave;
        if (lines.some(line => line.length > column)) throw leave;
        // Of the blank lines before it only the line breaks count.
        lines.fill('');
      } else if (!blank && start - at < column) break;
      lines.push(column < 0 ? text.slice(at, newline) : text.slice(at + column, newline));
      at = newline + 1;
    }
    if (column < 0) throw leave;
    this.next = at;
    this.line();
    const value = chomped(lines, header);
    if (value === notPlain) throw leave;
    return value;
  }
}

/** Elements of a list's `items` are objects themselves; what lies elsewhere has no fields to leave out. */
function inner(path: number, key: string): number {
  return path === 0 && key === 'items' ? 0 : -1;
}

/** Leases are renewed every few seconds; OpenShift's other two have the cluster's id and its versions. */
const telling: ReadonlySet<string> = new Set(['Lease', 'ClusterOperator', 'ClusterVersion']);

/**
 * Whether a field can be left out: they are most of the text. `path`: 0 for the object's own fields, 1 for those
 * of its metadata; `parent`: what was read of the object so far.
 */
function unneeded(path: number, key: string, parent: Mapping): boolean {
  if (path === 1) return key === 'managedFields';
  switch (key) {
    case 'data':
    case 'stringData':
    case 'binaryData':
      return true;
    case 'spec':
    case 'status': {
      // kubectl sorts keys, so that these are known here; where others wrote them in another order, nothing is left out.
      const { apiVersion, kind, metadata } = parent;
      if (typeof apiVersion !== 'string' || typeof kind !== 'string') return false;
      // They tell when the files were taken, and of which cluster.
      if (telling.has(kind)) return false;
      // What is being deleted says there why it stays.
      if (key === 'status' && (metadata === undefined || record(metadata)['deletionTimestamp'] !== undefined))
        return false;
      return (
        !kind.endsWith('List') && factsKind({ group: parseApiVersion(apiVersion).group, kind }) === undefined
      );
    }
    default:
      return false;
  }
}

/** Other line breaks, and what YAML has no place for unless it is escaped. */
const notBlock = /[[\p{Cc}--[\t\n]]\u2028\u2029\ufffe\uffff]/v;

/**
 * The value of a document or of a sequence in kubectl's block style, or `notPlain`. With `prune` it lacks what
 * no fact is read from: managed fields, annotations, data, and spec and status of kinds without facts, but for the status
 * of what is being deleted or may be. Equal to what `source/files/yaml/document.ts` reads otherwise.
 */
export function readBlockYaml(text: string, prune: boolean): unknown {
  const lines = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
  if (notBlock.test(lines)) return notPlain;
  try {
    return new BlockReader(lines, prune).read();
  } catch (error) {
    if (error === leave) return notPlain;
    throw error;
  }
}
