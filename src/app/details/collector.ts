/** Details of a Collector row: a part's meaning and certainty, or an item. */
import { itemRemark, itemTitle, partLines } from '../../text/collector/parts.ts';
import { stepLines } from '../../text/collector/step.ts';
import { asciiLine } from '../../text/terminal/ascii.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { CollectorRow } from '../cluster/collector.ts';
import { asOf, type State } from '../state/state.ts';

/** Returns the lines before the object's own, or all lines if the row has no object. */
export function collectorDetails(state: State, row: CollectorRow): readonly TextLine[] {
  const lines = rowDetails(state, row);
  if (!state.options.ascii) return lines;
  return lines.map(asciiLine);
}

function rowDetails(state: State, row: CollectorRow): readonly TextLine[] {
  const { collector } = state.cluster ?? {};
  if (row.kind === 'group') return partLines(row.head.part, row.head.state);
  const { item } = row;
  if (item.of === 'step') return stepLines(item.step, undefined);
  const remark = itemRemark(item, asOf(state));
  const told = collector?.state;
  return [
    ...(item.of === 'monitor' || item.of === 'undiscovered' ? [textLine(itemTitle(item), 'title')] : []),
    ...(remark === '' ? [] : [textLine(remark)]),
    ...(told === undefined ? [] : [...partLines(row.group, told).slice(1), emptyLine]),
  ];
}
