/** `check`: every finding in scope, and an exit code for CI. */

import { reaches } from '../../../diagnosis/engine/finding.ts';
import { nothingSelected } from '../../output/empty.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND } from '../../runtime/errors.ts';
import { openSession, scopeOf } from '../../session/session.ts';
import { requireKnownScope } from '../../targets/known-scope.ts';
import { findTargets } from '../../targets/targets.ts';
import { diagnoseConfirmed, inNamespaces, surroundingsOf } from '../actions/confirm.ts';
import { parseCheck } from './request.ts';
import { type CheckRun, findingsIn, printRun } from './run.ts';
import { checkScope } from './scope.ts';
import { watchFindings } from './watch.ts';

export async function check(command: TargetCommand): Promise<number> {
  const { flags, io, services, targets } = command;
  const request = parseCheck(targets, flags);
  const session = await openSession(flags, io, services);
  try {
    await session.load(true);
    const namespace = scopeOf(flags, session.source);
    requireKnownScope(session, namespace);
    const { query } = request;
    const isWhole = query.words.length === 0 && query.matches === undefined;
    const asked = isWhole
      ? inNamespaces(namespace)
      : surroundingsOf(session, findTargets(session.view, query, namespace));
    const diagnosis = await diagnoseConfirmed(session, { scope: asked });
    const pending = session.holdStill(flags.watch === true);
    const scope = checkScope(session.view, query, namespace);
    const run: CheckRun = { command, request, session, diagnosis };
    const findings = findingsIn(run, scope);
    await printRun(run, scope, findings);
    if (flags.watch === true) await watchFindings({ run, scope, findings, pending, asked });
    const isDocument = !['text', 'wide', 'name'].includes(request.format);
    const empty = scope.size === 0 ? nothingSelected({ flags, io, namespace, isDocument }) : EXIT_DONE;
    const failing = findings.some(({ severity }) => reaches(severity, request.failOn));
    return failing ? EXIT_FOUND : empty;
  } finally {
    await session.close();
  }
}
