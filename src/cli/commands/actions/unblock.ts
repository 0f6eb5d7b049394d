/** `unblock`: what can be done about a deletion that hangs, listed, or one of it applied. */
import type { UnblockIntent } from '../../../actions/prepare/intent.ts';
import type { Prepared } from '../../../actions/prepare/prepare.ts';
import { prepareNow } from '../../../actions/run/run.ts';
import { Diagnosis } from '../../../diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../../diagnosis/engine/finding.ts';
import { withEffects } from '../../../diagnosis/remedies/effects.ts';
import { everyRemedyOf, remedyFor } from '../../../diagnosis/remedies/offered.ts';
import { basisOf } from '../../../documents/basis.ts';
import { remedyListDocument } from '../../../documents/plan/plan.ts';
import { printDocumentJson, printDocumentYaml } from '../../../documents/plan/print.ts';
import { printRemedies } from '../../../documents/plan/text.ts';
import type { ApplicableRemedy } from '../../../forecast/action.ts';
import { createForecaster } from '../../../forecast/forecaster.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { ShellCommand } from '../../../model/text/shell-line.ts';
import { dependentNotes } from '../../../text/actions/question.ts';
import { remedyCommand } from '../../../text/actions/remedy-command.ts';
import { exactly } from '../../../text/terminal/names.ts';
import { isReadOnly } from '../../output/appearance.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND, UsageError } from '../../runtime/errors.ts';
import { diagnose, noSuchRemedy } from '../../session/diagnose.ts';
import { sameSource } from '../../session/same-source.ts';
import { scopeOf } from '../../session/session.ts';
import { findTargets, parseTargets, type TargetQuery } from '../../targets/targets.ts';
import { type ActionCommandContext, withCluster } from './command.ts';
import { diagnoseConfirmed, surroundingsOf } from './confirm.ts';
import { perform } from './flow.ts';
import { type ActOptions, parseActOptions, refuseChanges } from './options.ts';
import { lookOf } from './printer.ts';
import type { ActSession } from './session.ts';

export function unblock(command: TargetCommand): Promise<number> {
  const { flags, io, targets: words } = command;
  const options = parseActOptions('unblock', flags, io);
  if (words.length === 0) throw new UsageError('name the object to unblock: unblock TARGET [--remedy ID].');
  const query = parseTargets(words, flags);
  const { remedy: id } = flags;
  if (id !== undefined) refuseChanges(options, flags, io);
  return withCluster(command, options, async around => {
    const { session } = around.acting;
    const node = session.view.graph.get(targetOf(query, command, around.acting).uid);
    const scope = surroundingsOf(session, node === undefined ? [] : [node]);
    await diagnoseConfirmed(session, { scope });
    const target = targetOf(query, command, around.acting);
    const remedy =
      id === undefined ? await offer(command, options, around, target) : named(around.acting, target, id);
    if (remedy === 'listed') return EXIT_DONE;
    if (remedy === undefined) {
      around.signal.throwIfAborted();
      io.stderr.write('Nothing was sent.\n');
      return EXIT_FOUND;
    }
    const { view } = session;
    const intent: UnblockIntent = { verb: 'unblock', target, remedy };
    const { secretData } = options;
    return perform(prepareNow(intent, { view, now: () => session.now(), secretData }), {
      ...around,
      command,
      options,
      notes: ({ forecast }: Prepared) => dependentNotes(forecast, intent, view),
      afterwards: () => [],
    });
  });
}

function targetOf(query: TargetQuery, { flags }: TargetCommand, { session }: ActSession): KubeObject {
  const found = [...findTargets(session.view, query, scopeOf(flags, session.source))].flatMap(
    ({ object }) => object ?? [],
  );
  const [target, ...others] = found;
  if (target === undefined) throw new UsageError('no object is selected, so there is nothing to unblock.');
  if (others.length > 0) throw new UsageError(`unblock takes one object, and ${found.length} are selected.`);
  return target;
}

function named({ session }: ActSession, target: KubeObject, id: string): ApplicableRemedy {
  const diagnosis = diagnose(session);
  const remedy = remedyFor(diagnosis, target, id);
  if (remedy !== undefined) return remedy;
  throw noSuchRemedy(diagnosis, target, id);
}

/** The list; and on a terminal the one that is chosen from it. */
async function offer(
  command: TargetCommand,
  options: ActOptions,
  { acting, asker }: ActionCommandContext,
  target: KubeObject,
): Promise<ApplicableRemedy | 'listed' | undefined> {
  const { flags, io, output } = command;
  const { session } = acting;
  const { view } = session;
  const now = session.now();
  const object = identityOfObject(target);
  const forecaster = createForecaster(view, { now, scope: 'action' });
  const remedies = withEffects(forecaster, target, everyRemedyOf(new Diagnosis(view, now), target));
  const document = () => remedyListDocument(basisOf(session.source.info, view, now), object, remedies);
  switch (options.format) {
    case 'json':
      await output.write(printDocumentJson(document()));
      return 'listed';
    case 'yaml':
      await output.write(printDocumentYaml(document()));
      return 'listed';
    case 'name':
      // Advice cannot be named to --remedy.
      await output.write(remedies.filter(isApplicable).map(({ id }) => `${exactly(id)}\n`));
      return 'listed';
    case 'text':
    case 'wide':
  }
  const applicable = remedies.filter(isApplicable);
  const asks =
    options.canAsk &&
    !options.yes &&
    applicable.length > 0 &&
    (options.dryRun !== 'none' || !isReadOnly(flags, io));
  const commandOf = (id: string): ShellCommand =>
    remedyCommand(view.catalog, object, id, sameSource(flags, 'acts'));
  await output.write(printRemedies(object, remedies, commandOf, { ...lookOf(command), numbered: asks }));
  if (!asks) return 'listed';
  await output.write(['\n']);
  const answer = await asker.ask(
    applicable.length === 1
      ? 'Apply it? Type 1, anything else stops: '
      : `Which one? 1 to ${applicable.length}; anything else stops: `,
  );
  const chosen = /^\d{1,3}$/u.test(answer ?? '') ? applicable[Number(answer) - 1] : undefined;
  if (chosen !== undefined) await output.write(['\n']);
  return chosen;
}
