/** The rows of the PodGC view: pods below the rules that take them, in PodGC's order, then those that only look so. */
import type { PodGcRule } from '../podgc/force-delete.ts';
import type { PodOutlook } from '../podgc/outlook.ts';
import { becauseWords } from '../text/podgc.ts';
import type { GroupedRow, GroupSource } from './grouped-rows.ts';
import { includesAll } from './search-index.ts';

/** `NotTaken`: pods that look like candidates and aren't. */
export type PodGcHead = PodGcRule | 'NotTaken';

export type PodGcRow = GroupedRow<PodGcHead, PodOutlook>;

/** Where the pods come from. */
export interface PodGcItems {
  /** What is due, in the order of PodGC's passes, then what isn't. */
  items(): readonly PodOutlook[];
}

/** So many pods that aren't taken don't stand in the way. */
const FEW = 10;

/** The order of PodGC's passes (spec §7). */
const heads: readonly PodGcHead[] = [
  'Terminated',
  'OutOfService',
  'Orphaned',
  'UnscheduledTerminating',
  'NotTaken',
];

export function podGcGroups(source: PodGcItems): GroupSource<PodGcHead, PodOutlook> {
  return {
    *groups(terms) {
      const byHead = new Map<PodGcHead, PodOutlook[]>(heads.map(head => [head, []]));
      const all = source.items();
      for (const item of all) {
        if (terms.length === 0 || includesAll(searchLine(item), terms)) byHead.get(headOf(item))?.push(item);
      }
      for (const [head, items] of byHead) {
        // How far the limit on finished pods is belongs to the picture, also where it takes none.
        const isShown = items.length > 0 || (head === 'Terminated' && all.length > 0 && terms.length === 0);
        if (isShown) yield { id: head, head, items, folded: isFolded(head, items, terms) };
      }
    },
    // A pod that comes under another rule is still the same row.
    keyOf: ({ pod }) => pod.uid,
  };
}

function headOf({ due, rule }: PodOutlook): PodGcHead {
  return due.when === 'no' ? 'NotTaken' : rule;
}

/** What was found by words is shown. */
function isFolded(head: PodGcHead, items: readonly PodOutlook[], terms: readonly string[]): boolean {
  return head === 'NotTaken' && items.length > FEW && terms.length === 0;
}

function searchLine(item: PodOutlook): string {
  const { pod, nodeName } = item;
  return `pod ${pod.namespace}/${pod.name} ${nodeName} ${headOf(item)} ${becauseWords(item)}`.toLowerCase();
}
