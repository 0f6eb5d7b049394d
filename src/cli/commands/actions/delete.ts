/** `delete`: deletes objects with a policy, after a forecast. */

import { createHandledForecaster } from '../../../diagnosis/index.ts';
import { Cascade, type DeleteAction, Forecaster } from '../../../forecast/index.ts';
import type { KubeObject } from '../../../model/index.ts';
import { policyWords, questionWords, TextLine } from '../../../text/index.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { lineLook } from '../../runtime/format.ts';
import { isText } from '../../runtime/output-formats.ts';
import { cascadeReads } from '../../session/cascades.ts';
import { confirmAbsences, surroundingsOf } from '../../session/confirm.ts';
import { nothingSelected } from '../../session/known-scope.ts';
import { scopeOf } from '../../session/session.ts';
import { targetsFromFiles, tellAbsent } from '../../targets/from-files.ts';
import { type AbsentManifest, absentLines, absentManifests } from '../../targets/manifests.ts';
import { findObjects, parseChangeable, type TargetQuery } from '../../targets/targets.ts';
import { cascadeOf, gracePeriodOf } from '../plan/request.ts';
import { parseActOptions, refuseChanges } from './action-options.ts';
import { type ActionCommandContext, withCluster } from './action-session.ts';
import { nothingSent, perform } from './flow.ts';
import { ActReport } from './report.ts';

interface DeleteRequest {
  readonly query: TargetQuery;
  readonly cascade: Cascade | undefined;
  readonly gracePeriodSeconds: number | undefined;
}

interface Deletion {
  readonly request: DeleteRequest;
  readonly targets: readonly KubeObject[];
}

export async function deleteTargets(given: TargetCommand): Promise<number> {
  const { command, query: fromFiles } = await targetsFromFiles(given, given.targets, 'delete');
  const { flags, io, targets: words } = command;
  const options = parseActOptions('delete', flags, io);
  const request: DeleteRequest = {
    query: fromFiles ?? parseChangeable('delete', words, flags),
    cascade: flags.cascade === undefined ? undefined : cascadeOf(flags),
    gracePeriodSeconds: graceOf(flags),
  };
  refuseChanges(options, flags, io);
  const { query } = request;
  return withCluster(command, { options, query }, async context => {
    const { acting } = context;
    const { session } = acting;
    const { graph } = session.view;
    const namespace = scopeOf(flags, session.source, query);
    const find = () => findObjects(session.view, query, namespace);
    const forecastAll = (policies: readonly Cascade[]): void => {
      const forecaster = createHandledForecaster(session.view, { now: session.now(), scope: 'action' });
      const deletion = { request, targets: find() };
      for (const cascade of policies)
        if (deletion.targets.length > 0) forecaster.forecast(intentOf(deletion, cascade));
    };
    await session.answer(async () => {
      const named = find().flatMap(({ uid }) => graph.get(uid) ?? []);
      await confirmAbsences(session, surroundingsOf(session, named));
      Forecaster.noteSurroundings(session.view, find());
      await session.readWanted();
      // The forecast's reads and look-ups are done before anything is shown.
      const isWhole = session.view.scope === undefined;
      if (request.cascade !== undefined) forecastAll([request.cascade]);
      else if (!isWhole) forecastAll(Cascade.all);
      else if (session.source.lookUp !== undefined) forecastAll(['background']);
    });
    const absent = absentManifests(session.view, query.words, namespace);
    requirePresent(absent, flags);
    tellAbsent(command, absent);
    const targets = find();
    if (targets.length === 0) {
      const exitCode = nothingSelected(command, namespace);
      const about = { verb: 'delete', targets: [] } as const;
      await new ActReport(context, about).write({ code: exitCode, reason: 'NothingToDo' });
      return exitCode;
    }
    const deletion = { request, targets };
    const cascade = request.cascade ?? (await choose(deletion, context));
    if (cascade === 'compared') return EXIT_DONE;
    if (cascade === undefined) return nothingSent(context);
    return perform(context, intentOf(deletion, cascade), ({ forecast, intent }) =>
      questionWords.deletionNotes(forecast, intent.verb === 'delete' ? intent.targets : [], session.view),
    );
  });
}

function requirePresent(absent: readonly AbsentManifest[], { ignoreNotFound }: Flags): void {
  if (absent.length === 0 || ignoreNotFound === true) return;
  const [first = '', second] = absentLines(absent);
  const more = second === undefined ? '' : ` ${absent.length} in all.`;
  throw new UsageError(`${first}${more}\nNothing is deleted. With --ignore-not-found the others are.`);
}

function graceOf(flags: Flags): number | undefined {
  if (flags.now !== true) return gracePeriodOf(flags);
  if (flags.gracePeriod !== undefined)
    throw new UsageError('--now and --grace-period exclude each other. Leave one of them out.');
  if (flags.force === true)
    throw new UsageError(
      '--now is a grace period of one second, and --force goes with none, as in kubectl. Leave one of them out.',
    );
  return 1;
}

function intentOf({ request, targets }: Deletion, cascade: Cascade): DeleteAction {
  const { gracePeriodSeconds } = request;
  return {
    verb: 'delete',
    targets,
    cascade,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
}

/**
 * Chooses a policy if none was given: kubectl's default if no user can choose or it makes no difference. Otherwise the
 * user compares three forecasts. `compared`: just looking; undefined: none chosen.
 */
async function choose(
  deletion: Deletion,
  { command, options, acting, asker }: ActionCommandContext,
): Promise<Cascade | 'compared' | undefined> {
  const { io, output } = command;
  const { session } = acting;
  const looks = options.dryRun !== 'none';
  if (!isText(options.format) || !io.stdoutIsTerminal || (options.yes && !looks)) return 'background';
  const forecaster = createHandledForecaster(session.view, { now: session.now(), scope: 'action' });
  const reads = cascadeReads(session);
  const forecastOf = (cascade: Cascade) => reads.told(forecaster.forecast(intentOf(deletion, cascade)));
  const forecasts = {
    background: await forecastOf('background'),
    foreground: await forecastOf('foreground'),
    orphan: await forecastOf('orphan'),
  };
  if (policyWords.areAlike(forecasts)) return 'background';
  const look = lineLook(command);
  const lines = [
    ...policyWords.lines(forecasts, { all: options.format === 'wide', width: look.width }),
    TextLine.empty,
  ];
  await output.write(lines.map(line => printLine(line, look)));
  if (looks) {
    await output.write(['Choose one with --cascade to see its requests. Nothing was sent.\n']);
    return 'compared';
  }
  const answer = await asker.ask('Which one? background, foreground, orphan; anything else stops: ');
  const word = answer?.toLowerCase() ?? '';
  // One letter identifies a policy.
  const chosen = word === '' ? undefined : Cascade.all.find(each => each.startsWith(word));
  if (chosen !== undefined) await output.write(['\n']);
  return chosen;
}
