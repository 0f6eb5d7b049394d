/**
 * What the user folded and unfolded in the tree. Apart from the rows, because it outlives them: whatever is shown again is
 * folded as it was.
 */
import type { Uid } from '../../../model/object.ts';
import type { ObjectItem, TreeItem } from './item.ts';

/** What was folded and unfolded, by hand and where nobody chose. */
export interface TreeFolds {
  readonly choices: FoldChoices;
  /** `related`: all but groups in which nothing owns anything. */
  readonly expanded: 'none' | 'related' | 'all';
}

/** Of one object, and of what is below it there. */
interface Choice {
  expanded: boolean | undefined;
  readonly below: Map<Uid, Choice>;
}

function newChoice(): Choice {
  return { expanded: undefined, below: new Map() };
}

/**
 * By the path of owners of each row, so that an object that is shown twice is folded in each place by itself. Groups aren't
 * part of the path: an object that leaves its group stays folded as it was.
 */
export class FoldChoices {
  readonly #top = newChoice();
  readonly #groups = new Map<string, boolean>();

  /** Undefined where nobody chose. */
  get(item: TreeItem): boolean | undefined {
    return item.kind === 'group' ? this.#groups.get(item.group.key) : this.#find(item)?.expanded;
  }

  set(item: TreeItem, expanded: boolean): void {
    if (item.kind === 'group') this.#groups.set(item.group.key, expanded);
    else this.#make(item).expanded = expanded;
  }

  /** Forgets a removed row and everything below it. */
  forget(item: ObjectItem): void {
    this.#above(item)?.below.delete(item.uid);
  }

  #above({ parent }: ObjectItem): Choice | undefined {
    return parent?.kind === 'object' ? this.#find(parent) : this.#top;
  }

  #find(item: ObjectItem): Choice | undefined {
    return this.#above(item)?.below.get(item.uid);
  }

  #make(item: ObjectItem): Choice {
    const { parent } = item;
    const above = parent?.kind === 'object' ? this.#make(parent) : this.#top;
    let choice = above.below.get(item.uid);
    if (choice === undefined) {
      choice = newChoice();
      above.below.set(item.uid, choice);
    }
    return choice;
  }
}
