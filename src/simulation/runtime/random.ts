// The letters of Kubernetes' generated names (apimachinery pkg/util/rand, v0.36).
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    // Mulberry32: small, and good enough for names and orders.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  name(length = 5): string {
    let name = '';
    for (let i = 0; i < length; i++) name += alphabet.charAt(this.below(alphabet.length));
    return name;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let left = shuffled.length; left > 1; left--) {
      const [taken] = shuffled.splice(this.below(left), 1);
      if (taken !== undefined) shuffled.push(taken);
    }
    return shuffled;
  }
}
