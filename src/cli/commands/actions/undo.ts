/** `undo`: lists the journal of this tool's actions, or reverts one entry, completely or in part. */
import path from 'node:path';
import { type Entry, type Journal, tookEffect, Undo } from '../../../actions/index.ts';
import { showHidden } from '../../../model/index.ts';
import { SourceError } from '../../../source/index.ts';
import { type JudgedEntry, journalWords, timeText } from '../../../text/index.ts';
import { journalDocument } from '../../documents/actions/journal-document.ts';
import { objectRef } from '../../documents/basis.ts';
import type { Basis } from '../../documents/definitions.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { CommandContext, TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, UsageError } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import { isDocument } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { ActionRefused, withoutJournal } from './action-failure.ts';
import { type ActOptions, parseActOptions, refuseChanges } from './action-options.ts';
import {
  type ActionCommandContext,
  type ActSession,
  journalOf,
  openForActing,
  withCluster,
} from './action-session.ts';
import { perform } from './flow.ts';
import { ActReport, exitOf } from './report.ts';

type Reversibility = JudgedEntry['reversibility'];

/** Stands for the newest entry except undos. */
const LAST = 'last';

/** Length of an id's date: a shorter beginning may be a typo. */
const SHORTEST_BEGINNING = 8;

/** Reverts an entry by id, beginning of an id, or `last`; lists the journal without one. */
export async function undo(command: TargetCommand): Promise<number> {
  const { flags, io } = command;
  const [entry] = command.targets;
  const options = parseActOptions('undo', flags, io);
  try {
    if (entry === '') throw new UsageError('the entry is empty. Leave it out to list the journal.');
    if (entry === undefined && options.yes)
      throw new UsageError('--yes needs the entry to revert, or last. kubectl gc-tree undo lists them.');
    if (entry === undefined) return await listJournal(command, options);
    // A typo is reported before any question or request.
    const { intended } = await entryOf(entry, journalOf(flags.demo === undefined ? 'cluster' : 'demo', io));
    refuseChanges(options, flags, io);
    if (entry === LAST) say(io, `${LAST} is ${intended.id}: ${showHidden(intended.title)}.\n`);
    return await withCluster(command, { options }, context => takeBack(intended.id, context));
  } catch (error) {
    throw withoutJournal(error) ?? error;
  }
}

async function takeBack(word: string, context: ActionCommandContext): Promise<number> {
  const { acting, command } = context;
  const { view } = acting.session;
  const entry = await entryOf(word, acting.journal);
  const about = {
    verb: 'undo',
    entry: entry.intended.id,
    targets: [objectRef(entry.intended.object)],
  } as const;
  const report = new ActReport(context, about);
  const refuse = async (error: ActionRefused): Promise<never> => {
    await report.write(exitOf(error));
    throw error;
  };
  const elsewhere = otherCluster(entry, acting);
  if (elsewhere !== undefined) return refuse(elsewhere);
  const kept = await acting.journal.backupOf(entry);
  const undone = Undo.plan(entry, kept, view);
  const intent = Undo.intent(entry, undone, kept, view);
  if (intent === undefined) {
    const [first, ...others] = undone.lost;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    if (first !== undefined) return refuse(new ActionRefused(`that cannot be undone: ${first}${more}.`));
    say(command.io, 'There is nothing to revert: everything is as the backup has it.\n');
    await report.write({ code: EXIT_DONE, reason: 'NothingToDo' });
    return EXIT_DONE;
  }
  return perform(
    context,
    intent,
    ({ intent: now }) =>
      journalWords.undoNotes(
        entry,
        now.verb === 'undo' ? { ...undone, does: now.does } : undone,
        command.io.now(),
      ),
    [...journalWords.lost(undone)],
  );
}

async function entryOf(word: string, journal: Journal): Promise<Entry> {
  if (word === LAST) return lastEntry(journal);
  const exact = await journal.entry(word);
  if (exact !== undefined) return exact;
  const fitting = (await journal.list()).filter(({ intended }) => intended.id.startsWith(word));
  const [only, ...others] = fitting;
  if (only === undefined)
    throw new UsageError(
      `there is no entry ${JSON.stringify(word)} in the journal. kubectl gc-tree undo lists them.`,
    );
  if (word.length < SHORTEST_BEGINNING)
    throw new UsageError(
      `${JSON.stringify(word)} is too short for the beginning of an entry. Write at least ${SHORTEST_BEGINNING} characters.`,
    );
  if (others.length > 0)
    throw new UsageError(
      `${fitting.length} entries begin with ${word}. Write more of the one that is meant.`,
    );
  return only;
}

