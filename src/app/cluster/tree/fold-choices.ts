/**
 * What the person folded and unfolded, by the path of each row: it outlives the rows, and an object that is
 * shown twice is folded in each place by itself.
 */
import type { Uid } from '../../../model/object.ts';
import type { TreeItem } from './item.ts';

interface Choice {
  expanded: boolean | undefined;
  readonly below: Map<Uid, Choice>;
}

function newChoice(): Choice {
  return { expanded: undefined, below: new Map() };
}

export class FoldChoices {
  readonly #top = newChoice();

  /** Undefined where nobody chose. */
  get(item: TreeItem): boolean | undefined {
    return this.#find(item)?.expanded;
  }

  set(item: TreeItem, expanded: boolean): void {
    this.#make(item).expanded = expanded;
  }

  /** Forgets a row that is gone and everything below it. */
  forget(item: TreeItem): void {
    const above = item.parent === undefined ? this.#top : this.#find(item.parent);
    above?.below.delete(item.uid);
  }

  #find(item: TreeItem): Choice | undefined {
    const above = item.parent === undefined ? this.#top : this.#find(item.parent);
    return above?.below.get(item.uid);
  }

  #make(item: TreeItem): Choice {
    const above = item.parent === undefined ? this.#top : this.#make(item.parent);
    let choice = above.below.get(item.uid);
    if (choice === undefined) {
      choice = newChoice();
      above.below.set(item.uid, choice);
    }
    return choice;
  }
}
