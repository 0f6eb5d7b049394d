/** Remembers the last answer about an object, as long as that exists: several readers ask the same in one frame. */
export class LastAnswer<Answer> {
  readonly #answers = new WeakMap<object, { readonly key: readonly unknown[]; readonly answer: Answer }>();

  /** What `make` returned last for `about`, unless part of the `key` is another one than then. */
  of(about: object, key: readonly unknown[], make: () => Answer): Answer {
    const known = this.#answers.get(about);
    if (known?.key.every((part, i) => part === key[i])) return known.answer;
    const answer = make();
    this.#answers.set(about, { key, answer });
    return answer;
  }
}
