/**
 * Parses a YAML document to the value kubectl gives it: merge keys, booleans, numbers, and its bound on aliases.
 * kubectl uses sigs.k8s.io/yaml (v1.6.0) with go.yaml.in/yaml/v2 (v2.4.3). js-yaml tokenizes; the meaning is decided
 * here.
 */
import {
  type AliasEvent,
  COLLECTION_STYLE,
  EVENT_ID,
  type Event,
  getScalarValue,
  type MappingEvent,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  type SequenceEvent,
  YAMLException,
} from 'js-yaml';
import { notInJson, plainKey, plainValue, taggedValue } from './scalars.ts';

/** `line` and `column` refer to the text, from 1. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

export interface YamlOptions {
  /** Maximum nesting, including aliases. */
  readonly maxDepth: number;
  /** Maximum number of characters behind aliases. */
  readonly maxAliasCharacters: number;
  /** Texts that may have more nodes are refused. */
  readonly maxNodes: number;
  /** The last of duplicate keys wins, as in a kubeconfig; otherwise they are refused. */
  readonly lastOfTwice?: boolean;
}

/** Returns the first document's value; null if empty. Throws a `YamlError`. */
export function readYamlDocument(text: string, options: YamlOptions): unknown {
  const foreign = /[\u0085\u2028\u2029]/u.exec(text);
  if (foreign !== null) throw at(text, foreign.index, FOREIGN_BREAK);
  // Counted before parsing takes memory; some nodes count twice.
  if (text.length > options.maxNodes && mostNodes(text) > options.maxNodes)
    throw new YamlError(
      'too large to be read in this style. Print it as JSON, or as kubectl prints YAML',
      1,
      1,
    );
  const indented = new Indented(text);
  const events = indented.events(options.maxDepth);
  try {
    return new Builder(indented.text, options).build(events);
  } catch (error) {
    throw error instanceof YamlError ? indented.located(error) : error;
  }
}

/** Characters reread for under-indented lines within brackets and quotes. */
const MOST_READ_AGAIN = 64 * 1024 * 1024;

/**
 * Indents lines within brackets and quotes as js-yaml requires; kubectl ignores it (go.yaml.in/yaml/v2 scannerc.go
 * `yaml_parser_unroll_indent`, v2.4.3).
 */
class Indented {
  text: string;
  #lines: string[] | undefined;
  #added = '';
  readonly #moved = new Set<number>();

  constructor(text: string) {
    this.text = text;
  }

