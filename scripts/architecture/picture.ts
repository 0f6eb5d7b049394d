/** The folders of `src/` and who imports whom, as the Mermaid diagram in ARCHITECTURE.md. */
import { withSection } from '../page-section.ts';
import { readSourceFiles, throughFaces } from './imports.ts';
import { folderOf } from './rules.ts';

/** Returns the page with the picture that the imports below `root` make. */
export function withPicture(page: string, root: string): string {
  return withSection(page, 'picture', `\n\`\`\`mermaid\n${picture(root)}\`\`\`\n`);
}

/** Left out: the entry points, and `disk`, which several folders import and which imports nothing. */
function picture(root: string): string {
  const imports = new Map<string, Set<string>>();
  for (const file of throughFaces(readSourceFiles(root, 'src'))) {
    const folder = folderOf(file.path);
    if (folder === undefined || folder === 'disk') continue;
    const known = imports.get(folder) ?? new Set();
    imports.set(folder, known);
    for (const to of file.imports) {
      const target = folderOf(to);
      if (target !== undefined && target !== 'disk' && target !== folder) known.add(target);
    }
  }
  const arrows = [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter(to => ![...targets].some(other => other !== to && reaches(imports, other, to)))
      .map(to => `  ${idOf(from)} --> ${idOf(to)}\n`),
  );
  return `flowchart TD\n  demo["source/demo"]\n${arrows.sort().join('')}`;
}

/** Mermaid takes a slash in a name for a shape. */
const idOf = (folder: string): string => folder.split('/').at(-1)!;

function reaches(imports: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const open = [from];
  const seen = new Set<string>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(imports.get(at) ?? []));
  }
  return false;
}
