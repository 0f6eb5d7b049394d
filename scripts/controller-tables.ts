/** The tables of controllers in docs/kubernetes.md §13 to §15 and docs/conformance.md, made from the lists that forecasts use. */
import { useProtections } from '../src/simulation/controllers/protections.ts';
import { putBack } from '../src/simulation/controllers/put-back.ts';
import { controllerRegister, type RegisteredController } from '../src/simulation/controllers/register.ts';
import { type MatrixResults, readResults } from '../test/conformance/matrix/results.ts';
import { minorNumber, pinnedVersions, usualVersion } from '../test/harness/processes/versions.ts';
import { pageTable, withSection } from './page-section.ts';

/** Returns docs/kubernetes.md with its tables as they are now. */
export function withControllers(page: string): string {
  const created = putBack.rows.map(({ kinds, which, by, after, afterRestart, source }) => [
    kinds.map(kind => kind.split('.')[0]).join(', '),
    which,
    by,
    [
      typeof after === 'string' ? `when ${after}` : after < 10_000 ? 'at once' : `within ${after / 1000} s`,
      ...(afterRestart === undefined ? [] : [`after a restart, ${afterRestart}`]),
    ].join('; '),
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
  const heads = ['Controller', 'Does', 'In a forecast', 'Sources'];
  return withSection(withKept, 'register', table('register.ts', heads, controllerRegister.rows.map(rowOf)));
}

function rowOf(row: RegisteredController): readonly string[] {
  const { name, since, gate, files, simulated, unsimulated, named } = row;
  const terms = [since && `since v${since}`, gate && `gate \`${gate}\``].filter(each => each !== undefined);
  const inWords = unsimulated?.map(({ does }) => does).join('; ') ?? named;
  const shown = [
    simulated === undefined ? [] : 'simulated',
    inWords === undefined ? [] : `named: ${inWords}`,
  ];
  return [
    terms.length === 0 ? name : `${name} (${terms.join(', ')})`,
    deedsOf(row).join('; '),
    shown.flat().join('; ') || 'no',
    files.map(each => `\`${/^(?:pkg|k8s\.io)\//u.test(each) ? each : `pkg/controller/${each}`}\``).join(', '),
  ];
}

function deedsOf(row: RegisteredController): readonly string[] {
  const { adds = [], deletes } = row;
  const removes = controllerRegister.removes(row);
  const listed = (finalizers: readonly string[]): string => finalizers.map(each => `\`${each}\``).join(', ');
  const clause = (verb: string, what: string): string[] => (what === '' ? [] : [`${verb} ${what}`]);
  return [
    ...clause('adds and removes', listed(adds.filter(each => removes.includes(each)))),
    ...clause('adds', listed(adds.filter(each => !removes.includes(each)))),
    ...clause('removes', listed(removes.filter(each => !adds.includes(each)))),
    ...clause('deletes', deletes ?? ''),
    ...clause('creates', controllerRegister.creates(row).join('; ')),
    ...controllerRegister.waitsFor(row),
  ];
}

/** Returns docs/conformance.md with the table of tests that prove what controllers do. */
export function withProofs(page: string, results: MatrixResults = readResults()): string {
  const proofs = Map.groupBy(controllerRegister.rows, row =>
    JSON.stringify([
      provenVersions(row, results),
      row.provenBy.map(file => `\`test/cluster/${file}\``).join(', '),
    ]),
  );
  const rows = [...proofs].map(([proof, alike]) => [
    alike.map(({ name }) => name).join(', '),
    ...(JSON.parse(proof) as string[]),
  ]);
  const heads = ['Controllers', 'Versions', 'Tests'];
  return withSection(page, 'controllers', table('register.ts', heads, rows));
}

/** Returns the versions on which one of its tests has passed, taking for granted that all pass on the usual one. */
function provenVersions(row: RegisteredController, results: MatrixResults): string {
  const { provenBy, provenSince = row.since ?? '1.0' } = row;
  const hasPassed = (version: string, file: string): boolean =>
    results[version]?.files[`test/cluster/${file}`]?.failed === 0;
  const proven = pinnedVersions().filter(
    each =>
      minorNumber(each) >= minorNumber({ minor: provenSince }) &&
      (each.version === usualVersion.version || provenBy.some(file => hasPassed(each.version, file))),
  );
  return proven.length === pinnedVersions().length ? 'all' : proven.map(({ minor }) => minor).join(', ');
}

function table(file: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const made = `<!-- Made by \`npm run docs\` from src/simulation/controllers/${file}. -->`;
  return `${made}\n\n${pageTable(head, rows)}\n`;
}

function sourceWords(source: string): string {
  const files = source.split('; ');
  return files.map(each => `\`${each.replace(' (', '` (')}${each.includes(' (') ? '' : '`'}`).join(', ');
}
