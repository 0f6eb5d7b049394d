/**
 * The tests on a real control plane, `npm run test:cluster [-- FILE…]`. A file in which a test failed runs once more, on
 * control planes of its own, after everything else: four of them share two cores, and what a starved one answers is no
 * statement about the product. Both results are printed. There is no second time for what compares random forecasts with
 * the control plane: a divergence that comes only sometimes is one. An error outside of tests fails the run, even if the
 * second time passes.
 */
import path from 'node:path';
import { startVitest } from 'vitest/node';

const ROOT = path.join(import.meta.dirname, '..', '..');
const decisive = [/\/forecast\/(conformance|fuzz|worlds)\.test\.ts$/, /\/actions\/fuzz\.test\.ts$/];

interface Outcome {
  readonly failedFiles: readonly string[];
  /** True if something failed outside of the files: an uncaught error, or a run without tests. */
  readonly otherFailure: boolean;
}

async function runTests(files: readonly string[]): Promise<Outcome> {
  process.exitCode = 0;
  const vitest = await startVitest('test', [...files], { root: ROOT, project: ['cluster'], watch: false });
  const failed = vitest.state.getTestModules().filter(module => !module.ok());
  const otherFailure =
    vitest.state.getUnhandledErrors().length > 0 || (failed.length === 0 && process.exitCode !== 0);
  await vitest.close();
  return { failedFiles: failed.map(({ moduleId }) => path.relative(ROOT, moduleId)), otherFailure };
}

function canRunAgain(files: readonly string[]): boolean {
  return files.length > 0 && !files.some(file => decisive.some(pattern => pattern.test(`/${file}`)));
}

let { failedFiles, otherFailure } = await runTests(process.argv.slice(2));
if (canRunAgain(failedFiles)) {
  process.stdout.write(
    `\n!! Failed, and run once more:\n${failedFiles.map(file => `!!   ${file}\n`).join('')}\n`,
  );
  const second = await runTests(failedFiles);
  failedFiles = second.failedFiles;
  otherFailure ||= second.otherFailure;
}
if (otherFailure) process.stdout.write('\n!! Failed outside of tests: see the errors above.\n');
process.exitCode = failedFiles.length === 0 && !otherFailure ? 0 : 1;
