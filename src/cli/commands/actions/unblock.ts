/** `unblock`: what can be done about a deletion that hangs, listed, or one of it applied. */
import { isApplicable } from '../../../diagnosis/engine/finding.ts';
import { printRemedies, type RemedyLook } from '../../../documents/plan/text.ts';
import type { ApplicableRemedy, UnblockAction } from '../../../forecast/action.ts';
import { noteSurroundings } from '../../../forecast/forecaster.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { ShellCommand } from '../../../model/text/shell-line.ts';
import { dependentNotes } from '../../../text/actions/question.ts';
import { remedyCommand } from '../../../text/actions/remedy-command.ts';
import { isReadOnly, lineLook } from '../../output/format.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { diagnoseConfirmed, surroundingsOf } from '../../session/confirm.ts';
import { remediesFor, remedyList, remedyOf } from '../../session/diagnose.ts';
import { onSameCluster, sameSource } from '../../session/same-source.ts';
import { scopeOf } from '../../session/session.ts';
import { findObjects, onlyToUnblock, parseTargets, refuseAnyNamespace } from '../../targets/targets.ts';
import { nothingSent, perform } from './flow.ts';
import { parseActOptions, refuseChanges } from './options.ts';
import { type ActionCommandContext, withCluster } from './session.ts';

export function unblock(command: TargetCommand): Promise<number> {
  const { flags, io, targets: words } = command;
  const options = parseActOptions('unblock', flags, io);
  if (words.length === 0) throw new UsageError('name the object to unblock: unblock TARGET [--remedy ID].');
  const query = parseTargets(words, flags);
  refuseAnyNamespace(query, flags);
  const { remedy: id } = flags;
  if (id !== undefined) refuseChanges(options, flags, io);
  return withCluster(command, { options, query }, async context => {
    const { acting } = context;
    const { session } = acting;
    const { view } = session;
    const find = () => onlyToUnblock(findObjects(view, query, scopeOf(flags, session.source, query)));
    await session.answer(async () => {
      const node = view.graph.get(find().uid);
      const scope = surroundingsOf(session, node === undefined ? [] : [node]);
      await diagnoseConfirmed(session, {
        scope,
        also: made => made.assumptionsOf(find().uid),
        asked: true,
      });
      if (view.scope === undefined) return;
      // What the remedies and their forecasts look for beside what was read is read before they are offered.
      noteSurroundings(view, [find()]);
      await session.readWanted();
      remediesFor(session, find());
    });
    const target = find();
    const remedy = id === undefined ? await offer(context, target) : remedyOf(session, target, id);
    if (remedy === 'listed') return EXIT_DONE;
    if (remedy === undefined) return nothingSent(context);
    const intent: UnblockAction = { verb: 'unblock', target, remedy };
    return perform(context, intent, ({ forecast }) => dependentNotes(forecast, intent, view));
  });
}

/** The list; and on a terminal the one that is chosen from it. */
async function offer(
  { command, options, acting, asker }: ActionCommandContext,
  target: KubeObject,
): Promise<ApplicableRemedy | 'listed' | undefined> {
  const { flags, io, output } = command;
  const { session } = acting;
  const { view } = session;
  const object = identityOfObject(target);
  const remedies = remediesFor(session, target);
  const listed = remedyList(session, object, remedies, options.format);
  if (listed !== undefined) {
    await output.write(listed);
    return 'listed';
  }
  const applicable = remedies.filter(isApplicable);
  const asks =
    options.canAsk &&
    !options.yes &&
    applicable.length > 0 &&
    (options.dryRun !== 'none' || !isReadOnly(flags, io));
  const commandOf = (id: string): ShellCommand =>
    remedyCommand(view.catalog, object, id, sameSource(flags, 'acts'));
  const look: RemedyLook = {
    ...lineLook(command),
    numbered: asks,
    kubectl: commands => onSameCluster(commands, flags),
  };
  await output.write(printRemedies(object, remedies, commandOf, look));
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
