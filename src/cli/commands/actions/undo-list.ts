/**
 * The journal as a list. What can be taken back depends on how the cluster is now, so that is read; where it cannot
 * be, the journal is still told, and nothing counts as reversible.
 */

import type { Journal } from '../../../actions/journal/journal.ts';
import { type Entry, tookEffect } from '../../../actions/journal/record.ts';
import { isSameCluster } from '../../../actions/undo/same-cluster.ts';
import { planUndo } from '../../../actions/undo/undo.ts';
import { journalDocument } from '../../../documents/actions/journal.ts';
import { type Basis, basisOf } from '../../../documents/basis.ts';
import { printDocumentJson, printDocumentYaml } from '../../../documents/plan/print.ts';
import { printLine } from '../../../documents/print/lines.ts';
import { SourceError } from '../../../source/source.ts';
import { type JudgedEntry, journalLines, type Reversibility } from '../../../text/actions/journal.ts';
import { formatTimestamp } from '../../../text/terminal/age.ts';
import { sanitise } from '../../../text/terminal/sanitise.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { EXIT_DONE } from '../../runtime/errors.ts';
import { say } from '../../runtime/say.ts';
import type { ActOptions } from './options.ts';
import { lookOf } from './printer.ts';
import { type ActSession, journalOf, openForActing } from './session.ts';

export async function listJournal(command: CommandContext, { format }: ActOptions): Promise<number> {
  const { io } = command;
  let acting: ActSession | undefined;
  let unread = '';
  try {
    acting = await openForActing('undo', command);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    unread = error.message;
    say(io, `kubectl gc-tree: ${sanitise(unread)}\n`);
  }
  try {
    const journal = acting?.journal ?? journalOf('cluster', io);
    const entries: JudgedEntry[] = [];
    const all = await journal.list();
    for (const entry of all) {
      const reversibility: Reversibility =
        acting === undefined
          ? { extent: 'nothing', because: `the cluster cannot be read: ${unread}` }
          : await judge(entry, journal, acting);
      const by = reversibility.extent === 'nothing' ? takenBackBy(entry, all) : undefined;
      entries.push({
        entry,
        reversibility:
          by === undefined ? reversibility : { extent: 'nothing', because: `${by} took it back` },
      });
    }
    await print({ command, format }, entries, basis(acting, io.now()));
    return EXIT_DONE;
  } finally {
    await acting?.session.close();
  }
}

/** Id of the entry that has taken this one back; undefined where none has. */
function takenBackBy({ intended: { id } }: Entry, all: readonly Entry[]): string | undefined {
  return all.find(each => each.intended.undoes === id && tookEffect(each) === 'yes')?.intended.id;
}

async function judge(entry: Entry, journal: Journal, { session }: ActSession): Promise<Reversibility> {
  const { view, source } = session;
  const { intended } = entry;
  if (!isSameCluster(intended, { view, info: source.info })) {
    const where = intended.context === undefined ? '' : `, that of context ${intended.context}`;
    return { extent: 'nothing', because: `it was done to another cluster${where}` };
  }
  const { extent, lost } = planUndo(entry, await journal.backupOf(entry), view);
  if (lost.length > 0) return { extent, because: `cannot come back: ${lost.join('; ')}` };
  return extent === 'nothing' ? { extent, because: 'everything is as it was before' } : { extent };
}

function basis(acting: ActSession | undefined, now: number): Basis {
  if (acting !== undefined)
    return basisOf(acting.session.source.info, acting.session.view, acting.session.now());
  return { source: 'cluster', takenAt: formatTimestamp(now), complete: false, blindSpots: [] };
}

interface Printing {
  readonly command: CommandContext;
  readonly format: ActOptions['format'];
}

async function print(
  { command, format }: Printing,
  entries: readonly JudgedEntry[],
  from: Basis,
): Promise<void> {
  const { flags, io, output } = command;
  const document = () => journalDocument(from, entries);
  switch (format) {
    case 'json':
      return output.write(printDocumentJson(document()));
    case 'yaml':
      return output.write(printDocumentYaml(document()));
    case 'name':
      return output.write(entries.map(({ entry }) => `${entry.intended.id}\n`));
    case 'text':
    case 'wide':
  }
  if (entries.length === 0) {
    say(io, 'The journal is empty: nothing has been done with delete, unblock or undo yet.\n');
    return;
  }
  const look = lookOf(command);
  const options = { wide: format === 'wide', headers: flags.headers, now: io.now() };
  await output.write([...journalLines(entries, options)].map(line => printLine(line, look)));
}
