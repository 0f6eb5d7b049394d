/** The tables of docs/conformance.md, made from `results.json`, between two comments of the page. */
import { pageTable, withSection } from '../../../scripts/page-section.ts';
import { pinnedVersions } from '../../harness/processes/versions.ts';
import { type FileResult, type GraphResult, type MatrixResults, readResults } from './results.ts';

const made =
  '<!-- Made by `npm run docs` from test/conformance/matrix/results.json, which `npm run test:matrix` writes. -->';

/** Returns the page with the tables as they are now. */
export function withMatrix(page: string, results: MatrixResults = readResults()): string {
  return withSection(page, 'matrix', `${made}\n\n${summary(results)}\n\n${rounds(results)}\n`);
}

const CONFORMANCE = 'test/cluster/forecast/conformance.test.ts';

function summary(results: MatrixResults): string {
  const rows = pinnedVersions().map(({ version }) => {
    const { files = {}, graphs = {} } = results[version] ?? {};
    const { [CONFORMANCE]: conformance, ...others } = files;
    const all = Object.values(graphs);
    const sum = (key: 'rounds' | 'divergences'): number => all.reduce((count, each) => count + each[key], 0);
    return [
      version.slice(1),
      conformance === undefined ? 'not run' : ended(conformance),
      ended(total(Object.values(others))),
      all.length === 0 ? 'not run' : numeral(sum('rounds')),
      all.length === 0 ? '–' : numeral(sum('divergences')),
      [...Object.values(files), ...all]
        .map(({ on }) => on)
        .sort()
        .at(-1) ?? '–',
    ];
  });
  const titles = ['Kubernetes', 'Conformance files', 'Other tests', 'Fuzz rounds', 'Divergences', 'Last run'];
  return pageTable(titles, rows);
}

/** Counts by mode, over all versions. */
function rounds(results: MatrixResults): string {
  const all = pinnedVersions().flatMap(({ version }) => Object.entries(results[version]?.graphs ?? {}));
  const rows = [...Map.groupBy(all, ([mode]) => mode)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([mode, entries]) => [mode, ...counts(entries.map(([, result]) => result))]);
  const titles = ['Mode', 'Rounds', 'Objects', 'Divergences', 'Depend on timing'];
  return pageTable(titles, rows);
}

function counts(results: readonly GraphResult[]): readonly string[] {
  const sum = (key: 'rounds' | 'objects' | 'divergences' | 'timingDependent'): number =>
    results.reduce((count, each) => count + each[key], 0);
  const timing = `${numeral(sum('timingDependent'))} (${percent(sum('timingDependent'), sum('objects'))})`;
  return [numeral(sum('rounds')), numeral(sum('objects')), numeral(sum('divergences')), timing];
}

function total(files: readonly FileResult[]): FileResult | undefined {
  if (files.length === 0) return undefined;
  const sum = (key: 'passed' | 'failed' | 'skipped'): number =>
    files.reduce((count, each) => count + each[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), on: '' };
}

function ended(result: FileResult | undefined): string {
  if (result === undefined) return 'not run';
  const { passed, failed, skipped } = result;
  const parts = [
    `${numeral(passed)} passed`,
    ...(failed === 0 ? [] : [`**${numeral(failed)} failed**`]),
    ...(skipped === 0 ? [] : [`${numeral(skipped)} skipped`]),
  ];
  return parts.join(', ');
}

function numeral(count: number): string {
  return count.toLocaleString('en-US');
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
}
