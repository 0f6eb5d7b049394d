/** Prints Activity's entries as lines, or as a document each. */
import { ActivityEntry, type ActivityFilter, isWanted } from '../../../activity/index.ts';
import { shownName, textEscapes } from '../../../model/index.ts';
import { activityWords, type TextLine } from '../../../text/index.ts';
import { activityDocument } from '../../documents/activity-document.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { lineLook } from '../../runtime/format.ts';
import { say } from '../../runtime/say.ts';
import type { ClusterSession } from '../../session/session.ts';

export interface ActivityPrint {
  readonly command: CommandContext;
  readonly session: ClusterSession;
  readonly format: 'text' | 'json' | 'yaml';
  readonly filter: ActivityFilter;
  readonly namespace: string | undefined;
}

export class ActivityPrinter {
  readonly #print: ActivityPrint;
  /** Entries that may still get a better explanation. */
  readonly #waiting = new Set<ActivityEntry>();
  #action: ActivityEntry | undefined;
  #isTitled: boolean;
  #documents = 0;

  constructor(print: ActivityPrint) {
    this.#print = print;
    this.#isTitled = !print.command.flags.headers;
  }

  async begin(entries: readonly ActivityEntry[]): Promise<void> {
    await this.add(byAction(entries), () => true);
    const { command, namespace, format } = this.#print;
    if (format !== 'text' || this.#action !== undefined) return;
    const where = namespace === undefined ? '' : ` in namespace ${shownName(namespace)}`;
    say(command.io, `None of the requested objects is being deleted${where}.\n`);
  }

  /** Prints settled entries after their causes, and keeps the others. */
  async add(entries: readonly ActivityEntry[], isSettled: (entry: ActivityEntry) => boolean): Promise<void> {
    for (const entry of entries) this.#waiting.add(entry);
    const pieces = this.#takeSettled(isSettled)
      .filter(entry => isWanted(entry, this.#print.filter))
      .flatMap(entry => this.#pieces(entry));
    if (pieces.length > 0) await this.#print.command.output.write(pieces);
  }

  #takeSettled(isSettled: (entry: ActivityEntry) => boolean): readonly ActivityEntry[] {
    const taken: ActivityEntry[] = [];
    for (let before = -1; before < taken.length; ) {
      before = taken.length;
      for (const entry of this.#waiting) {
        if (!isSettled(entry) || (entry.cause !== undefined && this.#waiting.has(entry.cause))) continue;
        this.#waiting.delete(entry);
        taken.push(entry);
      }
    }
    return taken;
  }

  #pieces(entry: ActivityEntry): readonly string[] {
    const { session, format, command } = this.#print;
    if (format !== 'text') {
      const document = activityDocument(session.basis(), entry);
      this.#documents += 1;
      if (format === 'json') return [`${textEscapes.json(document)}\n`];
      return [...(this.#documents === 1 ? [] : ['---\n']), ...printDocument(document, 'yaml')];
    }
    const now = session.now();
    const lines: TextLine[] = this.#isTitled ? [] : [activityWords.titles];
    this.#isTitled = true;
    const action = ActivityEntry.root(entry);
    if (action !== entry && action !== this.#action) lines.push(activityWords.groupLine(entry, now));
    this.#action = action;
    lines.push(activityWords.line(entry, now));
    return lines.map(line => printLine(line, lineLook(command)));
  }
}

/** Orders entries so that each comes below its cause. */
export function byAction<T extends { readonly cause: T | undefined }>(entries: readonly T[]): readonly T[] {
  const following = Map.groupBy(entries, ({ cause }) => cause);
  const known = new Set(entries);
  const ordered = new Set<T>();
  const open = entries.filter(({ cause }) => cause === undefined || !known.has(cause)).toReversed();
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    ordered.add(entry);
    open.push(...(following.get(entry) ?? []).toReversed());
  }
  return [...ordered];
}
