import { displayWidth, type Line, type Span, truncate } from '../../text/index.ts';
import { widthOf } from './fit.ts';

/** JSON is one word, which breaks between its fields; a path breaks between its parts. */
const breaks = [/^.*,(?=["{[]|$)/su, /^.+\//su];

/** Wraps a line at words, later lines indented by `hanging`; breaks a word wider than the line. */
export function wrapLine(line: Line, width: number, hanging = leadingBlanks(line) + 2): readonly Line[] {
  if (widthOf(line) <= width) return [line];
  const indent = ' '.repeat(Math.min(hanging, Math.floor(width / 2)));
  const lines: Span[][] = [];
  let current: Span[] = [];
  let used = 0;
  const next = (): void => {
    lines.push(current);
    current = [{ text: indent, style: 'plain' }];
    used = indent.length;
  };
  for (const { text, ...look } of line) {
    for (const part of text.split(/(?<= )(?! )/u)) {
      let word = part;
      const fits = used + displayWidth(word.trimEnd()) <= width;
      if (!fits && used > indent.length) {
        next();
        word = word.trimStart();
      }
      while (displayWidth(word.trimEnd()) > width - used) {
        const cut = truncate(word, Math.max(1, width - used), '');
        if (cut === '') break;
        const [head = cut] = breaks.flatMap(each => each.exec(cut) ?? []);
        current.push({ text: head, ...look });
        word = word.slice(head.length);
        next();
      }
      if (word === '') continue;
      const room = width - used;
      const shown = displayWidth(word) > room ? word.trimEnd() : word;
      current.push({ text: shown, ...look });
      used += displayWidth(shown);
    }
  }
  lines.push(current);
  return lines;
}

export function leadingBlanks(line: Line): number {
  const text = line[0]?.text ?? '';
  return text.length - text.trimStart().length;
}
