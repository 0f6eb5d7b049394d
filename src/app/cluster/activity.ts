/**
 * The rows of the Activity view: each action with what followed from it below, in the order of the latest news, so that
 * what is new stands last. Kept entry by entry as batches come in. Large and mutable, as `ClusterModel` is.
 */
import { Activity } from '../../activity/activity.ts';
import { type ActivityEntry, type ActivityKind, rootOf } from '../../activity/entry.ts';
import { isWanted } from '../../activity/filter.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { type Change, isBehind } from '../../model/exchange/changes.ts';
import { entryWords } from '../../text/activity/line.ts';
import { type Group, type GroupedRow, GroupedRows } from './grouped-rows.ts';

export type ActivityHead =
  /** An entry that follows from none; what follows from it stands below. */
  | { readonly of: 'action'; readonly entry: ActivityEntry }
  /** From `at` on (milliseconds since the epoch) everything was followed; what stands above was under way then. */
  | { readonly of: 'start'; readonly at: number }
  /** The cluster wasn't followed; `until` is undefined while it still isn't. */
  | { readonly of: 'gap'; readonly from: number; readonly until: number | undefined };

export type ActivityRow = GroupedRow<ActivityHead, ActivityEntry>;

export interface ActivityLogOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Undefined for the whole cluster. */
  readonly scope: string | undefined;
  /** Nothing changes any more, as in files. */
  readonly standsStill: boolean;
}

/** An action with what is known to follow from it, by ids. */
interface Action {
  readonly entry: ActivityEntry;
  readonly followers: ActivityEntry[];
  /** Those of `followers` that are shown; undefined until somebody looks. */
  shown: ActivityEntry[] | undefined;
}

/** So many times the connection was lost are told. */
const MOST_GAPS = 100;

export class ActivityLog {
  readonly rows: GroupedRows<ActivityHead, ActivityEntry>;
  /** When it began to follow, in milliseconds since the epoch. */
  readonly since: number;
  readonly #view: ClusterView;
  readonly #activity: Activity;
  readonly #standsStill: boolean;
  #scope: string | undefined;
  #kinds: ReadonlySet<ActivityKind> | undefined;
  #terms: readonly string[] = [];
  /** By the id of its first entry, the one with the latest news last. */
  readonly #heads = new Map<string, Action | Extract<ActivityHead, { of: 'start' | 'gap' }>>();
  /** Of each entry that is kept, in the order of their ids. */
  readonly #actions = new Map<ActivityEntry, Action>();
  readonly #words = new WeakMap<ActivityEntry, string>();
  #unsettled: ActivityEntry[] = [];
  #gap: { readonly key: string; readonly from: number } | undefined;
  #gaps = 0;

  /** Tells what is being deleted already. Everything has to be listed. */
  constructor(view: ClusterView, { now, scope, standsStill }: ActivityLogOptions) {
    this.#view = view;
    this.#activity = new Activity(view);
    this.#scope = scope;
    this.#standsStill = standsStill;
    this.since = view.followedUntil(now);
    this.rows = new GroupedRows({
      groups: () => this.#groups(),
      narrow: terms => {
        this.#terms = terms;
        this.#lookAgain();
      },
      keyOf: keyOfEntry,
      find: ({ items }: Group<ActivityHead, ActivityEntry, readonly ActivityEntry[]>, key) =>
        placeOf(items, Number(key.slice(1))),
    });
    this.#add(this.#activity.begin(this.since));
    if (!standsStill) this.#heads.set('start', { of: 'start', at: this.since });
    this.#followConnection(now);
  }

  /** Nothing is told of what happens later, as in files. */
  get standsStill(): boolean {
    return this.#standsStill;
  }

  /** Entries that are kept, whatever is shown. */
  get length(): number {
    return this.#activity.entries.length;
  }

  /** How many entries were told and are no longer kept. */
  get forgotten(): number {
    return this.#activity.forgotten;
  }

  /** The kinds that are shown; undefined for all. */
  get kinds(): ReadonlySet<ActivityKind> | undefined {
    return this.#kinds;
  }

