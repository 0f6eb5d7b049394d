/** `delete`: objects deleted with the policy that was chosen, after a forecast of what goes with them. */

import type { DeleteIntent } from '../../../actions/prepare/intent.ts';
import type { Prepared } from '../../../actions/prepare/prepare.ts';
import { prepareNow } from '../../../actions/run/run.ts';
import { printLine } from '../../../documents/print/lines.ts';
import { type Cascade, cascades } from '../../../forecast/action.ts';
import { createForecaster } from '../../../forecast/forecaster.ts';
import type { KubeObject } from '../../../model/object.ts';
import { endAlike, policyLines } from '../../../text/actions/policies.ts';
import { deletionNotes } from '../../../text/actions/question.ts';
import { emptyLine } from '../../../text/terminal/text-line.ts';
import { nothingSelected } from '../../output/empty.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND } from '../../runtime/errors.ts';
import { scopeOf } from '../../session/session.ts';
import { findTargets } from '../../targets/targets.ts';
import { type ActionCommandContext, withCluster } from './command.ts';
import { confirmAbsences, surroundingsOf } from './confirm.ts';
import { type DeleteRequest, parseDelete } from './delete-request.ts';
import { perform } from './flow.ts';
import { type ActOptions, parseActOptions, refuseChanges } from './options.ts';
import { lookOf } from './printer.ts';
import { ActReport } from './report.ts';
import type { ActSession } from './session.ts';

interface Deletion {
  readonly command: TargetCommand;
  readonly options: ActOptions;
  readonly request: DeleteRequest;
  readonly targets: readonly KubeObject[];
}

export function deleteTargets(command: TargetCommand): Promise<number> {
  const { flags, io, targets: words } = command;
  const options = parseActOptions('delete', flags, io);
  const request = parseDelete(words, flags);
  refuseChanges(options, flags, io);
  return withCluster(command, options, async around => {
    const { session } = around.acting;
    const { graph } = session.view;
    const named = targetsOf(request, command, around.acting).flatMap(({ uid }) => graph.get(uid) ?? []);
    await confirmAbsences(session, surroundingsOf(session, named));
    const targets = targetsOf(request, command, around.acting);
    if (targets.length === 0) {
      const setting = { command, acting: around.acting, options };
      const exitCode = nothingSelected({
        flags,
        io,
        namespace: scopeOf(flags, session.source),
        isDocument: ActReport.wanted(options),
      });
      const about = { verb: 'delete', targets: [] } as const;
      await new ActReport(setting, about).write({ code: exitCode, reason: 'NothingToDo' });
      return exitCode;
    }
    const deletion = { command, options, request, targets };
    const cascade = request.cascade ?? (await choose(deletion, around));
    if (cascade === 'compared') return EXIT_DONE;
    if (cascade === undefined) {
      around.signal.throwIfAborted();
      io.stderr.write('Nothing was sent.\n');
      return EXIT_FOUND;
    }
    const { secretData } = options;
    const ports = { view: session.view, now: () => session.now(), secretData };
    return perform(prepareNow(intentOf(deletion, cascade), ports), {
      ...around,
      command,
      options,
      notes: ({ forecast, intent }: Prepared) =>
        deletionNotes(forecast, intent.verb === 'delete' ? intent.targets : [], session.view),
      afterwards: () => [],
    });
  });
}

function targetsOf(
  { query }: DeleteRequest,
  { flags }: TargetCommand,
  { session }: ActSession,
): readonly KubeObject[] {
  const found: KubeObject[] = [];
  for (const { object } of findTargets(session.view, query, scopeOf(flags, session.source)))
    if (object !== undefined) found.push(object);
  return found;
}

function intentOf({ request, targets }: Deletion, cascade: Cascade): DeleteIntent {
  const { gracePeriodSeconds } = request;
  return {
    verb: 'delete',
    targets,
    cascade,
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
}

/**
 * Which policy, where none was given: kubectl's default where nobody looks or it makes no difference; else the three
 * are shown side by side, and the person chooses. `compared`: they were only to be looked at. Undefined: none of them.
 */
async function choose(
  deletion: Deletion,
  around: ActionCommandContext,
): Promise<Cascade | 'compared' | undefined> {
  const { command, options } = deletion;
  const { io, output } = command;
  const isText = options.format === 'text' || options.format === 'wide';
  const looks = options.dryRun !== 'none';
  if (!isText || !io.stdoutIsTerminal || (options.yes && !looks)) return 'background';
  const { session } = around.acting;
  const forecaster = createForecaster(session.view, { now: session.now(), scope: 'action' });
  const forecastOf = (cascade: Cascade) => forecaster.forecast(intentOf(deletion, cascade));
  const forecasts = {
    background: forecastOf('background'),
    foreground: forecastOf('foreground'),
    orphan: forecastOf('orphan'),
  };
  if (endAlike(forecasts)) return 'background';
  const look = lookOf(command);
  const lines = [...policyLines(forecasts, { all: options.format === 'wide', width: look.width }), emptyLine];
  await output.write(lines.map(line => printLine(line, look)));
  if (looks) {
    await output.write(['Choose one with --cascade to see its requests. Nothing was sent.\n']);
    return 'compared';
  }
  const answer = await around.asker.ask('Which one? background, foreground, orphan; anything else stops: ');
  const word = answer?.toLowerCase() ?? '';
  // A single letter tells them apart.
  const chosen = word === '' ? undefined : cascades.find(each => each.startsWith(word));
  if (chosen !== undefined) await output.write(['\n']);
  return chosen;
}