  events(maxDepth: number): Event[] {
    let first: YamlError | undefined;
    for (let left = MOST_READ_AGAIN; ; left -= this.text.length) {
      try {
        return parseEvents(this.text, { maxDepth });
      } catch (error) {
        if (!(error instanceof YAMLException)) throw error;
        const { reason, mark } = error;
        first ??= new YamlError(wording(reason, maxDepth), (mark?.line ?? 0) + 1, (mark?.column ?? 0) + 1);
        if (reason !== DEFICIENT || left < 0 || !this.#indent(mark?.line ?? 0)) throw first;
      }
    }
  }

  /** Maps the position back to the original text. */
  located(error: YamlError): YamlError {
    if (!this.#moved.has(error.line - 1)) return error;
    return new YamlError(error.message, error.line, Math.max(1, error.column - this.#added.length));
  }

  #indent(line: number): boolean {
    this.#lines ??= this.text.split(LINE_BREAK);
    const own = this.#lines[line];
    if (own === undefined || this.#moved.has(line)) return false;
    // No bracket or quote opens in a block that starts further right.
    this.#added ||= ' '.repeat(
      1 + this.#lines.reduce((most, each) => Math.max(most, /^[ ?-]*/u.exec(each)?.[0].length ?? 0), 0),
    );
    this.#moved.add(line);
    this.#lines[line] = `${this.#added}${own}`;
    this.text = this.#lines.join('\n');
    return true;
  }
}

/** Counts at least one sign per node: a line's end, a bracket, a comma, a key's colon or a dash. */
function mostNodes(text: string): number {
  let count = 1;
  for (const sign of ['\n', ',', '[', '{', ': ', '- '])
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

/** Line breaks in YAML 1.1 but not 1.2: comments or keys could be hidden behind them. */
const FOREIGN_BREAK =
  'a character that kubectl takes for a line break (U+0085, U+2028 or U+2029). Write it in double quotes, as an escape';

/** Within brackets, kubectl starts a key at these, and reads a comma after a tag as part of it. */
const DOUBTFUL_IN_FLOW =
  'text within brackets with ? in it, : in front, or nothing but a tag, which kubectl reads otherwise. Put it in quotes';

function at(text: string, index: number, message: string): YamlError {
  const before = text.slice(0, index);
  const line = before.split(LINE_BREAK).length;
  return new YamlError(message, line, index - Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')));
}

/** js-yaml's message for a line within brackets or quotes. */
const DEFICIENT = 'deficient indentation';
const LINE_BREAK = /\r\n?|\n/u;

function wording(reason: string, maxDepth: number): string {
  if (reason.startsWith('nesting exceeded')) return tooDeep(maxDepth);
  return reason === DEFICIENT
    ? 'a line that should be indented further, or a quote or bracket before it that has no end'
    : reason;
}

function tooDeep(maxDepth: number): string {
  return `nested more than ${maxDepth} levels deep`;
}

interface AliasExtent {
  readonly nodes: number;
  readonly characters: number;
}

/** Below `FEW` nodes, nearly all may be aliased; above `MANY`, a tenth at most. */
const FEW = 400_000;
const MANY = 4_000_000;

class AliasBudget {
  readonly #maxCharacters: number;
  #nodes = 0;
  #aliased = 0;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** Counts a node and its alias target; returns the reason if that is too much. */
  spend(aliased: number, characters: number): string | undefined {
    this.#nodes += 1 + aliased;
    this.#aliased += aliased;
    this.#characters += characters;
    // kubectl's bound (go.yaml.in/yaml/v2 decode.go `allowedAliasRatio`, v2.4.3).
    const tooMany =
      this.#aliased > 100 && this.#nodes > 1_000 && this.#aliased / this.#nodes > allowedShare(this.#nodes);
    // kubectl would write them out one by one.
    if (!tooMany && this.#characters <= this.#maxCharacters) return undefined;
    return 'its aliases stand for too much: they would multiply what the file holds';
  }
}

function allowedShare(nodes: number): number {
  const beyond = Math.min(Math.max(nodes - FEW, 0) / (MANY - FEW), 1);
  return 0.99 - 0.89 * beyond;
}

/** A complete node. `height`: levels of collections in it. */
interface Built extends AliasExtent {
  readonly value: unknown;
  readonly height: number;
  readonly is: 'scalar' | 'collection' | 'alias';
  /** Its use as a key: text or merge; undefined if it can't be a key. */
  readonly key: Open['key'];
}

interface Open {
  readonly value: unknown[] | Record<string, unknown>;
  readonly anchor: string | undefined;
  readonly at: number;
  readonly flow: boolean;
  nodes: number;
  characters: number;
  height: number;
  /** Mappings: the key of the next value; `merge` for a merge key. */
  key: { readonly text: string } | 'merge' | undefined;
  /** Its own keys, kept once there are merged ones. */
  own: Set<string> | undefined;
}

class Builder {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #budget: AliasBudget;
  readonly #lastOfTwice: boolean;
  /** By name; undefined while the node is incomplete. */
  readonly #anchors = new Map<string, Built | undefined>();
  readonly #open: Open[] = [];
  #root: unknown = null;
  #at = 0;

  constructor(text: string, options: YamlOptions) {
    this.#text = text;
    this.#maxDepth = options.maxDepth;
    this.#budget = new AliasBudget(options.maxAliasCharacters);
    this.#lastOfTwice = options.lastOfTwice === true;
  }

  build(events: readonly Event[]): unknown {
    for (const event of events) {
      switch (event.type) {
        case EVENT_ID.DOCUMENT:
          break;
        case EVENT_ID.POP:
          // The end of the document; later ones don't belong to it.
          if (this.#open.length === 0) return this.#root;
          this.#close();
          break;
        case EVENT_ID.SEQUENCE:
          this.#begin([], event);
          break;
        case EVENT_ID.MAPPING:
          this.#begin({}, event);
          break;
        case EVENT_ID.SCALAR:
          this.#scalar(event);
          break;
        case EVENT_ID.ALIAS:
          this.#alias(event);
          break;
      }
    }
    return this.#root;
  }

  #begin(value: Open['value'], event: SequenceEvent | MappingEvent): void {
    this.#at = event.start;
    const anchor = this.#anchor(event);
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    this.#count(0);
    this.#open.push({
      value,
      anchor,
      at: event.start,
      flow: event.style === COLLECTION_STYLE.FLOW,
      nodes: 1,
      characters: 0,
      height: 1,
      key: undefined,
      own: undefined,
    });
  }

  #close(): void {
    const done = this.#open.pop();
    if (done === undefined) return;
    const { value, nodes, characters, height, anchor, at } = done;
    this.#at = at;
    const built: Built = { value, nodes, characters, height, is: 'collection', key: undefined };
    if (anchor !== undefined) this.#anchors.set(anchor, built);
    this.#add(built);
  }

  #scalar(event: ScalarEvent): void {
    if (event.valueStart >= 0) this.#at = event.valueStart;
    const text = getScalarValue(this.#text, event).toWellFormed();
    const tag = this.#tag(event);
    const plain = event.style === SCALAR_STYLE.PLAIN;
    const doubtful = /^:|\?/u.test(text) || (tag !== undefined && text === '');
    if (plain && doubtful && this.#open.at(-1)?.flow === true) this.#fail(DOUBTFUL_IN_FLOW);
    const key = keyOf(text, tag ?? (plain ? 'plain' : 'text'));
    const value = tag !== undefined ? taggedValue(tag, text) : plain ? plainValue(text) : text;
    if (value === notInJson)
      this.#fail(tag === undefined ? `${text} is no number in JSON` : `no value that ${tag} fits`);
    const built: Built = { value, nodes: 1, characters: text.length, height: 0, is: 'scalar', key };
    const anchor = this.#anchor(event);
    if (anchor !== undefined) this.#anchors.set(anchor, built);
    this.#count(0);
    this.#add(built);
  }

  #alias({ anchorStart, anchorEnd }: AliasEvent): void {
    this.#at = anchorStart;
    const name = this.#text.slice(anchorStart, anchorEnd);
    const target = this.#anchors.get(name);
    if (target === undefined)
      this.#fail(
        this.#anchors.has(name)
          ? 'an alias that contains itself'
          : // It may be an unquoted password.
            'an alias without an anchor. Put text that begins with * in quotes',
      );
    if (this.#open.length + target.height > this.#maxDepth) this.#fail(tooDeep(this.#maxDepth));
    this.#count(target.nodes, target.characters);
    this.#add({ ...target, nodes: target.nodes + 1, is: 'alias' });
  }

  #count(nodes: number, characters = 0): void {
    const excess = this.#budget.spend(nodes, characters);
    if (excess !== undefined) this.#fail(excess);
  }

  #add(built: Built): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.#root = built.value;
      return;
    }
    parent.nodes += built.nodes;
    parent.characters += built.characters;
    parent.height = Math.max(parent.height, built.height + 1);
    if (Array.isArray(parent.value)) parent.value.push(built.value);
    else if (parent.key === undefined) {
      if (built.key === undefined) this.#fail('a key that is neither text nor a number');
      // An alias of the merge key is an ordinary key.
      parent.key = built.key === 'merge' && built.is === 'alias' ? { text: '<<' } : built.key;
    } else {
      if (parent.key === 'merge') this.#merge(parent, parent.value, built);
      else this.#set(parent, parent.value, parent.key.text, built.value);
      parent.key = undefined;
    }
  }

