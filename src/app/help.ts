/** The help, made from the table of commands and from the words that rows use. */
import { asciiGlyphs, unicodeGlyphs } from '../text/glyphs.ts';
import type { Span } from '../text/style.ts';
import { commands, isIn, isWorking } from './bindings.ts';
import type { Command } from './command.ts';
import { keyLabel } from './keys.ts';
import { layoutOf } from './layout.ts';
import type { State } from './state.ts';

const groups: readonly Command['group'][] = ['Move', 'Fold', 'Find', 'Act', 'Object', 'Screen'];

export function helpLines(state: State): readonly (readonly Span[])[] {
  const layout = layoutOf(state);
  const lines: (readonly Span[])[] = [];
  for (const group of groups) {
    lines.push([{ text: group, style: 'title' }]);
    for (const command of commands) {
      if (command.group !== group || !isIn(command, state.view)) continue;
      const keys = command.keys.map(key => keyLabel(key, state.options.ascii)).join('  ');
      const works = isWorking(command, state, layout);
      const refusal = works ? command.refused?.(state) : undefined;
      const isGrey = !works || refusal !== undefined;
      lines.push([
        { text: `  ${keys.padEnd(22)}`, style: isGrey ? 'muted' : 'info' },
        { text: command.title, style: isGrey ? 'muted' : 'plain' },
        ...(works ? [] : [{ text: '  (nothing to do now)', style: 'muted' as const }]),
        ...(refusal === undefined
          ? []
          : [{ text: `  (not permitted: ${refusal})`, style: 'muted' as const }]),
      ]);
    }
    lines.push([]);
  }
  lines.push([{ text: 'What the rows say', style: 'title' }]);
  for (const [word, meaning] of legend) {
    lines.push([
      { text: `  ${drawn(word, state).padEnd(22)}`, style: 'info' },
      { text: drawn(meaning, state), style: 'plain' },
    ]);
  }
  return lines;
}

function drawn(text: string, { options }: State): string {
  if (!options.ascii) return text;
  return text
    .replaceAll(unicodeGlyphs.danger, asciiGlyphs.danger)
    .replaceAll(unicodeGlyphs.warning, asciiGlyphs.warning);
}

export const legend = [
  ['✗ REASON', 'an error was found: the details say more, and 2 lists all'],
  ['⚠ REASON', 'the same with a warning'],
  ['✗ 2 below', 'folded, and 2 objects below have errors; with ⚠ they have warnings'],
  ['foreground, 12m', 'deleted in the foreground 12 minutes ago: waits for what it owns'],
  ['orphaning', 'deleted, and what it owns is being set free'],
  ['held: NAME', 'deleted, and waits for whoever handles this finalizer'],
  ['will be collected', 'no owner exists any more: the garbage collector deletes it next'],
  ['never collected', 'a cluster-scoped object with a namespaced owner: the collector refuses it'],
  ['only in references', 'others name it as their owner, but it was never seen'],
  ['(+1 owner)', 'it has another owner, and stands below that one too'],
  ['(cycle)', 'it stands above itself: its owners form a circle'],
  ['in <14s', "PodGC's next cycle takes the pod, and comes within that time"],
  ['in ~31s', 'about then: when a cycle of PodGC begins can not be seen'],
  ['overdue', 'PodGC should have taken it: it is away, or its requests are refused'],
  ['again', 'PodGC deletes it in each cycle, to no effect as long as finalizers hold it'],
] as const;
