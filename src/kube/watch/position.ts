/** Where in the server's history a reflector stands, and whether a version that it reads can be in that history. */
import { compareResourceVersions } from '../../model/types/resource-version.ts';

export class Position {
  #current = '';
  #seen = '';

  /** The version to go on from; `''` where everything has to be read anew. */
  get version(): string {
    return this.#current;
  }

  moveTo(version: string): void {
    this.#current = version;
  }

  /** There is nothing to go on from, but the history is still the same. */
  forget(): void {
    if (this.#current !== '') this.#seen = this.#current;
    this.#current = '';
  }

  /** What was seen is of no use any more: another history begins. */
  reset(): void {
    this.#current = '';
    this.#seen = '';
  }

  /** Where `version`, of the server's newest state, is relative to what was seen; undefined where nobody can say. */
  compare(version: string): 'earlier' | 'reached' | undefined {
    const order = compareResourceVersions(version, this.#current === '' ? this.#seen : this.#current);
    if (order === undefined) return undefined;
    return order < 0 ? 'earlier' : 'reached';
  }
}
