/**
 * The first part of `npm run test:cluster`: builds what its tests start, one after the other. A test that had to wait for
 * all of that would run out of time on a slow machine.
 */
import { controlPlaneBinaries } from './processes/binaries.ts';
import { ControlPlaneUnavailable } from './processes/go-module.ts';
import { operatorNames, operatorProgram, withoutOperators } from './processes/operators.ts';
import { otherProgramNames, otherPrograms } from './processes/other-programs.ts';

async function main(): Promise<void> {
  if (process.env['GC_TREE_TEST_KUBECONFIG'] === undefined) {
    await controlPlaneBinaries();
    for (const name of otherProgramNames) await otherPrograms(name);
  }
  // Their tests say why they are skipped.
  if ((await withoutOperators()) !== undefined) return;
  for (const name of operatorNames) await operatorProgram(name);
}

main().catch((error: unknown) => {
  if (!(error instanceof ControlPlaneUnavailable)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
