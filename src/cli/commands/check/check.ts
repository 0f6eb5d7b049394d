/** `check`: every finding in scope, and an exit code for CI. */
import { type FindingCode, findingCodes, isFindingCode, reaches } from '../../../diagnosis/index.ts';
import { counted, SimilarWord } from '../../../model/index.ts';
import { printsOf, type TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND, UsageError } from '../../runtime/errors.ts';
import { type Flags, failLevels } from '../../runtime/flags.ts';
import { formatOf } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { answerScope, diagnoseConfirmed } from '../../session/confirm.ts';
import { failsIncomplete } from '../../session/incomplete.ts';
import { nothingSelected, requireKnownScope } from '../../session/known-scope.ts';
import { readingFor } from '../../session/reading.ts';
import { scopeOf, withSession } from '../../session/session.ts';
import { refuseWatch } from '../../session/watch.ts';
import { parseTargets } from '../../targets/targets.ts';
import { readBaseline } from './baseline.ts';
import { type CheckRequest, type CheckRun, checkScope, findingsIn, printRun } from './run-check.ts';
import { watchFindings } from './watch-check.ts';

export async function check(command: TargetCommand): Promise<number> {
  const { flags, targets } = command;
  const request = { ...parseCheck(targets, flags), baseline: await readBaseline(flags.baseline) };
  if (flags.contexts !== undefined) {
    const { checkContexts } = await import('./check-contexts.ts');
    return checkContexts(command, flags.contexts, (each, tell) => answer(each, request, tell));
  }
  return answer(command, request, printRun);
}

function answer(command: TargetCommand, request: CheckRequest, tell: typeof printRun): Promise<number> {
  const { flags } = command;
  return withSession(command, async session => {
    const { query } = request;
    await session.load(true, readingFor(session, { query, flags }));
    const namespace = scopeOf(flags, session.source, query);
    await session.answer(() => requireKnownScope(session, namespace));
    const { asked, diagnosis } = await session.answer(async () => {
      const scope = answerScope(session, query, namespace);
      return { asked: scope, diagnosis: await diagnoseConfirmed(session, { scope }) };
    });
    const pending = session.holdStill(flags.watch === true);
    const scope = checkScope(session.view, request, namespace);
    const run: CheckRun = { command, request, session, diagnosis };
    const findings = findingsIn(run, scope);
    for (const each of printsOf(command)) {
      const format = formatOf('check', each.flags.output);
      await tell({ ...run, command: each, request: { ...request, format } }, scope, findings);
    }
    if (scope.hiddenSize > 0) say(command.io, `${counted(scope.hiddenSize, 'object')} of hidden types.\n`);
    if (flags.watch === true) await watchFindings({ run, scope, findings, pending, asked });
    const empty = scope.size === 0 ? nothingSelected(command, namespace) : EXIT_DONE;
    // A new baseline never fails for findings.
    if (request.format === 'baseline') return failsIncomplete(command, session) ? EXIT_FOUND : empty;
    const failing = findings.some(({ severity }) => reaches(severity, request.failOn));
    return failing || failsIncomplete(command, session) ? EXIT_FOUND : empty;
  });
}

/** Throws a `UsageError` for unknown codes, and for incompatible formats and flags. */
function parseCheck(targets: readonly string[], flags: Flags): Omit<CheckRequest, 'baseline'> {
  const format = formatOf('check', flags.output);
  if (flags.watch === true && format === 'baseline')
    throw new UsageError('a baseline is written once: leave --watch out.');
  refuseWatch(flags);
  const only = codesOf('--codes', flags.codes);
  const without = codesOf('--exclude-codes', flags.excludeCodes) ?? new Set();
  return {
    query: parseTargets(targets, flags),
    format,
    failOn: failLevels.find(level => level === flags.failOn) ?? 'warning',
    effects: flags.effects !== false,
    types: { include: flags.includeTypes, exclude: flags.excludeTypes },
    includes: code => (only?.has(code) ?? true) && !without.has(code),
  };
}

function codesOf(flag: string, lists: readonly string[] | undefined): ReadonlySet<FindingCode> | undefined {
  if (lists === undefined) return undefined;
  const codes = new Set<FindingCode>();
  for (const word of lists.flatMap(list => list.split(','))) {
    const name = word.trim();
    if (name !== '') codes.add(codeOf(flag, name));
  }
  if (codes.size === 0) throw new UsageError(`${flag} needs a code, such as ${findingCodes[0] ?? ''}.`);
  return codes;
}

function codeOf(flag: string, word: string): FindingCode {
  if (isFindingCode(word)) return word;
  const lower = word.toLowerCase();
  const same = findingCodes.find(code => code.toLowerCase() === lower);
  if (same !== undefined) return same;
  const near = closestCodes(word);
  const hint =
    near.length > 0 ? `Did you mean ${near.join(', ')}?` : 'docs/diagnosis.md lists the codes there are.';
  throw new UsageError(`${flag}: there is no finding ${JSON.stringify(word)}. ${hint}`);
}

/** Suggests similar codes, otherwise those that contain the word. */
function closestCodes(word: string): string[] {
  const near = SimilarWord.closest(word, findingCodes);
  if (near.length > 0) return near;
  const lower = word.toLowerCase();
  return findingCodes.filter(code => code.toLowerCase().includes(lower)).slice(0, 3);
}
