/** Remembers folds by hand. It outlives the rows, so that objects shown again are folded as before. */
import type { Uid } from '../../../model/index.ts';
import type { ObjectItem, TreeItem } from './item.ts';

export interface TreeFolds {
  readonly choices: FoldChoices;
  /** `related`: all but groups whose objects own nothing. */
  readonly expanded: 'none' | 'related' | 'all';
}

interface Choice {
  expanded: boolean | undefined;
  readonly below: Map<Uid, Choice>;
}

function newChoice(): Choice {
  return { expanded: undefined, below: new Map() };
}

/**
 * Choices by each row's path of owners, so that each occurrence of an object folds by itself. Groups aren't part of the
 * path: an object that leaves its group stays folded.
 */
export class FoldChoices {
  readonly #top = newChoice();
  readonly #groups = new Map<string, boolean>();

  /** Returns undefined without a choice. */
  get(item: TreeItem): boolean | undefined {
    return item.kind === 'group' ? this.#groups.get(item.group.key) : this.#find(item)?.expanded;
  }

  set(item: TreeItem, expanded: boolean): void {
    if (item.kind === 'group') this.#groups.set(item.group.key, expanded);
    else this.#make(item).expanded = expanded;
  }

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
