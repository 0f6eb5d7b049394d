/** Records changes to ownership and deletion. Each batch is offered before the view takes it, and judged afterwards. */
import type { Certainty } from '../collector/index.ts';
import { type ClusterView, Identity, identityOfObject, isDeleting, objectDeletion } from '../graph/index.ts';
import {
  BuiltInKind,
  type Change,
  isEqualData,
  type KubeObject,
  podFacts,
  type Uid,
} from '../model/index.ts';
import {
  type ActivityEntry,
  type ActivityKind,
  type Actor,
  type Because,
  follows,
  type Holds,
  policyOf,
  type SeenPolicy,
} from './activity-entry.ts';
import type { Told } from './aspect-verdict.ts';
import type { Seen } from './former-owners.ts';
import { holdsOf, judgeAspect } from './judge-aspect.ts';
import { Memory } from './memory.ts';
import { isBefore, LAG_MILLISECONDS, type Moment } from './order-of-moments.ts';
import { type Aspect, aspectsOf, type Transition } from './transition.ts';

const MOST_ENTRIES = 5_000;
/** Objects remembered per entry: owners, dependents, and those that are gone. */
const REMEMBERED = 4;
/** A deletion counts as held this long after it should have ended. */
const HELD_MILLISECONDS = 5_000;

export interface ActivityOptions {
  /** Maximum number of entries; the oldest are dropped first. */
  readonly most?: number;
}

class Draft implements ActivityEntry {
  what: ActivityKind = 'Deleted';
  policy: SeenPolicy | undefined = undefined;
  by: readonly Actor[] = [];
  because: Because = { code: 'Waits' };
  certainty: Certainty = 'exact';
  holds: Holds | undefined = undefined;
  cause: ActivityEntry | undefined = undefined;
  /** True while a later change may still explain the entry better. */
  isOpen = false;
  readonly id: number;
  readonly at: number;
  readonly object: Identity;

  constructor(id: number, at: number, object: Identity) {
    this.id = id;
    this.at = at;
    this.object = object;
  }

  /** Everything shown except the cause. */
  get said(): object {
    const { what, policy, by, because, certainty, holds } = this;
    return { what, policy, by, because, certainty, holds };
  }

  write(told: Told, isComplete: boolean): void {
    this.what = told.what;
    this.policy = told.policy;
    this.by = told.by;
    this.because = told.because;
    this.holds = told.holds;
    this.cause = told.cause !== undefined && follows(told.cause, this) ? undefined : told.cause;
    this.isOpen = told.open;
    this.certainty = told.by.length === 0 && isComplete ? 'exact' : 'assumed';
  }
}

interface Question {
  readonly draft: Draft;
  readonly transition: Transition;
  readonly aspect: Aspect;
}

export class Activity {
  #seen: Seen;
  readonly #most: number;
  #entries: Draft[] = [];
  #next = 1;
  #order = 0;
  readonly #offered: Transition[] = [];
  readonly #open: Question[] = [];
  /** Objects being deleted; `told` is set once their hold has been reported. */
  readonly #under = new Map<Uid, { readonly due: number; told: boolean }>();

  constructor(view: ClusterView, { most = MOST_ENTRIES }: ActivityOptions = {}) {
    this.#most = most;
    this.#seen = { view, memory: new Memory(most * REMEMBERED) };
  }

  get entries(): readonly ActivityEntry[] {
    return this.#entries;
  }

  get forgotten(): number {
    return this.#next - 1 - this.#entries.length;
  }

  /** Returns true if no later change can explain the entry better. */
  isSettled(entry: ActivityEntry): boolean {
    return !(entry instanceof Draft && entry.isOpen);
  }

