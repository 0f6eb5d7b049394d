/** The tables of controllers in docs/kubernetes.md §13 to §15 and docs/conformance.md, made from the lists that forecasts use. */
import { useProtections } from '../src/simulation/controllers/protections.ts';
import { putBack } from '../src/simulation/controllers/put-back.ts';
import { controllerRegister, type RegisteredController } from '../src/simulation/controllers/register.ts';
import { type MatrixResults, readResults } from '../test/conformance/matrix/results.ts';
import { type PinnedVersion, pinnedVersions, usualVersion } from '../test/harness/processes/versions.ts';
import { cells, withSection } from './page-section.ts';

/** Returns docs/kubernetes.md with its tables as they are now. */
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
  const withKept = withSection(
    withPutBack,
    'use-protections',
    table('protections.ts', ['Kind', 'Finalizer', 'Users', 'Kept while', 'By', 'Sources'], kept),
  );
  const heads = ['Controller', 'Finalizers', 'Deletes', 'Creates', 'Waits for', 'In a forecast', 'Sources'];
  return withSection(withKept, 'register', table('register.ts', heads, controllerRegister.rows.map(rowOf)));
}

function rowOf(row: RegisteredController): readonly string[] {
  const { name, since, gate, adds = [], deletes = '', files, simulated, unsimulated, named } = row;
  const terms = [since && `since v${since}`, gate && `gate \`${gate}\``].filter(each => each !== undefined);
  const removes = controllerRegister.removes(row);
  const finalizers = [...new Set([...adds, ...removes])].map(each => {
    const does = [adds.includes(each) ? 'adds' : [], removes.includes(each) ? 'removes' : []].flat();
    return `${does.join(' and ')} \`${each}\``;
  });
  const inWords = unsimulated?.does ?? named;
  return [
    terms.length === 0 ? name : `${name} (${terms.join(', ')})`,
    finalizers.join(', '),
    deletes,
    controllerRegister.creates(row).join('; '),
    controllerRegister.waitsFor(row).join('; '),
    `${simulated === undefined ? 'no' : 'simulated'}${inWords === undefined ? '' : `; named: ${inWords}`}`,
    files.map(each => `\`${/^(?:pkg|k8s\.io)\//u.test(each) ? each : `pkg/controller/${each}`}\``).join(', '),
  ];
}

/** Returns docs/conformance.md with the table of what proves each controller on which version. */
export function withProofs(page: string, results: MatrixResults = readResults()): string {
  const versions = pinnedVersions();
  const heads = ['Controller', ...versions.map(({ minor }) => minor), 'Proven by'];
  const rows = controllerRegister.rows.map(row => [
    row.name,
    ...versions.map(version => proofOn(version, row, results)),
    (row.provenBy ?? []).map(each => `\`test/cluster/${each}\``).join(', '),
  ]);
  return withSection(page, 'controllers', table('register.ts', heads, rows));
}

function proofOn(
  { minor, version }: PinnedVersion,
  { since, provenBy = [] }: RegisteredController,
  results: MatrixResults,
): string {
  if (since !== undefined && Number(minor.split('.')[1]) < Number(since.split('.')[1])) return '–';
  const files = results[version]?.files ?? {};
  const isProven =
    version === usualVersion.version || provenBy.some(each => files[`test/cluster/${each}`]?.failed === 0);
  return provenBy.length > 0 && isProven ? '✓' : '';
}

function table(file: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const made = `<!-- Made by \`npm run docs\` from src/simulation/controllers/${file}. -->`;
  return `${made}\n\n${[head, head.map(() => '---'), ...rows].map(cells).join('\n')}\n`;
}

function sourceWords(source: string): string {
  const files = source.split('; ');
  return files.map(each => `\`${each.replace(' (', '` (')}${each.includes(' (') ? '' : '`'}`).join(', ');
}
