/** Reviews the user's permissions for an object (SelfSubjectAccessReview), with a cache. */

import { AccessQuestion, Intent } from '../../actions/index.ts';
import type { KubeObject } from '../../model/index.ts';
import type { Source } from '../../source/index.ts';
import { failureWords } from '../../text/index.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Access } from '../state/state.ts';

const FRESH_MS = 60_000;
const MOST = 2_000;

interface Answer {
  readonly at: number;
  readonly isDenied: boolean;
}

export class AccessReviews {
  readonly #source: Source;
  readonly #now: () => number;
  readonly #answers = new Map<string, Answer>();

  constructor(source: Source, now: () => number) {
    this.#source = source;
    this.#now = now;
  }

  /** Finds missing permissions to delete or unblock the object; rejects with the source's error. */
  async of(object: KubeObject, { view, problems }: ClusterModel): Promise<Access> {
    const needed = (requests: ReturnType<typeof Intent.requests>): AccessQuestion[] =>
      AccessQuestion.of(requests, view.catalog).filter(({ onlyWith }) => onlyWith === undefined);
    const { diagnosis, diagnostics } = problems ?? {};
    const [remedy] =
      diagnosis === undefined || diagnostics === undefined
        ? []
        : diagnostics.recommendable(view, object, diagnostics.remediesOf(diagnosis, object));
    const deletion = needed(Intent.requests({ verb: 'delete', targets: [object], cascade: 'background' }));
    const unblocking =
      remedy === undefined ? [] : needed(Intent.requests({ verb: 'unblock', target: object, remedy }));
    const [deleting, unblock] = await Promise.all([this.#missing(deletion), this.#missing(unblocking)]);
    return { uid: object.uid, delete: deleting, unblock };
  }

  async #missing(questions: readonly AccessQuestion[]): Promise<string | undefined> {
    const denied: AccessQuestion[] = [];
    for (const question of questions) {
      // Most permissions cover a kind in a namespace, so that is asked first.
      if ((await this.#isDenied(AccessQuestion.aboutAll(question))) && (await this.#isDenied(question)))
        denied.push(question);
    }
    return denied.length === 0 ? undefined : failureWords.missing(denied);
  }

  async #isDenied(question: AccessQuestion): Promise<boolean> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known !== undefined && this.#now() - known.at < FRESH_MS) return known.isDenied;
    if (this.#source.act === undefined) return false;
    const isDenied =
      AccessQuestion.access(await this.#source.act(AccessQuestion.review(question))) === 'denied';
    if (this.#answers.size >= MOST) this.#answers.clear();
    this.#answers.set(key, { at: this.#now(), isDenied });
    return isDenied;
  }
}
