/** A cluster whose lists lack what exists: what was created between them, or what a stale cache doesn't hold yet. */

import type { AnsweredLookUp, LookUp, LookUpAnswer } from '../../src/model/exchange/changes.ts';
import type { KubeObject, Uid } from '../../src/model/object.ts';
import { SmallSource } from './console.ts';
import { objects } from './documents/cluster.ts';

export interface LaggingOptions {
  /** What exists and no list holds. */
  readonly unlisted?: string;
  /** In place of the truth; with undefined a look-up isn't answered at all. */
  readonly answer?: (lookUp: LookUp) => LookUpAnswer | undefined;
}

export class LaggingSource extends SmallSource {
  /** Each look-up that was wanted, once. */
  readonly wanted: LookUp[] = [];
  readonly #objects: readonly KubeObject[];
  readonly #answer: (lookUp: LookUp) => LookUpAnswer | undefined;

  constructor(listed: string, { unlisted = '', answer }: LaggingOptions = {}) {
    super(listed);
    // What the lists don't hold yet has taken the place of what they hold.
    this.#objects = [unlisted, listed]
      .filter(each => each !== '')
      .flatMap(each => objects(each))
      .flatMap(change => (change.op === 'upsert' ? [change.object] : []));
    this.#answer = answer ?? (lookUp => this.#truth(lookUp));
  }

  lookUp(wanted: Iterable<LookUp>): void {
    const answers: AnsweredLookUp[] = [];
    for (const lookUp of wanted) {
      if (this.wanted.some(each => JSON.stringify(each) === JSON.stringify(lookUp))) continue;
      this.wanted.push(lookUp);
      const answer = this.#answer(lookUp);
      if (answer !== undefined) answers.push({ lookUp, answer });
    }
    // As from a server: never before the call is over.
    if (answers.length > 0) setImmediate(() => this.emit({ changes: [], lookUps: answers }));
  }

  #truth({ of, apiVersion, kind, namespace, name, uid }: LookUp): LookUpAnswer {
    if (of === 'dependents') {
      const uids = this.#objects
        .filter(({ owners }) => owners.some(owner => owner.uid === uid))
        .map(each => each.uid);
      return { state: 'dependents', uids };
    }
    const found = this.#objects.find(
      ({ type, namespace: place, name: known }) =>
        type.apiVersion === apiVersion && type.kind === kind && place === namespace && known === name,
    );
    return found === undefined
      ? { state: 'absent' }
      : { state: 'found', uid: found.uid as Uid, foreground: false };
  }
}
