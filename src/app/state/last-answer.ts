/** Remembers the last answer about an object while that exists: several readers ask the same in one frame. */
export class LastAnswer<Answer> {
  readonly #answers = new WeakMap<object, { readonly key: readonly unknown[]; readonly answer: Answer }>();

  /** Returns the last result of `make` for `about`, unless a part of `key` has changed. */
  of(about: object, key: readonly unknown[], make: () => Answer): Answer {
    const known = this.#answers.get(about);
    if (known?.key.every((part, i) => part === key[i])) return known.answer;
    const answer = make();
    this.#answers.set(about, { key, answer });
    return answer;
  }
}
