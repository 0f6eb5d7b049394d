/** Managers as text: a heading each, with its objects below in the tree's columns. */
import type { GraphNode } from '../../../graph/index.ts';
import { formatCount, objectTitle, objectTitleIn } from '../../../model/index.ts';
import { inAscii, type ManagerGroup, managerWords, nameWords, Span, truncate } from '../../../text/index.ts';
import { managedIn } from '../tree/manager-list.ts';
import { type TreeContext, treeIdentity } from '../tree/ownership-tree.ts';
import { formatRow, measureRows, nodeCells, type Row, type TextOptions, titleLine } from './text.ts';

export function* printManagers(
  groups: readonly ManagerGroup[],
  context: TreeContext,
  options: TextOptions,
): Generator<string> {
  const all = groups.flatMap(group => group.items.map((node, index) => ({ group, node, index })));
  const rows = all.map(({ group, node, index }) => rowOf(group, node, index, context, options));
  const widths = measureRows(rows, options);
  if (options.headers) yield titleLine(widths, options);
  let printed: ManagerGroup | undefined;
  for (const [index, row] of rows.entries()) {
    const group = all[index]?.group;
    if (group !== undefined && group !== printed) yield headingLine((printed = group), options);
    yield `${formatRow(row, widths, options)}\n`;
  }
}

/** Returns `Helm release shop/web (2)  4 with what they control`. */
function headingLine({ manager, objects, items }: ManagerGroup, options: TextOptions): string {
  const title = `${managerWords.heading(manager)} (${formatCount(items.length)})`;
  const meaning = managerWords.count(objects, items.length);
  const spans: Span[] = [
    { text: title, style: 'title' },
    { text: meaning === '' ? '' : `  ${meaning}`, style: 'muted' },
  ];
  let room = options.width ?? Number.POSITIVE_INFINITY;
  const shown = spans.map(span => {
    const { text, style } = options.glyphs.ascii ? inAscii.span(span) : span;
    const cut = { text: truncate(text, room, options.glyphs.ellipsis), style };
    room -= cut.text.length;
    return cut;
  });
  return `${Span.paintAll(shown, options.colour).trimEnd()}\n`;
}

function rowOf(
  group: ManagerGroup,
  node: GraphNode,
  index: number,
  context: TreeContext,
  options: TextOptions,
): Row {
  const { glyphs } = options;
  const identity = treeIdentity(context, node);
  const through = managedIn(group, node, context)?.through;
  const cells: Span[] = [
    { text: objectTitle(identity), style: 'plain' },
    ...nodeCells(context, node, options),
    {
      text: through === undefined ? '' : `managed with ${objectTitleIn(through, identity.namespace)}`,
      style: 'muted',
    },
  ];
  return {
    lead: index === group.items.length - 1 ? glyphs.lastBranch : glyphs.branch,
    cells: glyphs.ascii ? cells.map(inAscii.span) : cells,
  };
}

/** Returns each object with a row once, in order of groups; `namespace` works as in `printNames`. */
export function printManagedNames(groups: readonly ManagerGroup[], namespace: string | undefined): string[] {
  const nodes = new Set(groups.flatMap(({ items }) => items));
  return [...nodes].map(({ identity }) => `${nameWords.scoped(identity, namespace)}\n`);
}
