/** Reads facts from protobuf by their table. Pods have a faster reader (`pod-facts-reader.ts`). */
import {
  type Facts,
  type FactsTable,
  type Field,
  type Fields,
  firstCopy,
  fixed,
  none,
  type PodName,
  type Wire,
} from '../../model/index.ts';
import type { Cursor } from './cursor.ts';
import { readRun } from './object-meta.ts';
import type { Pool } from './pool.ts';

/** Reads one object after another: `begin`, `read` for each field but the metadata, `finish`. */
export interface FactsReader {
  begin(): void;
  /** Reads the field's value at the cursor. `of`: what encoders write before. */
  read(field: number, cursor: Cursor, end: number, of: PodName): void;
  finish(): Facts;
}

type Draft = Record<string, unknown>;

export class TableReader implements FactsReader {
  readonly #table: FactsTable<Facts['kind'], Fields>;
  readonly #pool: Pool;
  readonly #message: Message;
  #draft: Draft;

  constructor(table: FactsTable<Facts['kind'], Fields>, pool: Pool) {
    this.#table = table;
    this.#pool = pool;
    this.#message = compileMessage({ kind: fixed(table.kind), ...table.fields });
    this.#draft = { ...this.#message.first };
  }

  begin(): void {
    this.#draft = { ...this.#message.first };
  }

  read(field: number, cursor: Cursor, end: number): void {
    this.#message.steps[field]?.(this.#draft, cursor, end, this.#pool);
  }

  finish(): Facts {
    const values = finishDraft(this.#message, this.#draft);
    // The table of a kind has its facts.
    return (this.#table.complete?.(values) ?? values) as Facts;
  }
}

/** Reads a field's value at the cursor, in a message that ends at `end`, into a draft. */
type Step = (draft: Draft, cursor: Cursor, end: number, pool: Pool) => void;
/** Returns the value at the cursor; `before` is the value read so far of the same field. */
type Read = (cursor: Cursor, end: number, pool: Pool, before: unknown) => unknown;
type Entry = readonly [name: string, field: Pick<Field<unknown>, 'numbers' | 'wire'>];

interface Message {
  /** Copied for each message: the copies share its hidden class. */
  readonly first: Draft;
  /** By field number. */
  readonly steps: readonly (Step | undefined)[];
  /** Fields whose value is made when the whole message was read. */
  readonly mapped: readonly Entry[];
}

function compileMessage(fields: Fields): Message {
  const entries = Object.entries(fields);
  return {
    first: firstCopy(entries.map(([name, { wire }]) => [name, missingValue(wire)])),
    steps: compileSteps(entries.filter(([, { numbers }]) => numbers.length > 0)),
    mapped: entries.filter(([, { wire }]) => wire.type === 'mapped'),
  };
}

function missingValue(wire: Wire): unknown {
  if (wire.type === 'message') return wire.isOptional ? undefined : compileMessage(wire.fields).first;
  if (wire.type === 'list') return none;
  return wire.type === 'mapped' ? missingValue(wire.of) : wire.missing;
}

function compileSteps(entries: readonly Entry[]): readonly (Step | undefined)[] {
  const steps: Step[] = [];
  for (const [number, here] of Map.groupBy(entries, ([, { numbers }]) => numbers[0] ?? 0)) {
    const [values, messages] = [here.filter(isValue), here.filter(entry => !isValue(entry))];
    const all = values.map(([name, { wire }]) => storeUnder(name, compileRead(wire, number)));
    if (messages.length > 0) all.push(enterMessage(messages));
    const [first] = all;
    steps[number] = all.length === 1 && first !== undefined ? first : readAgain(all);
  }
  return steps;
}

function isValue([, { numbers }]: Entry): boolean {
  return numbers.length === 1;
}

function storeUnder(name: string, read: Read): Step {
  return (draft, cursor, end, pool) => {
    draft[name] = read(cursor, end, pool, draft[name]);
  };
}

/** Reads the message at the cursor into the same draft. */
function enterMessage(entries: readonly Entry[]): Step {
  const steps = compileSteps(
    entries.map(([name, field]): Entry => [name, { ...field, numbers: field.numbers.slice(1) }]),
  );
  return (draft, cursor, _end, pool) => readFields(steps, draft, cursor, pool);
}

/** Reads a value once for each fact that is kept of it. */
function readAgain(steps: readonly Step[]): Step {
  return (draft, cursor, end, pool) => {
    const start = cursor.pos;
    for (const step of steps) {
      cursor.pos = start;
      step(draft, cursor, end, pool);
    }
  };
}

function readFields(steps: Message['steps'], draft: Draft, cursor: Cursor, pool: Pool): void {
  const end = cursor.enter();
  for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end))
    steps[field]?.(draft, cursor, end, pool);
  cursor.leave(end);
}

function finishDraft({ mapped }: Message, draft: Draft): Draft {
  for (const [name, { wire }] of mapped) draft[name] = mapValue(wire, draft[name]);
  return draft;
}

function mapValue(wire: Wire, value: unknown): unknown {
  return wire.type === 'mapped' ? wire.map(mapValue(wire.of, value)) : value;
}

/** Compiles a reader of values that aren't mapped yet. */
export function compileRead(wire: Wire, number: number): Read {
  switch (wire.type) {
    case 'text':
      return cursor => cursor.text();
    case 'word':
      return (cursor, _end, pool) => cursor.shared(pool.strings);
    case 'flag':
      return cursor => cursor.flag();
    case 'integer':
      return cursor => cursor.signed();
    case 'time':
      return cursor => cursor.time();
    case 'labels':
      return (cursor, end, pool, before) => {
        const labels = before as readonly string[];
        return readRun(cursor, pool.labels, end, labels.length === 0 ? undefined : labels);
      };
    case 'message': {
      const message = compileMessage(wire.fields);
      return (cursor, _end, pool) => {
        const draft = { ...message.first };
        readFields(message.steps, draft, cursor, pool);
        return finishDraft(message, draft);
      };
    }
    case 'list':
      return compileListRead(wire.of, number);
    case 'mapped':
      return compileRead(wire.of, number);
  }
}

/** Reads a run of elements, as Go writes them; another encoder may split it. */
function compileListRead(of: Wire, number: number): Read {
  const read = compileRead(of, number);
  return (cursor, end, pool, before) => {
    const found: unknown[] = [];
    for (;;) {
      found.push(mapValue(of, read(cursor, end, pool, undefined)));
      const next = cursor.pos;
      if (cursor.nextField(end) === number) continue;
      cursor.pos = next;
      const list = before as readonly unknown[];
      // A copy has no room for more.
      return list.length === 0 ? found.slice() : [...list, ...found];
    }
  };
}
