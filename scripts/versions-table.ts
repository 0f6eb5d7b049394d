/** The table of docs/kubernetes.md §11, made from what the code knows of versions, between two comments of the page. */
import { type Behaviour, behaviours, type FeatureStage } from '../src/model/server/behaviours.ts';
import { shownRelease } from '../src/model/server/server-behaviour.ts';

const BEGIN = '<!-- versions -->';
const END = '<!-- end -->';
const made = '<!-- Made by `npm run docs` from src/model/server/behaviours.ts. -->';

/** The page with the table as it is now. Throws where the page has no place for it. */
export function withVersions(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`no ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${made}\n\n${table()}\n\n${page.slice(end)}`;
}

function table(): string {
  const rows = Object.values<Behaviour>(behaviours).map(
    ({ does, otherwise, gate, sources, program, ...since }) =>
      cells([
        does,
        otherwise,
        sinceWords(since),
        gate === undefined ? '–' : `\`${gate}\` of ${program}`,
        sources
          .map(each =>
            each.includes('#') ? each : `\`${each.replace(' (', '` (')}${each.includes(' (') ? '' : '`'}`,
          )
          .join(', '),
      ]),
  );
  return [
    cells(['With it', 'Without it', 'Since', 'Feature gate', 'Sources']),
    cells(Array(5).fill('---')),
    ...rows,
  ].join('\n');
}

function sinceWords({ stages, backports = [] }: Pick<Behaviour, 'stages' | 'backports'>): string {
  const words = stages.map(([minor, stage]) => `${shownRelease(minor)}${stageWords[stage]}`);
  return [...words, ...backports].join(', ');
}

const stageWords: Readonly<Record<FeatureStage, string>> = {
  Absent: '',
  Alpha: ' (alpha, off)',
  BetaOff: ' (beta, off)',
  Beta: ' (beta, on)',
  Stable: '',
};

function cells(texts: readonly string[]): string {
  return `| ${texts.map(each => each.replaceAll('|', '\\|')).join(' | ')} |`;
}
