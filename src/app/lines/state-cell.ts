/**
 * The STATE column of a row: the worst thing that was found about the object, else what it is doing; and on a folded
 * row, how much trouble there is below it.
 */
import type { Finding } from '../../diagnosis/engine/finding.ts';
import { reasonOf, severityStyle } from '../../text/diagnosis/finding.ts';
import { stateText } from '../../text/diagnosis/state.ts';
import type { Glyphs } from '../../text/terminal/glyphs.ts';
import type { Span } from '../../text/terminal/style.ts';
import { type StateText } from '../../text/terminal/style.ts';
import { displayWidth, padEnd, truncate } from '../../text/terminal/width.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import { asOf, type State } from '../state/state.ts';
import { formatCount } from './numbers.ts';

/** Together exactly `width` columns wide, the last one blank. */
export function stateCell(state: State, item: TreeItem, width: number, glyphs: Glyphs): readonly Span[] {
  const { cluster } = state;
  if (cluster === undefined) return [{ text: ' '.repeat(width), style: 'plain' }];
  const { node } = item;
  const finding = cluster.problems?.worstOf(node.identity.uid);
  const words = finding === undefined ? stateText(node, cluster.judge(node), asOf(state)) : badgeOf(finding);
  const below = troubleOf(state, item, glyphs);
  const mark = words.mark === '' ? '' : `${glyphs[words.mark]} `;
  const text = truncate(
    words.text,
    width - 1 - mark.length - (below === undefined ? 0 : below.text.length + 2),
    glyphs.ellipsis,
  );
  const used = mark.length + displayWidth(text);
  const own: Span[] = [
    { text: mark, style: words.style },
    { text, style: words.style },
  ];
  if (below === undefined) return [...own, { text: padEnd('', width - used), style: 'plain' }];
  const gap = used === 0 ? '' : '  ';
  return [
    ...own,
    { text: gap, style: 'plain' },
    { text: padEnd(below.text, width - used - gap.length), style: below.style },
  ];
}

function badgeOf(finding: Finding): StateText {
  const mark = finding.severity === 'error' ? 'danger' : 'warning';
  return { mark, text: reasonOf(finding), style: severityStyle(finding.severity) };
}

/** `✗ 2 below`: how many objects below a folded row are as bad as the worst of them. */
function troubleOf({ cluster }: State, item: TreeItem, glyphs: Glyphs): Span | undefined {
  if (item.children !== undefined || item.cycle || item.node.dependents.size === 0) return undefined;
  const trouble = cluster?.problems?.troubleBelow(item.node.identity.uid);
  if (trouble === undefined) return undefined;
  const { errors, warnings } = trouble;
  return errors > 0
    ? { text: `${glyphs.danger} ${formatCount(errors)} below`, style: 'danger' }
    : { text: `${glyphs.warning} ${formatCount(warnings)} below`, style: 'warning' };
}
