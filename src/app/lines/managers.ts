/** Draws a row of the Managers view: object, state and age. */
import type { GraphNode } from '../../graph/node.ts';
import { formatCount, objectTitleIn } from '../../model/text/titles.ts';
import { managedCount, managerHeading } from '../../text/diagnosis/managers.ts';
import type { Line } from '../../text/terminal/style.ts';
import { displayWidth, padEnd, truncate } from '../../text/terminal/width.ts';
import type { ManagerRow } from '../cluster/managers.ts';
import { UNCUT_COLUMNS } from '../state/layout.ts';
import { asOf, type State } from '../state/state.ts';
import { glyphsOf, rowStart } from './frame.ts';
import { headingLine } from './heading.ts';
import { nodeState } from './row.ts';
import { AGE, ageOf } from './tree/cells.ts';

const INDENT = 3;

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

export function managerRow(state: State, row: ManagerRow, index: number, width: number): Line {
  const chosen = index === state.managers.index;
  if (row.kind === 'item') return nodeLine(state, row.item, chosen, width);
  const { head, count, folded } = row;
  const meaning = managedCount(head.objects, count);
  const title = managerHeading(head.manager);
  return headingLine({ chosen, folded, title, count, meaning }, width, glyphsOf(state));
}

function nodeLine(state: State, node: GraphNode, chosen: boolean, width: number): Line {
  const glyphs = glyphsOf(state);
  const columns = columnsOf(width);
  const room = columns.name - INDENT - 1;
  const name = truncate(objectTitleIn(node.identity, state.cluster?.namespace ?? ''), room, glyphs.ellipsis);
  const { size } = node.dependents;
  const count = size === 0 ? '' : ` (${formatCount(size)})`;
  const left = room - displayWidth(name);
  const age = node.object === undefined ? '' : ageOf(node.object.creationTimestamp, asOf(state));
  return [
    rowStart(state, chosen, node.uid, INDENT),
    { text: name, style: node.virtual ? 'ghost' : 'plain' },
    { text: padEnd(count.length <= left ? count : '', left + 1), style: 'muted' },
    ...nodeState(state, node, { width: columns.state, below: true }, glyphs),
    { text: `${age.padStart(AGE - 1)} `, style: 'muted' },
  ];
}
