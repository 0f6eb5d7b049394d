/** How much of a YAML document may stand behind aliases: a few of them could stand for more than any memory. */

/** How much a node is, with all that it holds and what its aliases stand for. */
export interface AliasExtent {
  readonly nodes: number;
  readonly characters: number;
}

/** Documents below this may be aliases almost entirely, those above `MANY` a tenth at most. */
const FEW = 400_000;
const MANY = 4_000_000;

export class AliasBudget {
  readonly #maxCharacters: number;
  #nodes = 0;
  #aliased = 0;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  /** One more node, and those that it stands for as an alias; in words why that is too much. */
  spend(aliased: number, characters: number): string | undefined {
    this.#nodes += 1 + aliased;
    this.#aliased += aliased;
    this.#characters += characters;
    // As kubectl bounds them (go.yaml.in/yaml/v2 decode.go `allowedAliasRatio`, v2.4.3).
    const tooMany =
      this.#aliased > 100 && this.#nodes > 1_000 && this.#aliased / this.#nodes > allowedShare(this.#nodes);
    // kubectl would go on to write them out one by one.
    if (!tooMany && this.#characters <= this.#maxCharacters) return undefined;
    return 'its aliases stand for too much: they would multiply what the file holds';
  }
}

function allowedShare(nodes: number): number {
  const beyond = Math.min(Math.max(nodes - FEW, 0) / (MANY - FEW), 1);
  return 0.99 - 0.89 * beyond;
}
