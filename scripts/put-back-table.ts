/** The table of docs/kubernetes.md §13, made from the list that forecasts use. */
import { putBack } from '../src/simulation/controllers/put-back.ts';
import { cells, withSection } from './page-section.ts';

const made = '<!-- Made by `npm run docs` from src/simulation/controllers/put-back.ts. -->';

export function withPutBack(page: string): string {
  const rows = putBack.rows.map(({ kinds, which, by, after, source }) =>
    cells([
      kinds.map(kind => kind.split('.')[0]).join(', '),
      which,
      by,
      typeof after === 'string' ? `when ${after}` : after < 10_000 ? 'at once' : `within ${after / 1000} s`,
      source
        .split('; ')
        .map(each => `\`${each.replace(' (', '` (')}${each.includes(' (') ? '' : '`'}`)
        .join(', '),
    ]),
  );
  const head = [cells(['Kind', 'Which', 'By', 'When', 'Sources']), cells(Array(5).fill('---'))];
  return withSection(page, 'put-back', `${made}\n\n${[...head, ...rows].join('\n')}\n`);
}