  /** Reports deletions already under way, by time of request, once all is listed. `now` is in ms since the epoch. */
  begin(now: number): readonly ActivityEntry[] {
    const { view, memory } = this.#seen;
    const under: KubeObject[] = [];
    for (const { object } of view.graph.nodes())
      if (object !== undefined && isDeleting(object)) under.push(object);
    const requested = (object: KubeObject): number => objectDeletion.requestedAt(object) ?? now;
    under.sort(
      (a, b) => requested(a) - requested(b) || Identity.compare(identityOfObject(a), identityOfObject(b)),
    );
    const questions = under.map((object): Question => {
      const at = requested(object);
      // Timestamps are in seconds: another deletion in the same second may be the cause.
      const order = 2 * Math.floor(at / 1000);
      // A pod's timestamp says when its grace period ends, but not reliably how long that period was.
      const marked = podFacts(object) === undefined ? order : 0;
      const draft = this.#draft(at, identityOfObject(object));
      const moment: Moment = { at, order: marked, version: undefined };
      memory.mark(object.uid, moment, draft);
      memory.proceeds(object.uid, moment, policyOf(object));
      this.#under.set(object.uid, { due: object.deletionTimestamp ?? now, told: true });
      this.#order = Math.max(this.#order, order + 1);
      const before = object.with({ deletionTimestamp: undefined });
      const node = view.graph.get(object.uid);
      const transition = { ...moment, before, after: object, node, order: order + 1, past: true } as const;
      return { draft, transition, aspect: { of: 'marked', before, object } };
    });
    for (const question of questions) {
      this.#judge(question);
      const { draft } = question;
      draft.isOpen = false;
      const due = this.#under.get(draft.object.uid)?.due ?? now;
      if (now - due >= HELD_MILLISECONDS) draft.what = 'Held';
    }
    const told = questions.map(({ draft }) => draft);
    this.#shrink();
    return told;
  }

  /** Goes on with another view of the same content: the live one, after what was recorded of it. */
  continueOn(view: ClusterView): void {
    this.#seen = { ...this.#seen, view };
  }

