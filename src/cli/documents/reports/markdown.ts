/** GitHub-flavoured Markdown for job summaries and comments. Inputs are text, never markup. */

export function markdownTitle(title: string): string {
  return `### ${markdownText(title)}\n\n`;
}

export function markdownParagraph(text: string): string {
  return `${markdownText(text)}\n\n`;
}

export interface MarkdownLink {
  readonly text: string;
  readonly href: string;
}

export function* markdownTable(
  titles: readonly string[],
  rows: Iterable<readonly (string | MarkdownLink)[]>,
): Generator<string> {
  let begun = false;
  for (const row of rows) {
    if (!begun) yield `${line(titles)}${line(titles.map(() => '---'))}`;
    begun = true;
    yield line(row.map(cell));
  }
  if (begun) yield '\n';
}

export function markdownBlock(lines: string): string {
  // The fence must be longer than any inside.
  const longest = Math.max(2, ...[...lines.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${lines.replace(/\n*$/u, '\n')}${fence}\n\n`;
}

function cell(content: string | MarkdownLink): string {
  return typeof content === 'string'
    ? markdownText(content)
    : `[${markdownText(content.text)}](${content.href})`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

// GitHub links addresses, mentions and formulas in rendered text, so a backslash doesn't prevent these.
const taken = /([@$]|#(?=\d)|:(?=\/\/)|(?<=\bwww)\.)|[\\`*_{}[\]<>#|~&]/giu;

/** Escapes everything that Markdown or HTML would interpret (the backslash escapes of CommonMark 0.31), on one line. */
function markdownText(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(taken, (each, later?: string) => (later === undefined ? `\\${each}` : `<span>${each}</span>`))
    .replace(/^(\d*)([-+.)])(?= )/u, '$1\\$2');
}