/** Throws a `UsageError` instead of choosing an older entry. */
async function lastEntry(journal: Journal): Promise<Entry> {
  const all = await journal.list();
  const last = all.find(({ intended }) => intended.verb !== 'undo');
  const [damaged] = (await journal.damaged()).map(folder => path.basename(folder));
  if (damaged !== undefined && (last === undefined || damaged > last.intended.id))
    throw new UsageError(
      `the newest entry of the journal, ${damaged}, is damaged, and what it did is unknown. Name the entry to revert; kubectl gc-tree undo lists them.`,
    );
  if (last === undefined)
    throw new UsageError(
      all.length === 0
        ? 'the journal is empty, so there is nothing to revert.'
        : 'the journal holds only what undo did. Name the entry to revert; kubectl gc-tree undo lists them.',
    );
  const { id, title } = last.intended;
  const by = takenBackBy(last, all);
  if (by !== undefined)
    throw new UsageError(
      `the last entry, ${id} (${showHidden(title)}), is already reverted by ${by}. Name another to revert; kubectl gc-tree undo lists them.`,
    );
  return last;
}

function otherCluster({ intended }: Entry, { session }: ActSession): ActionRefused | undefined {
  const { view, source } = session;
  if (Undo.isSameCluster(intended, { view, info: source.info })) return undefined;
  const where =
    intended.context === undefined ? 'another cluster' : `the cluster of context ${intended.context}`;
  return new ActionRefused(
    `entry ${intended.id} was done to ${where}, and this is not it.\nChoose that cluster with --context or --kubeconfig. Nothing was sent.`,
  );
}

/** Lists the journal even if the cluster, which decides what can be reverted, can't be read. */
async function listJournal(command: CommandContext, { format }: ActOptions): Promise<number> {
  const { io } = command;
  let acting: ActSession | undefined;
  let unread = '';
  try {
    acting = await openForActing('undo', command);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    unread = error.message;
    say(io, `kubectl gc-tree: ${showHidden(unread)}\n`);
  }
  try {
    const journal = acting?.journal ?? journalOf('cluster', io);
    const entries: JudgedEntry[] = [];
    const all = await journal.list();
    for (const folder of await journal.damaged())
      say(
        io,
        `kubectl gc-tree: an entry of the journal is damaged, and what it did is unknown. Its backups are in ${showHidden(folder)}.\n`,
      );
    for (const entry of all) {
      const reversibility: Reversibility =
        acting === undefined
          ? { extent: 'nothing', because: `the cluster cannot be read: ${unread}` }
          : await judge(entry, { journal, all }, acting);
      const by = reversibility.extent === 'nothing' ? takenBackBy(entry, all) : undefined;
      entries.push({
        entry,
        reversibility:
          by === undefined ? reversibility : { extent: 'nothing', because: `${by} took it back` },
      });
    }
    await print(command, format, entries, basis(acting, io.now()));
    return EXIT_DONE;
  } finally {
    await acting?.session.close();
  }
}

function takenBackBy({ intended: { id } }: Entry, all: readonly Entry[]): string | undefined {
  return all.find(each => each.intended.undoes === id && tookEffect(each) === 'yes')?.intended.id;
}

async function judge(
  entry: Entry,
  { journal, all }: { readonly journal: Journal; readonly all: readonly Entry[] },
  { session }: ActSession,
): Promise<Reversibility> {
  const { view, source } = session;
  const { intended } = entry;
  if (!Undo.isSameCluster(intended, { view, info: source.info })) {
    const where = intended.context === undefined ? '' : `, that of context ${intended.context}`;
    return { extent: 'nothing', because: `it was done to another cluster${where}` };
  }
  const { extent, lost } = Undo.plan(entry, await journal.backupOf(entry, all), view);
  if (lost.length > 0) return { extent, because: `cannot come back: ${lost.join('; ')}` };
  return extent === 'nothing' ? { extent, because: 'everything is as it was before' } : { extent };
}

function basis(acting: ActSession | undefined, now: number): Basis {
  if (acting !== undefined) return acting.session.basis();
  return { source: 'cluster', takenAt: timeText.timestamp(now), complete: false, blindSpots: [] };
}

async function print(
  command: CommandContext,
  format: ActOptions['format'],
  entries: readonly JudgedEntry[],
  from: Basis,
): Promise<void> {
  const { flags, io, output } = command;
  if (isDocument(format)) return output.write(printDocument(journalDocument(from, entries), format));
  if (format === 'name') return output.write(entries.map(({ entry }) => `${entry.intended.id}\n`));
  if (entries.length === 0) {
    say(io, 'The journal is empty: nothing has been done with delete, unblock or undo yet.\n');
    return;
  }
  const look = lineLook(command);
  const options = { wide: format === 'wide', headers: flags.headers, now: io.now() };
  await output.write([...journalWords.lines(entries, options)].map(line => printLine(line, look)));
}
