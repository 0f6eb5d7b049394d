/** `check`: every finding in scope, and an exit code for CI. */
import { reaches } from '../diagnosis/summary.ts';
import { parseCheck } from './check-request.ts';
import { type CheckRun, findingsIn, printRun } from './check-run.ts';
import { checkScope } from './check-scope.ts';
import { watchFindings } from './check-watch.ts';
import type { TargetCommand } from './command.ts';
import { diagnose } from './diagnose.ts';
import { EXIT_DONE, EXIT_FOUND } from './errors.ts';
import { requireKnownScope } from './known-scope.ts';
import { openSession, scopeOf } from './session.ts';

export async function check(command: TargetCommand): Promise<number> {
  const { flags, io, deps, targets } = command;
  const request = parseCheck(targets, flags);
  const session = await openSession(flags, io, deps);
  try {
    await session.load(true);
    const pending = session.holdStill(flags.watch === true);
    const namespace = scopeOf(flags, session.source);
    requireKnownScope(session, namespace);
    const scope = checkScope(session.view, request.query, namespace);
    const diagnosis = diagnose(session, io);
    const run: CheckRun = { command, request, session, diagnosis };
    const findings = findingsIn(run, scope);
    await printRun(run, scope, findings);
    if (flags.watch === true) await watchFindings({ run, scope, findings, pending });
    const failing = findings.some(({ severity }) => reaches(severity, request.failOn));
    return failing ? EXIT_FOUND : EXIT_DONE;
  } finally {
    await session.close();
  }
}