  #set(parent: Open, mapping: Record<string, unknown>, key: string, value: unknown): void {
    const isTwice = parent.own === undefined ? Object.hasOwn(mapping, key) : parent.own.has(key);
    if (isTwice && !this.#lastOfTwice)
      this.#fail(`the key ${JSON.stringify(key.slice(0, 100))} appears here twice`);
    parent.own?.add(key);
    put(mapping, key, value);
  }

  /**
   * Merged values override earlier entries and yield to later ones; the first mapping wins (go.yaml.in/yaml/v2
   * decode.go `mapping`, `merge`, v2.4.3).
   */
  #merge(parent: Open, mapping: Record<string, unknown>, built: Built): void {
    parent.own ??= new Set(Object.keys(mapping));
    // An aliased sequence isn't accepted, but a sequence of aliases is.
    const parts: readonly unknown[] =
      Array.isArray(built.value) && built.is === 'collection' ? built.value.toReversed() : [built.value];
    for (const part of parts) {
      if (typeof part !== 'object' || part === null || Array.isArray(part))
        this.#fail('a merge key (<<) needs a mapping, or a sequence of mappings');
      for (const [key, value] of Object.entries(part)) put(mapping, key, value);
    }
  }

  /** `!!int`, `!!str`; undefined if missing. */
  #tag({ tagStart, tagEnd }: ScalarEvent): string | undefined {
    if (tagStart < 0) return undefined;
    return this.#text.slice(tagStart, tagEnd).replace(/^!<tag:yaml\.org,2002:(.*)>$/su, '!!$1');
  }

  #anchor({ anchorStart, anchorEnd }: ScalarEvent | SequenceEvent | MappingEvent): string | undefined {
    return anchorStart < 0 ? undefined : this.#text.slice(anchorStart, anchorEnd);
  }

  #fail(message: string): never {
    throw at(this.#text, this.#at, message);
  }
}

function keyOf(text: string, tag: string): Open['key'] {
  if (text === '<<' && (tag === 'plain' || tag === '!!merge')) return 'merge';
  const key = tag === 'plain' ? plainKey(text) : tag === '!!null' ? undefined : text;
  return key === undefined ? undefined : { text: key };
}

/** `__proto__` is a key like others. */
function put(mapping: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(mapping, key, { value, enumerable: true, configurable: true, writable: true });
  else mapping[key] = value;
}
