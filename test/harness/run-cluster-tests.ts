/**
 * The tests on a real control plane, `npm run test:cluster [-- FILE…]`. A file in which a test failed runs once more, on
 * control planes of its own, after everything else: four of them share two cores, and what a starved one answers is no
 * statement about the product. Both results are printed. There is no second time for what compares random forecasts with
 * the control plane: a divergence that comes only sometimes is one.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const decisive = [/\/forecast\/(conformance|fuzz|worlds)\.test\.ts$/, /\/actions\/fuzz\.test\.ts$/];

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

/** The files in which something failed; undefined where it was something outside of them. */
function failedFiles(files: readonly string[], report: string): string[] | undefined {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', '--project', 'cluster', ...reporters, ...files];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status === 0) return [];
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const failed = testResults.filter(each => each.status === 'failed').map(({ name }) => name);
  return failed.length === 0 ? undefined : failed.map(file => path.relative(ROOT, file));
}

const folder = mkdtempSync(path.join(tmpdir(), 'gct-report-'));
try {
  const report = path.join(folder, 'report.json');
  let failed = failedFiles(process.argv.slice(2), report);
  if (failed?.length && !failed.some(file => decisive.some(pattern => pattern.test(`/${file}`)))) {
    process.stdout.write(
      `\n!! Failed, and run once more:\n${failed.map(file => `!!   ${file}\n`).join('')}\n`,
    );
    failed = failedFiles(failed, report);
  }
  process.exitCode = failed?.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
