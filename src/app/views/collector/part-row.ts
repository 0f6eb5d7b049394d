/** Draws a row of the Collector view: a part with its count, or one of its items. */
import { counted } from '../../../model/index.ts';
import { type Line, padEnd, partWords, type Style } from '../../../text/index.ts';
import { type CollectorItem, type CollectorRow, objectOf } from '../../cluster/collector.ts';
import { fit, glyphsOf, rowStart } from '../../drawing/fit.ts';
import { headingLine } from '../../drawing/heading.ts';
import { asOf, type State } from '../../state/state.ts';
import { filledRow } from '../view.ts';

const INDENT = 5;

export function collectorHeader(state: State, width: number): Line {
  const { ellipsis } = glyphsOf(state);
  const told = state.cluster?.collector?.state;
  if (told === undefined) return [{ text: padEnd(' COLLECTOR', width), style: 'muted' }];
  const text = ` COLLECTOR  ${partWords.knowledge(told)}; ${counted(told.nodes, 'node')}`;
  const remark = told.running ? (told.workersWait ? '  its workers wait' : '') : '  it does not run';
  return fit(
    [
      { text, style: 'muted' },
      { text: remark, style: 'warning' },
    ],
    width,
    ellipsis,
  );
}

export function collectorRow(state: State, row: CollectorRow, chosen: boolean, width: number): Line {
  const glyphs = glyphsOf(state);
  if (row.kind === 'group') {
    const { title, brief } = partWords.title(row.head.part);
    return headingLine(
      { chosen, folded: row.folded, title, count: row.count, meaning: brief },
      width,
      glyphs,
    );
  }
  const { item } = row;
  const title = partWords.itemTitleIn(item, state.cluster?.namespace ?? '');
  const remark = partWords.itemRemark(item, asOf(state));
  const line: Line = [
    rowStart(state, chosen, objectOf(item)?.uid, INDENT),
    { text: title, style: styleOf(item) },
    { text: remark === '' ? '' : `  ${remark}`, style: 'muted' },
  ];
  return filledRow(state, line, width);
}

function styleOf(item: CollectorItem): Style {
  switch (item.of) {
    case 'queued':
      return item.item.virtual ? 'ghost' : 'plain';
    case 'object':
      return item.dependents === undefined ? 'plain' : 'ghost';
    case 'monitor':
      return item.monitor.state === 'blind' ? 'warning' : 'plain';
    case 'undiscovered':
      return 'warning';
    case 'due':
    case 'step':
      return 'plain';
  }
}
