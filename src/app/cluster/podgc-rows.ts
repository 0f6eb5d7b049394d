/** The rows of the PodGC view: pods below the rules that take them, in PodGC's order, then those that only look so. */

import type { PodGcRule, PodGcRules } from '../../podgc/passes/rules-of-version.ts';
import { isUncertain, type PodOutlook } from '../../podgc/survey/outlook.ts';
import { becauseWords } from '../../text/podgc/podgc.ts';
import { includesAll } from '../search/index.ts';
import type { GroupedRow, GroupSource } from './grouped-rows.ts';

/** `NotTaken`: pods that look like candidates and aren't; `NotKnown`: what would tell cannot be seen. */
export type PodGcHead = PodGcRule | 'NotTaken' | 'NotKnown';

export type PodGcRow = GroupedRow<PodGcHead, PodOutlook>;

/** Where the pods come from. */
export interface PodGcItems {
  readonly survey: PodGcSight;
  /** What is due, in the order of PodGC's passes, then what isn't. */
  items(): readonly PodOutlook[];
}

/** What the rules can be told from. */
interface PodGcSight {
  readonly sees: { readonly nodes: boolean };
  readonly rules: Pick<PodGcRules, 'passes'>;
}

/** So many pods that aren't taken don't stand in the way. */
const FEW = 10;

/** The order of PodGC's passes (docs/kubernetes.md §7). */
const heads: readonly PodGcHead[] = [
  'Terminated',
  'OutOfService',
  'Orphaned',
  'UnscheduledTerminating',
  'NotKnown',
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
        // How far the threshold is belongs to the picture, also where no pod is beyond it; and that nobody can tell.
        const isTold = head === 'Terminated' || isBlind(head, source.survey);
        const isShown = items.length > 0 || (isTold && all.length > 0 && terms.length === 0);
        if (isShown) yield { id: head, head, items, folded: isFolded(head, items, terms) };
      }
    },
    // A pod that comes under another rule is still the same row.
    keyOf: ({ pod }) => pod.uid,
  };
}

/** Which pods the rule takes cannot be told: it goes by nodes, and they cannot be seen. */
export function isBlind(head: PodGcHead, { sees, rules }: PodGcSight): boolean {
  if (sees.nodes || (head !== 'OutOfService' && head !== 'Orphaned')) return false;
  return rules.passes.includes(head);
}

function headOf({ due, rule, reason }: PodOutlook): PodGcHead {
  if (due.when !== 'no') return rule;
  return isUncertain(reason) ? 'NotKnown' : 'NotTaken';
}

/** What PodGC isn't known to take. */
function isQuiet(head: PodGcHead): boolean {
  return head === 'NotTaken' || head === 'NotKnown';
}

/** What was found by words is shown. */
function isFolded(head: PodGcHead, items: readonly PodOutlook[], terms: readonly string[]): boolean {
  return isQuiet(head) && items.length > FEW && terms.length === 0;
}

function searchLine(item: PodOutlook): string {
  const { pod, nodeName } = item;
  return `pod ${pod.namespace}/${pod.name} ${nodeName} ${headOf(item)} ${becauseWords(item)}`.toLowerCase();
}
