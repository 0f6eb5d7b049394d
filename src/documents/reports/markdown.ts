/** Pieces of GitHub-flavoured Markdown, for job summaries and comments. What is given is text: none of it is markup. */

/** `### title` */
export function markdownTitle(title: string): string {
  return `### ${markdownText(title)}\n\n`;
}

export function markdownParagraph(text: string): string {
  return `${markdownText(text)}\n\n`;
}

/** A cell that leads somewhere. */
export interface MarkdownLink {
  readonly text: string;
  readonly href: string;
}

/** Nothing where there are no rows. */
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

/** Lines as they are, in a face of one width. */
export function markdownBlock(lines: string): string {
  // A fence that is longer than any within.
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

// GitHub makes links of addresses, mentions of names and formulas of dollars in finished text, where no backslash is seen.
const taken = /([@$]|#(?=\d)|:(?=\/\/)|(?<=\bwww)\.)|[\\`*_{}[\]<>#|~&]/giu;

/** On one line, with everything escaped that Markdown or HTML would read (the backslash escapes of CommonMark 0.31). */
function markdownText(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(taken, (each, later?: string) => (later === undefined ? `\\${each}` : `<span>${each}</span>`))
    .replace(/^(\d*)([-+.)])(?= )/u, '$1\\$2');
}
