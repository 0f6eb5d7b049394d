/**
 * Any YAML document as the value that kubectl makes of it: its merge keys, its booleans and numbers, its bound on
 * aliases.
 *
 * kubectl reads with sigs.k8s.io/yaml (v1.6.0), that is with go.yaml.in/yaml/v2 (v2.4.3) and a way from there to JSON.
 * js-yaml says what stands where in a text; what it means is decided here.
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

/** What is wrong with a document; line and column are of its text, from 1. */
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
  /** More levels than that are refused, those behind aliases among them. */
  readonly maxDepth: number;
  /** More characters than that behind aliases are refused. */
  readonly maxAliasCharacters: number;
  /** Texts that may have more nodes are refused. */
  readonly maxNodes: number;
  /** A key that stands in a mapping twice counts where it stands last, as in a kubeconfig; elsewhere it is refused. */
  readonly lastOfTwice?: boolean;
}

/** The value of the first document of a text; null for an empty one. Throws a `YamlError`. */
export function readYamlDocument(text: string, options: YamlOptions): unknown {
  const foreign = /[\u0085\u2028\u2029]/u.exec(text);
  if (foreign !== null) throw at(text, foreign.index, FOREIGN_BREAK);
  // They are counted before they take memory, and some twice.
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

/** Characters that are read again for lines within brackets and quotes that stand too far left. */
const MOST_READ_AGAIN = 64 * 1024 * 1024;

/**
 * A text whose lines within brackets and quotes are indented as far as js-yaml asks. kubectl looks at the indentation of
 * none of them, and it is no part of what they say (go.yaml.in/yaml/v2 scannerc.go `yaml_parser_unroll_indent`, v2.4.3).
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

  /** Where it stands in the text as it was. */
  located(error: YamlError): YamlError {
    if (!this.#moved.has(error.line - 1)) return error;
    return new YamlError(error.message, error.line, Math.max(1, error.column - this.#added.length));
  }

  /** Returns whether that helps. */
  #indent(line: number): boolean {
    this.#lines ??= this.text.split(LINE_BREAK);
    const own = this.#lines[line];
    if (own === undefined || this.#moved.has(line)) return false;
    // Wherever a bracket or quote opens, the block that it is in begins no further right than this.
    this.#added ||= ' '.repeat(
      1 + this.#lines.reduce((most, each) => Math.max(most, /^[ ?-]*/u.exec(each)?.[0].length ?? 0), 0),
    );
    this.#moved.add(line);
    this.#lines[line] = `${this.#added}${own}`;
    this.text = this.#lines.join('\n');
    return true;
  }
}

/** A node ends with its line, at a sign within brackets, or at the colon behind a key. */
function mostNodes(text: string): number {
  let count = 1;
  for (const sign of ['\n', ',', '[', '{', ': ', '- '])
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) count++;
  return count;
}

/** Where YAML 1.1 begins a new line, and 1.2 doesn't: what stands behind it could be a comment or another key. */
const FOREIGN_BREAK =
  'a character that kubectl takes for a line break (U+0085, U+2028 or U+2029). Write it in double quotes, as an escape';

/** Within brackets kubectl begins a key at them, and takes a comma behind a tag for a part of that. */
const DOUBTFUL_IN_FLOW =
  'text within brackets with ? in it, : in front, or nothing but a tag, which kubectl reads otherwise. Put it in quotes';

function at(text: string, index: number, message: string): YamlError {
  const before = text.slice(0, index);
  const line = before.split(LINE_BREAK).length;
  return new YamlError(message, line, index - Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')));
}

/** js-yaml's word for a line within brackets or quotes. */
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

/** How much a node is, with all that it holds and what its aliases stand for. */
interface AliasExtent {
  readonly nodes: number;
  readonly characters: number;
}

/** Documents below this may be aliases almost entirely, those above `MANY` a tenth at most. */
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

  /** One more node, and those that it stands for as an alias; in words why that is too much. */
  spend(aliased: number, characters: number): string | undefined {
    this.#nodes += 1 + aliased;
    this.#aliased += aliased;
    this.#characters += characters;
    // As kubectl bounds them (go.yaml.in/yaml/v2 decode.go `allowedAliasRatio`, v2.4.3).
    const tooMany =
      this.#aliased > 100 && this.#nodes > 1_000 && this.#aliased / this.#nodes > allowedShare(this.#nodes);
    // kubectl would go on to write them out one by one.
    if (!tooMany && this.#characters <= this.#maxCharacters) return undefined;
    return 'its aliases stand for too much: they would multiply what the file holds';
  }
}

function allowedShare(nodes: number): number {
  const beyond = Math.min(Math.max(nodes - FEW, 0) / (MANY - FEW), 1);
  return 0.99 - 0.89 * beyond;
}

/** A node that is complete. `height`: levels of collections in it. */
interface Built extends AliasExtent {
  readonly value: unknown;
  readonly height: number;
  readonly is: 'scalar' | 'collection' | 'alias';
  /** What it is as a key: text, or that a mapping is to be merged. Undefined for what cannot be one. */
  readonly key: Open['key'];
}

/** A collection that isn't. */
interface Open {
  readonly value: unknown[] | Record<string, unknown>;
  readonly anchor: string | undefined;
  readonly at: number;
  /** Within brackets or braces. */
  readonly flow: boolean;
  nodes: number;
  characters: number;
  height: number;
  /** Mappings: the key whose value comes next; `merge` for a merge key. */
  key: { readonly text: string } | 'merge' | undefined;
  /** Its own keys, known apart from merged ones once there are any. */
  own: Set<string> | undefined;
}

class Builder {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #budget: AliasBudget;
  readonly #lastOfTwice: boolean;
  /** By name; undefined while the node that it stands for is incomplete. */
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
          // Of the document itself: another one doesn't belong to it.
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
          : // It may be a password that nobody has put in quotes.
            'an alias without an anchor. Put text that begins with * in quotes',
      );
    if (this.#open.length + target.height > this.#maxDepth) this.#fail(tooDeep(this.#maxDepth));
    this.#count(target.nodes, target.characters);
    this.#add({ ...target, nodes: target.nodes + 1, is: 'alias' });
  }

  /** One more node, and as many behind it. */
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
      // An alias of the merge key is a key of this name.
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
      this.#fail(`the key ${JSON.stringify(key.slice(0, 100))} stands here twice`);
    parent.own?.add(key);
    put(mapping, key, value);
  }

  /**
   * What is merged takes the place of what stands before it in the mapping, and gives way to what stands behind it;
   * of several mappings the first has precedence (go.yaml.in/yaml/v2 decode.go `mapping`, `merge`, v2.4.3).
   */
  #merge(parent: Open, mapping: Record<string, unknown>, built: Built): void {
    parent.own ??= new Set(Object.keys(mapping));
    // A sequence behind an alias isn't taken, though one of aliases is.
    const parts: readonly unknown[] =
      Array.isArray(built.value) && built.is === 'collection' ? built.value.toReversed() : [built.value];
    for (const part of parts) {
      if (typeof part !== 'object' || part === null || Array.isArray(part))
        this.#fail('a merge key (<<) needs a mapping, or a sequence of mappings');
      for (const [key, value] of Object.entries(part)) put(mapping, key, value);
    }
  }

  /** `!!int`, `!!str`; undefined where there is none. */
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