  /** Reads changes before the view applies them; they arrived `at`. Returns those that concern ownership or deletion. */
  offer(changes: readonly Change[], at: number): ReadonlySet<Change> {
    const { view, memory } = this.#seen;
    const telling = new Set<Change>();
    const running = new Map<Uid, KubeObject | undefined>();
    for (const change of changes) {
      const uid = change.op === 'upsert' ? change.object.uid : change.uid;
      const before = running.has(uid) ? running.get(uid) : view.graph.get(uid)?.object;
      const after = change.op === 'upsert' ? change.object : undefined;
      running.set(uid, after);
      this.#order += 1;
      const version = change.op === 'upsert' ? change.object.resourceVersion : change.resourceVersion;
      const moment: Moment = { at, order: this.#order, version };
      if (after === undefined && before !== undefined) memory.depart(before, moment);
      else if (before === undefined && after !== undefined) memory.appear(after, moment);
      if (!mayMatter(before, after)) continue;
      if (matters(before, after)) telling.add(change);
      const unseen = change.op === 'delete' && change.unseen === true;
      const transition = { before, after, node: view.graph.get(uid), ...moment };
      this.#offered.push(unseen ? { ...transition, unseen } : transition);
    }
    return telling;
  }

  /** Judges the offered changes once the view has taken them, and open entries. Returns new and changed ones by id. */
  take(now: number): readonly ActivityEntry[] {
    const told = new Set<Draft>();
    // Within a batch, kinds arrive in no particular order.
    const offered = this.#offered.splice(0).sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
    // The time of arrival counts, however late the changes are taken.
    this.#close(offered.reduce((earliest, { at }) => Math.min(earliest, at), now));
    const fresh = offered.flatMap(transition => this.#ask(transition));
    const mayExplain = explainedBy(offered);
    for (const question of this.#open)
      if (mayExplain(question) && this.#judge(question)) told.add(question.draft);
    for (const question of fresh) {
      this.#judge(question);
      told.add(question.draft);
      if (question.draft.isOpen) this.#open.push(question);
    }
    this.#close(now);
    for (const draft of this.#holdOverdue(now)) told.add(draft);
    this.#shrink();
    return [...told].sort((a, b) => a.id - b.id);
  }

  /** Drafts an entry per aspect, so that other judgements find it by its object before any is judged. */
  #ask(transition: Transition): readonly Question[] {
    const { memory } = this.#seen;
    const questions: Question[] = [];
    for (const aspect of aspectsOf(transition)) {
      // Most new objects have no predecessor.
      if (aspect.of === 'came' && memory.predecessor(aspect.object) === undefined) continue;
      const object = aspect.of === 'gone' ? aspect.before : aspect.object;
      const draft = this.#draft(transition.at, identityOfObject(object));
      questions.push({ draft, transition, aspect });
      const { uid } = object;
      if (aspect.of === 'marked') {
        memory.mark(uid, transition, draft);
        this.#under.set(uid, { due: object.deletionTimestamp ?? transition.at, told: false });
        memory.proceeds(uid, transition, policyOf(object));
      } else if (aspect.of === 'gone') {
        memory.end(uid, draft);
        this.#under.delete(uid);
      } else if (aspect.of === 'policy' || aspect.of === 'finalizers') {
        memory.proceeds(uid, transition, policyOf(object));
      } else if (aspect.of === 'removed') {
        const lost = aspect.references.map(reference => reference.uid);
        memory.loseOwners(uid, lost, transition);
      }
    }
    return questions;
  }

  /** Returns true if the draft changed. */
  #judge({ draft, transition, aspect }: Question): boolean {
    const told = judgeAspect(this.#seen, transition, aspect);
    const before = draft.said;
    const { cause } = draft;
    draft.write(told, this.#seen.view.complete);
    return draft.cause !== cause || !isEqualData(draft.said, before);
  }

  #draft(at: number, object: Identity): Draft {
    const draft = new Draft(this.#next, at, object);
    this.#next += 1;
    this.#entries.push(draft);
    return draft;
  }

  #close(now: number): void {
    const isOver = (question: Question, index: number): boolean =>
      !question.draft.isOpen ||
      now - question.draft.at >= LAG_MILLISECONDS ||
      index < this.#open.length - this.#most;
    const open = this.#open.splice(0);
    for (const [index, question] of open.entries()) {
      if (isOver(question, index)) question.draft.isOpen = false;
      else this.#open.push(question);
    }
  }

  /** Reports each overdue deletion once. */
  *#holdOverdue(now: number): Generator<Draft> {
    const { view, memory } = this.#seen;
    for (const [uid, under] of this.#under) {
      if (under.told || now - under.due < HELD_MILLISECONDS) continue;
      under.told = true;
      const object = view.graph.get(uid)?.object;
      if (object === undefined) continue;
      const draft = this.#draft(now, identityOfObject(object));
      draft.write(
        {
          what: 'Held',
          because: { code: 'Waits' },
          by: [],
          policy: policyOf(object),
          holds: holdsOf(this.#seen, object),
          cause: memory.markOf(uid),
          open: false,
        },
        view.complete,
      );
      yield draft;
    }
  }

  #shrink(): void {
    const spare = this.#entries.length - this.#most;
    if (spare > 0) this.#entries.splice(0, spare);
  }
}

/** Returns a filter for the open questions these transitions can affect: a few of thousands. */
function explainedBy(transitions: readonly Transition[]): (question: Question) => boolean {
  const uids = new Set<Uid>();
  let isAround = false;
  for (const { before, after } of transitions) {
    const object = after ?? before;
    if (object === undefined) continue;
    uids.add(object.uid);
    const kind = BuiltInKind.of(object.type);
    if (kind === 'Namespace' || kind === 'CustomResourceDefinition') isAround = true;
  }
  return ({ aspect, transition: { before, after } }) => {
    if (uids.size === 0) return false;
    // The end of a deletion depends on its dependents, of which there may be many; such questions are rare.
    if (isAround || aspect.of === 'finalizers' || aspect.of === 'unblocked') return true;
    if (aspect.of === 'gone' && isDeleting(aspect.before)) return true;
    const touches = ({ uid }: { readonly uid: Uid }): boolean => uids.has(uid);
    return before?.owners.some(touches) === true || after?.owners.some(touches) === true;
  };
}

/** Checks what `mayMatter` lets through, since readers make equal lists anew. */
function matters(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  return (
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.facts?.kind === 'Namespace' ||
    !isEqualData([before.owners, before.finalizers], [after.owners, after.finalizers])
  );
}

/** Reports if a change can concern ownership or deletion. Nearly no change does. */
function mayMatter(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return (
    before.owners !== after.owners ||
    before.finalizers !== after.finalizers ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    before.facts?.kind === 'Namespace'
  );
}
