/**
 * What live look-ups have said, kept as long as somebody refers to what they were about, as the collector keeps its
 * absent owners. Uids are never given twice, so that an owner which a look-up didn't find under its uid is absent for
 * good: whoever refers to it had the uid from somewhere before.
 */
import {
  type AnsweredLookUp,
  keyOfLookUp,
  type LookUp,
  type LookUpAnswer,
} from '../../model/exchange/look-up.ts';
import type { KubeObject, Uid } from '../../model/object.ts';

export class LookUpAnswers {
  readonly #answers = new Map<string, AnsweredLookUp>();
  readonly #byUid = new Map<Uid, Set<string>>();

  get size(): number {
    return this.#answers.size;
  }

  of(lookUp: LookUp): LookUpAnswer | undefined {
    return this.#answers.size === 0 ? undefined : this.#answers.get(keyOfLookUp(lookUp))?.answer;
  }

  /** Objects that were found under the very uid that was asked for. */
  *found(): IterableIterator<LookUp> {
    for (const { lookUp, answer } of this.#answers.values())
      if (answer.state === 'found' && answer.uid === lookUp.uid) yield lookUp;
  }

  add(answered: AnsweredLookUp): void {
    const { uid } = answered.lookUp;
    const key = keyOfLookUp(answered.lookUp);
    this.#answers.set(key, answered);
    if (uid === '') return;
    const keys = this.#byUid.get(uid);
    if (keys === undefined) this.#byUid.set(uid, new Set([key]));
    else keys.add(key);
  }

  forget(uid: Uid): void {
    for (const key of this.#byUid.get(uid) ?? []) this.#answers.delete(key);
    this.#byUid.delete(uid);
  }

  /** The object itself was seen: what was said of it isn't needed any more. */
  forgetFound({ uid, type, namespace, name }: KubeObject): void {
    for (const key of this.#byUid.get(uid) ?? [])
      if (this.#answers.get(key)?.lookUp.of === 'object') this.#answers.delete(key);
    const { apiVersion, kind } = type;
    this.#answers.delete(keyOfLookUp({ of: 'object', apiVersion, kind, namespace, name, uid: '' }));
  }

  /** Returns what it was. */
  forgetAll(): LookUp[] {
    const forgotten = [...this.#answers.values()].map(({ lookUp }) => lookUp);
    this.#answers.clear();
    this.#byUid.clear();
    return forgotten;
  }
}
