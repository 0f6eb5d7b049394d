/** `undo`: the journal of what was done with this tool, listed, or one entry of it taken back as far as that goes. */

import type { Journal } from '../../../actions/journal/journal.ts';
import type { Entry } from '../../../actions/journal/record.ts';
import type { Prepared } from '../../../actions/prepare/prepare.ts';
import { prepareNow } from '../../../actions/run/run.ts';
import { isSameCluster } from '../../../actions/undo/same-cluster.ts';
import { planUndo, undoIntent } from '../../../actions/undo/undo.ts';
import { objectRef } from '../../../documents/object-ref.ts';
import { lostLines, undoNotes } from '../../../text/actions/journal.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { say } from '../../runtime/say.ts';
import { withCluster } from './command.ts';
import { ActionRefused, journalFailure } from './failure.ts';
import { perform } from './flow.ts';
import { type ActOptions, parseActOptions, refuseChanges } from './options.ts';
import { ActReport, exitOf } from './report.ts';
import { type ActSession, journalOf } from './session.ts';
import { listJournal } from './undo-list.ts';

export interface UndoCommand extends CommandContext {
  /** Id of the entry, or the beginning of one; undefined to list them. */
  readonly entry: string | undefined;
}

export async function undo(command: UndoCommand): Promise<number> {
  const { flags, io, entry } = command;
  const options = parseActOptions('undo', flags, io);
  try {
    if (entry === undefined) return await listJournal(command, options);
    // A mistyped one is told before anything is asked or reached.
    await entryOf(entry, journalOf(flags.demo === undefined ? 'cluster' : 'demo', io));
    refuseChanges(options, flags, io);
    return await takeBack(entry, command, options);
  } catch (error) {
    throw journalFailure(error) ?? error;
  }
}

function takeBack(word: string, command: CommandContext, options: ActOptions): Promise<number> {
  const { io } = command;
  return withCluster(command, options, async around => {
    const { acting } = around;
    const { session } = acting;
    const { view } = session;
    const entry = await entryOf(word, acting.journal);
    const setting = { command, acting, options };
    const about = {
      verb: 'undo',
      entry: entry.intended.id,
      targets: [objectRef(entry.intended.object)],
    } as const;
    const refuse = async (error: ActionRefused): Promise<never> => {
      await new ActReport(setting, about).write(exitOf(error));
      throw error;
    };
    const elsewhere = otherCluster(entry, acting);
    if (elsewhere !== undefined) return refuse(elsewhere);
    const kept = await acting.journal.backupOf(entry);
    const undone = planUndo(entry, kept, view);
    const intent = undoIntent(entry, undone, kept, view);
    if (intent === undefined) {
      const [first, ...others] = undone.lost;
      const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
      if (first !== undefined)
        return refuse(new ActionRefused(`that cannot be taken back: ${first}${more}.`));
      say(io, 'There is nothing to take back: everything is as the backup has it.\n');
      await new ActReport(setting, about).write({ code: EXIT_DONE, reason: 'NothingToDo' });
      return EXIT_DONE;
    }
    const { secretData } = options;
    return perform(prepareNow(intent, { view, now: () => session.now(), secretData }), {
      ...around,
      command,
      options,
      // What is done may have become another in a new forecast.
      notes: ({ intent: now }: Prepared) =>
        undoNotes(entry, now.verb === 'undo' ? { ...undone, does: now.does } : undone, io.now()),
      afterwards: () => lostLines(undone),
    });
  });
}

/** The entry of this id, or the only one whose id begins like this. */
async function entryOf(word: string, journal: Journal): Promise<Entry> {
  const exact = await journal.entry(word);
  if (exact !== undefined) return exact;
  const fitting = (await journal.list()).filter(({ intended }) => intended.id.startsWith(word));
  const [only, ...others] = fitting;
  if (only === undefined)
    throw new UsageError(
      `there is no entry ${JSON.stringify(word)} in the journal. kubectl gc-tree undo lists them.`,
    );
  if (others.length > 0)
    throw new UsageError(
      `${fitting.length} entries begin with ${word}. Write more of the one that is meant.`,
    );
  return only;
}

function otherCluster({ intended }: Entry, { session }: ActSession): ActionRefused | undefined {
  const { view, source } = session;
  if (isSameCluster(intended, { view, info: source.info })) return undefined;
  const where =
    intended.context === undefined ? 'another cluster' : `the cluster of context ${intended.context}`;
  return new ActionRefused(
    `entry ${intended.id} was done to ${where}, and this is not it.\nChoose that cluster with --context or --kubeconfig. Nothing was sent.`,
  );
}
