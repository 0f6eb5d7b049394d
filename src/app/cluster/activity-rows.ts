/** Keeps the Activity view's rows: each action above its consequences, newest last. Mutable, like `ClusterModel`. */

import { Activity, ActivityEntry, type ActivityKind, isWanted } from '../../activity/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import { type Change, Connection } from '../../model/index.ts';
import { activityWords } from '../../text/index.ts';
import { type Group, type GroupedRow, GroupedRows } from './grouped-rows.ts';

export type ActivityHead =
  /** An entry without a cause; its consequences are below it. */
  | { readonly of: 'action'; readonly entry: ActivityEntry }
  /** Start of complete observation; rows above it had begun earlier. */
  | { readonly of: 'start'; readonly at: number }
  /** A lost connection; `until` is undefined while it lasts. */
  | { readonly of: 'gap'; readonly from: number; readonly until: number | undefined };

export type ActivityRow = GroupedRow<ActivityHead, ActivityEntry>;

export interface ActivityLogOptions {
  readonly now: number;
  readonly scope: string | undefined;
  readonly standsStill: boolean;
}

interface Action {
  readonly entry: ActivityEntry;
  readonly followers: ActivityEntry[];
  /** Visible `followers`; undefined until computed. */
  shown: ActivityEntry[] | undefined;
}

const MOST_GAPS = 100;

export class ActivityLog {
  readonly rows: GroupedRows<ActivityHead, ActivityEntry>;
  readonly since: number;
  readonly #view: ClusterView;
  readonly #activity: Activity;
  readonly #standsStill: boolean;
  #scope: string | undefined;
  #kinds: ReadonlySet<ActivityKind> | undefined;
  #terms: readonly string[] = [];
  readonly #heads = new Map<string, Action | Extract<ActivityHead, { of: 'start' | 'gap' }>>();
  readonly #actions = new Map<ActivityEntry, Action>();
  readonly #words = new WeakMap<ActivityEntry, string>();
  #unsettled: ActivityEntry[] = [];
  #gap: { readonly key: string; readonly from: number } | undefined;
  #gaps = 0;

  /** Records the deletions already in progress. Everything has to be listed. */
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

  /** True if no later changes are recorded, as with files. */
  get standsStill(): boolean {
    return this.#standsStill;
  }

  get length(): number {
    return this.#activity.entries.length;
  }

  /** Number of recorded entries no longer kept. */
  get forgotten(): number {
    return this.#activity.forgotten;
  }

  get kinds(): ReadonlySet<ActivityKind> | undefined {
    return this.#kinds;
  }

  counts(): ReadonlyMap<ActivityKind, number> {
    const counts = new Map<ActivityKind, number>();
    for (const [entry, action] of this.#actions)
      if (this.#isWanted(entry, action, undefined)) counts.set(entry.what, (counts.get(entry.what) ?? 0) + 1);
    return counts;
  }

  isSettled(entry: ActivityEntry): boolean {
    return this.#activity.isSettled(entry);
  }

  entriesOf(uid: string): readonly ActivityEntry[] {
    return this.#activity.entries.filter(({ object }) => object.uid === uid);
  }

  setScope(scope: string | undefined): void {
    this.#scope = scope;
    this.#lookAgain();
  }

  setKinds(kinds: ReadonlySet<ActivityKind> | undefined): void {
    if (kinds === this.#kinds) return;
    this.#kinds = kinds;
    this.#lookAgain();
  }

  /** Reads changes before the view applies them; they arrived `at`. */
  offer(changes: readonly Change[], at: number): void {
    this.#activity.offer(changes, at);
  }

  take(now: number): boolean {
    const isNoted = this.#followConnection(now);
    const told = this.#activity.take(this.#view.followedUntil(now));
    this.#add(told);
    this.#forget();
    return told.length > 0 || isNoted || this.#settles();
  }

  /** Reports whether entries became final, which their rows show. */
  #settles(): boolean {
    if (this.#unsettled.length === 0) return false;
    const left = this.#unsettled.filter(entry => !this.isSettled(entry));
    const isOther = left.length < this.#unsettled.length;
    this.#unsettled = left;
    return isOther;
  }

  #followConnection(now: number): boolean {
    const { connection } = this.#view;
    if (Connection.isBehind(connection) === (this.#gap !== undefined)) return false;
    if (Connection.isBehind(connection)) {
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

  /** Puts an entry below its action and moves that action to the end. */
  #place(entry: ActivityEntry): void {
    const root = ActivityEntry.root(entry);
    const before = this.#actions.get(entry);
    const action = this.#actionOf(root);
    const key = keyOfEntry(root);
    this.#heads.delete(key);
    this.#heads.set(key, action);
    if (before !== undefined && before !== action) {
      if (before.entry === entry) this.#heads.delete(keyOfEntry(entry));
      // If the moved entry is an action, its consequences move with it.
      for (const each of before.entry === entry ? before.followers : []) this.#putBelow(each, action);
      remove(before.followers, entry);
      remove(before.shown, entry);
    }
    this.#putBelow(entry, action);
  }

  #putBelow(entry: ActivityEntry, action: Action): void {
    this.#actions.set(entry, action);
    if (entry === action.entry) {
      // The action's words, which also match its consequences, may have changed.
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

  /** Drops entries that Activity has dropped, and emptied actions. */
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
    // A consequence matches if its action does.
    return this.#hasWords(entry) || (entry !== root && this.#hasWords(root));
  }

  #hasWords(entry: ActivityEntry): boolean {
    if (this.#terms.length === 0) return true;
    let words = this.#words.get(entry);
    if (words === undefined) {
      words = activityWords.entry(entry).toLowerCase();
      this.#words.set(entry, words);
    }
    return this.#terms.every(term => words.includes(term));
  }
}

/** Returns the entry of a row; an action is the heading of its consequences. */
export function entryOfRow(row: ActivityRow): ActivityEntry | undefined {
  if (row.kind === 'item') return row.item;
  return row.head.of === 'action' ? row.head.entry : undefined;
}

function keyOfEntry({ id }: ActivityEntry): string {
  return `e${id}`;
}

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
