/** The tables of docs/kubernetes.md §13 and §14, made from the lists that forecasts use. */
import { useProtections } from '../src/simulation/controllers/protections.ts';
import { putBack } from '../src/simulation/controllers/put-back.ts';
import { cells, withSection } from './page-section.ts';

/** Returns the page with both tables as they are now. */
export function withControllers(page: string): string {
  const created = putBack.rows.map(({ kinds, which, by, after, source }) => [
    kinds.map(kind => kind.split('.')[0]).join(', '),
    which,
    by,
    typeof after === 'string' ? `when ${after}` : after < 10_000 ? 'at once' : `within ${after / 1000} s`,
    sourceWords(source),
  ]);
  const kept = useProtections.list.map(({ kind, finalizer, usedBy, keeps, controller, source }) => [
    kind,
    `\`${finalizer}\``,
    usedBy.map(([, user]) => user).join(', '),
    keeps,
    controller,
    sourceWords(source),
  ]);
  const withPutBack = withSection(
    page,
    'put-back',
    table('put-back.ts', ['Kind', 'Which', 'By', 'When', 'Sources'], created),
  );
  return withSection(
    withPutBack,
    'use-protections',
    table('protections.ts', ['Kind', 'Finalizer', 'Users', 'Kept while', 'By', 'Sources'], kept),
  );
}

function table(file: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const made = `<!-- Made by \`npm run docs\` from src/simulation/controllers/${file}. -->`;
  return `${made}\n\n${[head, head.map(() => '---'), ...rows].map(cells).join('\n')}\n`;
}

function sourceWords(source: string): string {
  const files = source.split('; ');
  return files.map(each => `\`${each.replace(' (', '` (')}${each.includes(' (') ? '' : '`'}`).join(', ');
}
