/** Draws a row of the Managers view: object, state and age. */
import type { GraphNode } from '../../../graph/index.ts';
import { formatCount, objectTitleIn } from '../../../model/index.ts';
import { displayWidth, type Line, managerWords, padEnd, truncated } from '../../../text/index.ts';
import type { ManagerRow } from '../../cluster/manager-rows.ts';
import { glyphsOf, rowStart } from '../../drawing/fit.ts';
import { headingLine } from '../../drawing/heading.ts';
import { UNCUT_COLUMNS } from '../../state/layout.ts';
import { agesAsOf, type State } from '../../state/state.ts';
import { cellOf } from '../tree/cells.ts';
import { cellText } from '../tree/columns.ts';
import { nodeState } from '../tree/row.ts';

const INDENT = 3;
const AGE = 7;

function columnsOf(width: number): { readonly name: number; readonly state: number } {
  const most = width >= UNCUT_COLUMNS ? width : 38;
  const state = Math.max(18, Math.min(most, Math.floor(width * 0.4)));
  return { name: width - state - AGE, state };
}

export function managerHeader(width: number): Line {
  const { name, state } = columnsOf(width);
  const text = `${padEnd(' MANAGED', name)}${padEnd('STATE', state)}${'AGE'.padStart(AGE - 1)} `;
  return [{ text, style: 'muted' }];
}

export function managerRow(state: State, row: ManagerRow, chosen: boolean, width: number): Line {
  if (row.kind === 'item') return nodeLine(state, row.item, chosen, width);
  const { head, count, folded } = row;
  const meaning = managerWords.count(head.objects, count);
  const title = managerWords.heading(head.manager);
  return headingLine({ chosen, folded, title, count, meaning }, width, glyphsOf(state));
}

function nodeLine(state: State, node: GraphNode, chosen: boolean, width: number): Line {
  const glyphs = glyphsOf(state);
  const columns = columnsOf(width);
  const room = columns.name - INDENT - 1;
  const { size } = node.dependents;
  const count = size === 0 ? '' : ` (${formatCount(size)})`;
  const title = objectTitleIn(node.identity, state.cluster?.namespace ?? '');
  const name = truncated.title(title, room - count.length, glyphs.ellipsis);
  const left = room - displayWidth(name);
  const age = cellOf('age', node, { now: agesAsOf(state), managers: () => [] });
  return [
    rowStart(state, chosen, node.uid, INDENT),
    { text: name, style: node.virtual ? 'ghost' : 'plain' },
    { text: padEnd(count, left + 1), style: 'muted' },
    ...nodeState(state, node, { width: columns.state, below: true }, glyphs),
    { ...age, text: cellText({ width: AGE, align: 'right' }, age.text, glyphs.ellipsis) },
  ];
}
