/** The table of docs/kubernetes.md §11, made from what the code knows of versions, between two comments of the page. */
import { type Behaviour, behaviours, type FeatureStage } from '../src/model/server/behaviours.ts';
import { serverReleases } from '../src/model/server/server-behaviour.ts';
import { pageTable, withSection } from './page-section.ts';

const made = '<!-- Made by `npm run docs` from src/model/server/behaviours.ts. -->';

/** Returns the page with the table as it is now. */
export function withVersions(page: string): string {
  return withSection(page, 'versions', `${made}\n\n${table()}\n`);
}

function table(): string {
  const rows = Object.values<Behaviour>(behaviours).map(
    ({ does, otherwise, gate, sources, program, ...since }) => [
      does,
      otherwise,
      sinceWords(since),
      gate === undefined ? '–' : `\`${gate}\` of ${program}`,
      sources
        .map(each =>
          each.includes('#') ? each : `\`${each.replace(' (', '` (')}${each.includes(' (') ? '' : '`'}`,
        )
        .join(', '),
    ],
  );
  return pageTable(['With it', 'Without it', 'Since', 'Feature gate', 'Sources'], rows);
}

function sinceWords({ stages, backports = [] }: Pick<Behaviour, 'stages' | 'backports'>): string {
  const words = stages.map(([minor, stage]) => `${serverReleases.shown(minor)}${stageWords[stage]}`);
  return [...words, ...backports].join(', ');
}

const stageWords: Readonly<Record<FeatureStage, string>> = {
  Absent: '',
  Alpha: ' (alpha, off)',
  BetaOff: ' (beta, off)',
  Beta: ' (beta, on)',
  Stable: '',
};
