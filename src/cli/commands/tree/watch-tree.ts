/**
 * `tree --watch` after the tree. Text: a line with the full name of each object whose line changed. Other formats: the
 * name, or the whole document again.
 */

import type { GraphNode } from '../../../graph/index.ts';
import { objectTitle, type SourceBatch, type Uid } from '../../../model/index.ts';
import { displayWidth, nameWords } from '../../../text/index.ts';
import {
  columnTitles,
  formatRow,
  markOf,
  nodeCells,
  noteCell,
  type Row,
  type TextOptions,
} from '../../documents/print/text.ts';
import { treeContext } from '../../documents/tree/ownership-tree.ts';
import { firstPlaces, type Selection } from '../../documents/tree/selection.ts';
import type { Output } from '../../runtime/output.ts';
import { isText } from '../../runtime/output-formats.ts';
import { type AnswerScope, keepConfirming } from '../../session/confirm.ts';
import { Watch } from '../../session/watch.ts';
import { printTree, refreshColumns, selectTree, type TreeRun } from './run-tree.ts';

export interface TreeWatch {
  readonly run: TreeRun;
  readonly selection: Selection;
  readonly output: Output;
  readonly pending: readonly SourceBatch[];
  readonly widths: readonly number[];
  readonly scope: AnswerScope;
}

const STATE_WIDTH = 24;
const NOTE_WIDTH = 40;

/** Returns minimum widths that align later lines, with full names, with the first tree. */
export function watchWidths(selection: Selection, options: TextOptions): number[] {
  const titles = columnTitles(options);
  let name = 0;
  for (const { node } of firstPlaces(selection))
    name = Math.max(name, markOf(true, options).length + displayWidth(objectTitle(node.identity)));
  return titles.map((title, index) =>
    index === 0 ? name : index === 1 ? STATE_WIDTH : index === titles.length - 1 ? NOTE_WIDTH : title.length,
  );
}

/** Ignores the age, which always changes. */
function content(row: Row): string {
  return [row.lead, ...row.cells.map((cell, index) => (index === 2 ? '' : cell.text))].join('\t');
}

class Lines {
  readonly #run: TreeRun;
  readonly #widths: readonly number[];
  readonly #shown = new Map<Uid, Row>();

  constructor(run: TreeRun, widths: readonly number[]) {
    this.#run = run;
    this.#widths = widths;
  }

  remember(selection: Selection): void {
    for (const { node } of firstPlaces(selection))
      if (this.#prints(selection, node)) this.#shown.set(node.identity.uid, this.#row(node, selection));
  }

  #row(node: GraphNode, selection: Selection): Row {
    const context = treeContext(this.#run.session.view);
    const options = { ...this.#run.text, now: this.#run.session.now() };
    const selected = selection.isTarget(node);
    const hidden = selection.hidden(node);
    const rest = { depth: 0, last: true, seeAlso: false, cycle: false, hidden, selected };
    const place = { node, parent: undefined, ...rest };
    return {
      lead: markOf(selected, options),
      cells: [
        { text: objectTitle(node.identity), style: node.virtual ? 'ghost' : 'plain' },
        ...nodeCells(context, node, options),
        noteCell(context, place),
      ],
    };
  }

  #prints(selection: Selection, node: GraphNode): boolean {
    return this.#run.format === 'name' ? selection.isTarget(node) && !node.virtual : selection.has(node);
  }

  *changed(nodes: Iterable<GraphNode>, selection: Selection): Generator<string> {
    for (const node of nodes) {
      if (!this.#prints(selection, node)) continue;
      const row = this.#row(node, selection);
      const shown = this.#shown.get(node.identity.uid);
      if (shown !== undefined && content(shown) === content(row)) continue;
      this.#shown.set(node.identity.uid, row);
      yield this.#line(row, node);
    }
  }

  *removed(nodes: Iterable<GraphNode>): Generator<string> {
    for (const node of nodes) {
      // Deletions of objects that were never shown aren't reported.
      const shown = this.#shown.get(node.identity.uid);
      if (shown === undefined) continue;
      this.#shown.delete(node.identity.uid);
      const name = { text: objectTitle(node.identity), style: 'muted' as const };
      yield this.#line({ lead: shown.lead, cells: [name, { text: 'deleted', style: 'muted' }] }, node);
    }
  }

  #line(row: Row, node: GraphNode): string {
    if (this.#run.format === 'name') return `${nameWords.scoped(node.identity, this.#run.namespace)}\n`;
    // Only terminals cut lines; elsewhere a long name shifts its columns.
    const { text } = this.#run;
    const widths =
      text.width === undefined
        ? this.#widths.map((width, index) =>
            Math.max(width, (index === 0 ? row.lead.length : 0) + displayWidth(row.cells[index]?.text ?? '')),
          )
        : this.#widths;
    return `${formatRow(row, widths, text)}\n`;
  }
}

/** Runs until it rejects, with `Interrupted` or `ReaderGone`. */
export async function watchTree(watch: TreeWatch): Promise<void> {
  const { run, output } = watch;
  const { session } = run;
  const lines = new Lines(run, watch.widths);
  const tabular = isText(run.format) || run.format === 'name';
  if (tabular) lines.remember(watch.selection);
  const changes = new Watch(session, run.io, watch.pending, tabular);
  for (;;) {
    const batches = await changes.next();
    const touched = new Map<Uid, GraphNode>();
    const removed = new Map<Uid, GraphNode>();
    for (const batch of batches) {
      const { graph } = session.view.apply(batch, session.now());
      for (const node of graph.removed) {
        touched.delete(node.identity.uid);
        removed.set(node.identity.uid, node);
      }
      for (const node of graph.touched) {
        removed.delete(node.identity.uid);
        touched.set(node.identity.uid, node);
      }
    }
    keepConfirming(session, watch.scope);
    const isNews = changes.report();
    if (touched.size + removed.size > 0 || (isNews && !tabular)) {
      const selection = selectTree(run, 'skip');
      const here = [...touched.values()].sort(run.order);
      if (tabular)
        await refreshColumns(
          run,
          here.filter(node => selection.has(node)),
        );
      if (tabular)
        await output.write([...lines.removed(removed.values()), ...lines.changed(here, selection)]);
      else await output.write(again(run, selection));
    }
  }
}

function* again(run: TreeRun, selection: Selection): Generator<string> {
  if (run.format === 'yaml') yield '---\n';
  yield* printTree(run, selection);
}