  /** How many entries of each kind are kept, in scope and with the words of the filter. */
  counts(): ReadonlyMap<ActivityKind, number> {
    const counts = new Map<ActivityKind, number>();
    for (const [entry, action] of this.#actions)
      if (this.#isWanted(entry, action, undefined)) counts.set(entry.what, (counts.get(entry.what) ?? 0) + 1);
    return counts;
  }

  /** Whether nothing that comes in a moment can explain the entry better. */
  isSettled(entry: ActivityEntry): boolean {
    return this.#activity.isSettled(entry);
  }

  /** What is told of an object, the oldest first. */
  entriesOf(uid: string): readonly ActivityEntry[] {
    return this.#activity.entries.filter(({ object }) => object.uid === uid);
  }

  setScope(scope: string | undefined): void {
    this.#scope = scope;
    this.#lookAgain();
  }

  /** Shows entries of these kinds alone; undefined for all. */
  setKinds(kinds: ReadonlySet<ActivityKind> | undefined): void {
    if (kinds === this.#kinds) return;
    this.#kinds = kinds;
    this.#lookAgain();
  }

  /** Looks at changes that the view is about to take; `at`: when they arrived, in milliseconds since the epoch. */
  offer(changes: readonly Change[], at: number): void {
    this.#activity.offer(changes, at);
  }

  /** After the view took them, or after time has passed. Returns whether a row is another one. */
  take(now: number): boolean {
    const isNoted = this.#followConnection(now);
    // While nothing is seen, nobody can tell what is held by now.
    const told = this.#activity.take(this.#view.followedUntil(now));
    this.#add(told);
    this.#forget();
    return told.length > 0 || isNoted || this.#settles();
  }

  /** Whether what was told a moment ago is now told for good, which its row shows. */
  #settles(): boolean {
    if (this.#unsettled.length === 0) return false;
    const left = this.#unsettled.filter(entry => !this.isSettled(entry));
    const isOther = left.length < this.#unsettled.length;
    this.#unsettled = left;
    return isOther;
  }

  #followConnection(now: number): boolean {
    const { connection } = this.#view;
    if (isBehind(connection) === (this.#gap !== undefined)) return false;
    if (isBehind(connection)) {
      if (this.#gaps >= MOST_GAPS) return false;
      this.#gaps += 1;
      const gap = { key: `gap${this.#gaps}`, from: connection.since };
      this.#gap = gap;
      this.#heads.set(gap.key, { of: 'gap', from: gap.from, until: undefined });
    } else if (this.#gap !== undefined) {
      const { key, from } = this.#gap;
      this.#heads.set(key, { of: 'gap', from, until: now });
      this.#gap = undefined;
    }
    this.rows.invalidate();
    return true;
  }

  #add(entries: readonly ActivityEntry[]): void {
    for (const entry of entries) {
      this.#words.delete(entry);
      if (!this.isSettled(entry)) this.#unsettled.push(entry);
      this.#place(entry);
    }
    if (entries.length > 0) this.rows.invalidate();
  }

  /** Puts an entry below the action that it follows from, which comes last by that. */
  #place(entry: ActivityEntry): void {
    const root = rootOf(entry);
    const before = this.#actions.get(entry);
    const action = this.#actionOf(root);
    const key = keyOfEntry(root);
    this.#heads.delete(key);
    this.#heads.set(key, action);
    if (before !== undefined && before !== action) {
      if (before.entry === entry) this.#heads.delete(keyOfEntry(entry));
      // What follows from an action that follows from another one moves with it.
      for (const each of before.entry === entry ? before.followers : []) this.#putBelow(each, action);
      remove(before.followers, entry);
      remove(before.shown, entry);
    }
    this.#putBelow(entry, action);
  }

  #putBelow(entry: ActivityEntry, action: Action): void {
    this.#actions.set(entry, action);
    if (entry === action.entry) {
      // What follows from it is wanted by its words, too, which may be others now.
      action.shown = undefined;
      return;
    }
    insert(action.followers, entry);
    if (action.shown === undefined) return;
    if (this.#isWanted(entry, action, this.#kinds)) insert(action.shown, entry);
    else remove(action.shown, entry);
  }

  #actionOf(root: ActivityEntry): Action {
    const known = this.#heads.get(keyOfEntry(root));
    return known !== undefined && 'entry' in known ? known : { entry: root, followers: [], shown: undefined };
  }

  /** As much as Activity has forgotten, and the actions of which nothing is left. */
  #forget(): void {
    const oldest = this.#activity.entries[0]?.id ?? 0;
    for (const [entry, action] of this.#actions) {
      if (entry.id >= oldest) break;
      this.#actions.delete(entry);
      remove(action.followers, entry);
      remove(action.shown, entry);
      if (action.followers.length === 0 && action.entry.id < oldest)
        this.#heads.delete(keyOfEntry(action.entry));
      this.rows.invalidate();
    }
  }

  #lookAgain(): void {
    for (const head of this.#heads.values()) if ('entry' in head) head.shown = undefined;
    this.rows.invalidate();
  }

  *#groups(): Iterable<Group<ActivityHead, ActivityEntry>> {
    const isNarrowed = this.#terms.length > 0 || this.#kinds !== undefined;
    for (const [id, head] of this.#heads) {
      if (!('entry' in head)) {
        if (!isNarrowed) yield { id, head, folded: false, items: [] };
        continue;
      }
      head.shown ??= head.followers.filter(entry => this.#isWanted(entry, head, this.#kinds));
      const { entry, shown } = head;
      if (shown.length > 0 || this.#isWanted(entry, head, this.#kinds))
        yield { id, head: { of: 'action', entry }, folded: false, items: shown };
    }
  }

  #isWanted(
    entry: ActivityEntry,
    { entry: root }: Action,
    kinds: ReadonlySet<ActivityKind> | undefined,
  ): boolean {
    if (!isWanted(entry, { namespace: this.#scope, kinds })) return false;
    // What follows from what is meant is meant, too.
    return this.#hasWords(entry) || (entry !== root && this.#hasWords(root));
  }

  #hasWords(entry: ActivityEntry): boolean {
    if (this.#terms.length === 0) return true;
    let words = this.#words.get(entry);
    if (words === undefined) {
      words = entryWords(entry).toLowerCase();
      this.#words.set(entry, words);
    }
    return this.#terms.every(term => words.includes(term));
  }
}

function keyOfEntry({ id }: ActivityEntry): string {
  return `e${id}`;
}

/** By ids; nearly always at the end. */
function insert(entries: ActivityEntry[], entry: ActivityEntry): void {
  let at = entries.length;
  while (at > 0 && (entries[at - 1]?.id ?? 0) > entry.id) at -= 1;
  if (entries[at - 1] !== entry) entries.splice(at, 0, entry);
}

function remove(entries: ActivityEntry[] | undefined, { id }: ActivityEntry): void {
  const place = entries === undefined ? -1 : placeOf(entries, id);
  if (place >= 0) entries?.splice(place, 1);
}

function placeOf(entries: readonly ActivityEntry[], id: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.id ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return entries[low]?.id === id ? low : -1;
}
