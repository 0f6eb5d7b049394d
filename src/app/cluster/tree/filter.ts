/** What the tree can be narrowed to, and how that is told. */
import { sanitise } from '../../../text/terminal/sanitise.ts';
import type { NodeMatcher } from '../../search/index.ts';

export type TreeFilter =
  /** Every word occurs in kind, namespace or name. */
  | { readonly kind: 'words'; readonly words: string }
  /** An error or a warning was found. */
  | { readonly kind: 'problems' }
  /** What the command line asked for. */
  | { readonly kind: 'targets'; readonly title: string; readonly matches: NodeMatcher };

/** What the tree is narrowed to, as a sentence. */
export function filterSentence(filter: TreeFilter): string {
  switch (filter.kind) {
    case 'words':
      return `Only what contains "${sanitise(filter.words)}", and its owners.`;
    case 'problems':
      return 'Only objects with problems, and their owners.';
    case 'targets':
      return `Only ${sanitise(filter.title)}, and what owns it.`;
  }
}
