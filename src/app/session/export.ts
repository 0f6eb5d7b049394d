/** Exports all rows of the screen uncut, and open details. Works in steps: a tree may have 150,000 rows. */

import { counted, showHidden } from '../../model/index.ts';
import { displayWidth, type Line, timeText } from '../../text/index.ts';
import type { Ports } from '../background/ports.ts';
import { SlicedWork } from '../background/sliced-work.ts';
import { filterSentence, unfollowedSentence } from '../screen/frame.ts';
import { titleLine } from '../screen/title.ts';
import { sortTitles } from '../settings/sort.ts';
import { layoutOf, UNCUT_COLUMNS } from '../state/layout.ts';
import type { Message } from '../state/messages.ts';
import type { Dialog, State } from '../state/state.ts';
import { detailsLines } from '../views/object-details.ts';
import { emptyLines, viewOf } from '../views/registry.ts';

export interface Exported {
  /** File name of letters, digits, dots and hyphens, with the time. */
  readonly name: string;
  readonly text: string;
  readonly size: string;
}

const DETAILS_COLUMNS = 100;

/** Yields between steps of some microseconds; returns the file. */
export function* exportSteps(state: State): Generator<undefined, Exported> {
  const { dialog } = state;
  return dialog?.kind === 'text' ? textFile(state, dialog) : yield* viewFile(state);
}

function* viewFile(state: State): Generator<undefined, Exported> {
  const { tree, details } = layoutOf(state);
  const lines = headLines(state);
  let size = 'the details';
  if (tree !== undefined) {
    const list = viewOf(state).lines(state, UNCUT_COLUMNS);
    size = counted(list.length, 'row');
    const columns = new ColumnCompactor();
    columns.add(plain(list.header));
    for (const { spans, across } of list.rows(0, list.length)) {
      if (across) columns.addAcross(plain(spans));
      else columns.add(plain(spans));
      yield;
    }
    for (const line of columns.narrowed()) {
      lines.push(line);
      yield;
    }
    if (list.length === 0) lines.push(...emptyLines(state).map(({ text }) => text));
  }
  const about = details === undefined ? [] : detailsLines(state, DETAILS_COLUMNS).map(plain);
  if (about.length > 0) lines.push(...(tree === undefined ? [] : ['', '-'.repeat(8), '']), ...about);
  return { name: nameOf(state.view, state.now), text: joined(lines), size };
}

function headLines(state: State): string[] {
  const title = plain(titleLine({ ...state, columns: UNCUT_COLUMNS })).trim();
  const { title: view } = viewOf(state);
  const sorted = state.view === 'tree' ? `; order: ${sortTitles[state.tree.sort]}` : '';
  const remarks = [unfollowedSentence(state), filterSentence(state)].filter(text => text !== '');
  return [
    title.replaceAll(/ {3,}/gu, '  '),
    `${view}, written at ${timeText.timestamp(state.now)}${sorted}`,
    ...remarks,
    '',
  ];
}

function textFile(state: State, { title, lines }: Extract<Dialog, { kind: 'text' }>): Exported {
  return {
    name: nameOf(title, state.now),
    text: joined(lines.map(plain)),
    size: counted(lines.length, 'line'),
  };
}

function joined(lines: readonly string[]): string {
  return `${lines.map(line => line.trimEnd()).join('\n')}\n`;
}

function plain(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Returns `gc-tree-problems-20261121T101500Z.txt`: names from the cluster must not form a path. */
function nameOf(title: string, now: number, extension = 'txt'): string {
  const what = title
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/gu, '')
    .slice(0, 80);
  const when = timeText.timestamp(now).replaceAll(/[-:]/gu, '');
  return `gc-tree-${what === '' ? 'text' : what}-${when}.${extension}`;
}

/** Steps between two looks at the clock. */
const STEPS = 50;

type Notice = Extract<Message, { type: 'notice' }>;

/** Makes and writes the file, and reports its path. A second press meanwhile starts anew. */
export class ExportRunner {
  readonly #ports: Pick<Ports, 'now' | 'soon' | 'save' | 'cast'>;
  readonly #dispatch: (notice: Notice) => void;
  readonly #work: SlicedWork;

  constructor(ports: Pick<Ports, 'now' | 'soon' | 'save' | 'cast'>, dispatch: (notice: Notice) => void) {
    this.#ports = ports;
    this.#dispatch = dispatch;
    this.#work = new SlicedWork(ports);
  }

  stop(): void {
    this.#work.stop();
  }

  export(state: State): void {
    const steps = exportSteps(state);
    this.#work.start(() => {
      for (let i = 0; i < STEPS; i++) {
        const step = steps.next();
        if (step.done !== true) continue;
        void this.#save(step.value);
        return true;
      }
      return false;
    });
  }

  /** Begins to record the screen, or writes what was recorded. */
  async cast(): Promise<void> {
    const text = await this.#ports.cast();
    if (text !== undefined)
      return this.#save({ name: nameOf('screen', this.#ports.now(), 'cast'), text, size: 'an asciicast' });
    this.#dispatch({
      type: 'notice',
      text: 'Recording the screen: :cast ends it and writes it to a file.',
      style: 'info',
    });
  }

  async #save({ name, text, size }: Exported): Promise<void> {
    const saved = await this.#ports.save(name, text);
    const said = 'path' in saved ? `Wrote ${size} to ${saved.path}` : saved.failure;
    this.#dispatch({ type: 'notice', text: showHidden(said), style: 'path' in saved ? 'info' : 'danger' });
  }
}

const GAP = 2;

interface Piece {
  readonly at: number;
  readonly text: string;
}

/** Narrows aligned lines by dropping blank columns. */
class ColumnCompactor {
  readonly #lines: (readonly Piece[])[] = [];
  readonly #used: boolean[] = [];

  addAcross(line: string): void {
    this.#lines.push([{ at: 0, text: line }]);
  }

  add(line: string): void {
    const pieces: Piece[] = [];
    for (const match of line.matchAll(/\S+(?: \S+)*/gu)) {
      const [text] = match;
      const at = displayWidth(line.slice(0, match.index));
      pieces.push({ at, text });
      const end = at + displayWidth(text);
      while (this.#used.length < end) this.#used.push(false);
      this.#used.fill(true, at, end);
    }
    this.#lines.push(pieces);
  }

  *narrowed(): Generator<string> {
    const places = this.#places();
    for (const pieces of this.#lines) {
      let out = '';
      let width = 0;
      for (const { at, text } of pieces) {
        const place = places[at] ?? at;
        out += ' '.repeat(Math.max(0, place - width)) + text;
        width = place + displayWidth(text);
      }
      yield out;
    }
  }

  /** Returns each column's place without the blank ones. */
  #places(): readonly number[] {
    const places: number[] = [];
    let blanks = 0;
    let place = 0;
    for (let column = 0; column < this.#used.length; column++) {
      places.push(place);
      blanks = this.#used[column] === true ? 0 : blanks + 1;
      if (blanks <= GAP) place += 1;
    }
    return places;
  }
}
