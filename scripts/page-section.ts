/** The parts of a page that are generated. */

/** Puts `text` between `<!-- name -->` and the next `<!-- end -->`. Throws if the page lacks one of them. */
export function withSection(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, '<!-- end -->'];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`no ${begin} … ${end}`);
  return `${page.slice(0, from)}${begin}\n${text}\n${page.slice(to)}`;
}

/** Returns a table without a line break at its end. */
export function pageTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [cells(heads), `${'|---'.repeat(heads.length)}|`, ...rows.map(cells)].join('\n');
}

function cells(texts: readonly string[]): string {
  return `| ${texts.map(each => each.replaceAll('|', '\\|')).join(' | ')} |`;
}
