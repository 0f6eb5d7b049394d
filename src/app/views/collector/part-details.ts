/** Details of a Collector row: a part's meaning and certainty, or an item. */
import { inAscii, partWords, stepLines, TextLine } from '../../../text/index.ts';
import type { CollectorRow } from '../../cluster/collector.ts';
import { asOf, type State } from '../../state/state.ts';

/** Returns the lines before the object's own, or all lines if the row has no object. */
export function collectorDetails(state: State, row: CollectorRow): readonly TextLine[] {
  const lines = rowDetails(state, row);
  if (!state.options.ascii) return lines;
  return lines.map(inAscii.line);
}

function rowDetails(state: State, row: CollectorRow): readonly TextLine[] {
  const { collector } = state.cluster ?? {};
  if (row.kind === 'group') return partWords.lines(row.head.part, row.head.state);
  const { item } = row;
  if (item.of === 'step') return stepLines(item.step, undefined);
  const remark = partWords.itemRemark(item, asOf(state));
  const told = collector?.state;
  return [
    ...(item.of === 'monitor' || item.of === 'undiscovered'
      ? [TextLine.of(partWords.itemTitle(item), 'title')]
      : []),
    ...(remark === '' ? [] : [TextLine.of(remark)]),
    ...(told === undefined ? [] : [...partWords.lines(row.group, told).slice(1), TextLine.empty]),
  ];
}
