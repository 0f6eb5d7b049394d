/** Terminal lines as self-contained SVG and HTML pictures with a light and a dark scheme. */
import { showHidden } from '../../../model/index.ts';
import { displayWidth, type Line, type Style } from '../../../text/index.ts';

/** Pixels of a cell in a 14-pixel monospaced font, whose characters are 0.6 of its size wide. */
const CELL = { width: 8.4, height: 20 };
const MARGIN = 16;

interface Palette {
  readonly background: string;
  readonly colours: Readonly<Record<Style, string>>;
}

const light: Palette = {
  background: '#ffffff',
  colours: {
    plain: '#1f2328',
    muted: '#59636e',
    good: '#116329',
    info: '#0a6070',
    warning: '#7d4e00',
    danger: '#b3121d',
    struck: '#b3121d',
    ghost: '#59636e',
    title: '#1f2328',
    chosen: '#1f2328',
  },
};

const dark: Palette = {
  background: '#0d1117',
  colours: {
    plain: '#e6edf3',
    muted: '#9198a1',
    good: '#56d364',
    info: '#56d4dd',
    warning: '#e3b341',
    danger: '#ff7b72',
    struck: '#ff7b72',
    ghost: '#9198a1',
    title: '#ffffff',
    chosen: '#ffffff',
  },
};

const shapes: Partial<Record<Style, string>> = {
  struck: 'text-decoration: line-through;',
  ghost: 'font-style: italic;',
  title: 'font-weight: bold;',
  chosen: 'text-decoration: underline;',
};

function styleSheet(property: 'fill' | 'color', page: (palette: Palette) => string): string {
  const rules = (palette: Palette): string =>
    [
      page(palette),
      ...Object.entries(palette.colours).map(
        ([style, colour]) => `.${style} { ${property}: ${colour}; ${shapes[style as Style] ?? ''} }`,
      ),
    ].join('\n');
  return `${rules(light)}\n@media (prefers-color-scheme: dark) {\n${rules(dark)}\n}`;
}

/** Escapes text for elements and quoted attributes in XML and HTML. */
function escaped(text: string): string {
  return showHidden(text).replace(/[<>&"']/gu, each => `&#${each.codePointAt(0) ?? 0};`);
}

function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

/** Prints an SVG of the lines' size; `title` is for screen readers. */
export function* printSvg(lines: readonly Line[], title: string): Generator<string> {
  const columns = lines.reduce((widest, line) => Math.max(widest, displayWidth(textOf(line))), 20);
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = lines.length * CELL.height + 2 * MARGIN;
  yield `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">\n`;
  yield `<title>${escaped(title)}</title>\n`;
  const sheet = styleSheet('fill', ({ background }) => `.page { fill: ${background}; }`);
  yield `<style>\ntext { font: 14px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }\n${sheet}\n</style>\n`;
  yield '<rect class="page" width="100%" height="100%"/>\n';
  for (const [index, line] of lines.entries()) {
    const y = MARGIN + (index + 0.7) * CELL.height;
    let column = 0;
    for (const { text, style } of line) {
      const span = displayWidth(text);
      const shown = text.trimEnd();
      const x = (MARGIN + column * CELL.width).toFixed(1);
      column += span;
      if (shown === '') continue;
      // The explicit length keeps columns aligned in any font.
      const length = (displayWidth(shown) * CELL.width).toFixed(1);
      yield `<text class="${style}" x="${x}" y="${y.toFixed(1)}" textLength="${length}" xml:space="preserve">${escaped(shown)}</text>\n`;
    }
  }
  yield '</svg>\n';
}

export function* printHtml(lines: readonly Line[], title: string): Generator<string> {
  const sheet = styleSheet(
    'color',
    ({ background, colours }) => `body { background: ${background}; color: ${colours.plain}; }`,
  );
  yield '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n';
  yield `<title>${escaped(title)}</title>\n`;
  yield `<style>\npre { font: 14px/20px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; margin: 16px; white-space: pre-wrap; }\n${sheet}\n</style>\n<pre>\n`;
  for (const line of lines)
    yield `${line.map(({ text, style }) => (style === 'plain' || text.trim() === '' ? escaped(text) : `<span class="${style}">${escaped(text)}</span>`)).join('')}\n`;
  yield '</pre>\n</html>\n';
}
