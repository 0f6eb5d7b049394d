/** `unblock`: lists remedies for a stuck deletion, or applies one. */
import { isApplicable, remediesForMany } from '../../../diagnosis/index.ts';
import { Forecaster, UnblockAction } from '../../../forecast/index.ts';
import { questionWords } from '../../../text/index.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { isReadOnly } from '../../runtime/format.ts';
import { diagnoseConfirmed, surroundingsOf } from '../../session/confirm.ts';
import {
  listedRemedies,
  remediesFor,
  remedyList,
  severalOf,
  tellRemedy,
  unblockBy,
} from '../../session/remedies.ts';
import { scopeOf } from '../../session/session.ts';
import { findObjects, parseChangeable, type ToUnblock, toUnblock } from '../../targets/targets.ts';
import { parseActOptions, refuseChanges } from './action-options.ts';
import { type ActionCommandContext, withCluster } from './action-session.ts';
import { nothingSent, perform } from './flow.ts';

export function unblock(command: TargetCommand): Promise<number> {
  const { flags, io, targets: words } = command;
  const options = parseActOptions('unblock', flags, io);
  const query = parseChangeable('unblock', words, flags);
  const { remedy: id } = flags;
  if (id === undefined && options.yes)
    throw new UsageError(
      '--yes needs the remedy to apply: add --remedy ID or --remedy safe. Without --yes they are listed.',
    );
  if (id !== undefined) refuseChanges(options, flags, io);
  return withCluster(command, { options, query }, async context => {
    const { acting } = context;
    const { session } = acting;
    const { view } = session;
    const find = () => toUnblock(query, findObjects(view, query, scopeOf(flags, session.source, query)));
    await session.answer(async () => {
      const nodes = UnblockAction.objects(find()).flatMap(({ uid }) => view.graph.get(uid) ?? []);
      await diagnoseConfirmed(session, {
        scope: surroundingsOf(session, nodes),
        also: made => UnblockAction.objects(find()).flatMap(({ uid }) => made.assumptionsOf(uid)),
        asked: true,
      });
      if (view.scope === undefined) return;
      // The remedies' reads beyond the scope are done before they are offered.
      Forecaster.noteSurroundings(view, UnblockAction.objects(find()));
      await session.readWanted();
      remediesFor(session, find());
    });
    const asked = find();
    const intent = id === undefined ? await offer(context, asked, command) : unblockBy(session, asked, id);
    if (intent === 'listed') return EXIT_DONE;
    if (intent === undefined) return nothingSent(context);
    tellRemedy(io, id, intent.remedy.id);
    return perform(context, intent, ({ forecast }) => questionWords.unblockNotes(forecast, intent, view));
  });
}

async function offer(
  { options, acting, asker }: ActionCommandContext,
  asked: ToUnblock,
  command: TargetCommand,
): Promise<UnblockAction | 'listed' | undefined> {
  const { flags, io, output } = command;
  const { session } = acting;
  const remedies = remediesFor(session, asked);
  const listed = remedyList(session, asked, remedies, options.format);
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
  const list = { session, asked, remedies, words: command.targets };
  await output.write(listedRemedies(list, command));
  if (!asks) return 'listed';
  await output.write(['\n']);
  const answer = await asker.ask(
    applicable.length === 1
      ? 'Apply it? Type 1, anything else stops: '
      : `Which one? 1 to ${applicable.length}; anything else stops: `,
  );
  const chosen = /^\d{1,3}$/u.test(answer ?? '') ? applicable[Number(answer) - 1] : undefined;
  if (chosen === undefined) return undefined;
  await output.write(['\n']);
  return remediesForMany.action(asked.target, chosen, severalOf(asked));
}
