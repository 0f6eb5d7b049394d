/**
 * Bounds what an object that changes all the time takes of the files, so that its states don't push deletions out: some
 * are written later, if no newer one replaced them. What concerns ownership or deletion is always written at once.
 */
import type { Change, Uid } from '../../../model/index.ts';

/** States of an object that a file takes at once. */
const AT_ONCE = 20;
/** Milliseconds between later ones. */
const PAUSE_MS = 600_000;
const LOOK_MS = 1_000;

interface Written {
  count: number;
  at: number;
}

export class FrequentStates {
  readonly #written = new Map<Uid, Written>();
  readonly #waiting = new Map<Uid, Change>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** Returns changes to write now. `telling`: those that concern ownership or deletion. */
  admit(changes: readonly Change[], telling: ReadonlySet<Change>, at: number): readonly Change[] {
    return changes.flatMap(change => {
      const uid = change.op === 'upsert' ? change.object.uid : change.uid;
      const waited = this.#waiting.get(uid);
      this.#waiting.delete(uid);
      if (change.op === 'delete') this.#written.delete(uid);
      // Its last state may explain it.
      if (telling.has(change)) return waited === undefined ? [change] : [waited, change];
      if (this.#mayWrite(uid, at)) return [change];
      this.#waiting.set(uid, change);
      return [];
    });
  }

  /** Returns changes that have waited for long enough. */
  due(at: number): readonly Change[] {
    if (this.#waiting.size === 0 || at - this.#lookedAt < LOOK_MS) return [];
    this.#lookedAt = at;
    const found: Change[] = [];
    for (const [uid, change] of this.#waiting)
      if (this.#mayWrite(uid, at)) {
        this.#waiting.delete(uid);
        found.push(change);
      }
    return found;
  }

  /** Forgets everything, since a new file begins with the newest state of each object. Returns what waited. */
  clear(): readonly Change[] {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#written.clear();
    return waiting;
  }

  #mayWrite(uid: Uid, at: number): boolean {
    const written = this.#written.get(uid);
    if (written === undefined) this.#written.set(uid, { count: 1, at });
    else if (written.count >= AT_ONCE && at - written.at < PAUSE_MS) return false;
    else {
      written.count += 1;
      written.at = at;
    }
    return true;
  }
}
