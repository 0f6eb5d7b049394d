/**
 * Foreground deletions that don't end, told apart by what they wait for: a finalizer, a dependent that is never
 * collected, themselves, or the collector alone (docs/kubernetes.md §10 rows 1 to 5 and 8).
 */
import { isForeground } from '../../../graph/deletion.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { FindingDraft } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { foregroundCase } from './case.ts';
import { cycleDeadlock, selfOwnerDeadlock } from './deadlock.ts';
import { blockedByFinalizer } from './finalizer.ts';
import { staleForeground } from './stale.ts';
import { blockedByClusterScopedDependent, blockedByUnresolvableOwner } from './uncollected.ts';

const foreground: Rule = {
  codes: [
    'ForegroundBlockedByFinalizer',
    'ForegroundBlockedByUnresolvableOwner',
    'ForegroundBlockedByClusterScopedDependent',
    'SelfOwnerDeadlock',
    'ForegroundCycleDeadlock',
    'ForegroundStale',
  ],
  appliesTo: ({ object, deleting }) => deleting && isForeground(object),
  judge: ({ object }, tracked, before) => {
    // What a namespace waits for in the end is told among the rest that is wrong with it
    // (docs/kubernetes.md §10 row 39).
    if (before.some(({ code }) => code === 'NamespaceHeldByOwnFinalizer')) return [];
    const found = judge(tracked, object);
    return found === undefined ? [] : [found];
  },
};

export const foregroundRules: readonly Rule[] = [foreground];

function judge(tracked: TrackedView, object: KubeObject): FindingDraft | undefined {
  const at = foregroundCase(tracked, object);
  if (at === undefined) return undefined;
  const { hold } = at.decided;
  switch (hold.by) {
    case 'cycle':
      return cycleDeadlock(at, hold);
    case 'itself':
      return selfOwnerDeadlock(at);
    case 'uncollected':
      if (hold.because === 'clusterScope') return blockedByClusterScopedDependent(at, hold);
      return hold.because === 'unresolvable'
        ? blockedByUnresolvableOwner(at, hold)
        : staleForeground(at, hold);
    case 'collector':
    case 'alive':
      return staleForeground(at, hold);
    case 'kubelet':
    case 'apiServer':
    // The way was too long to follow.
    case 'dependent':
      return undefined;
    case 'user': {
      // A pod that owns the claim it mounts has a finding of its own (docs/kubernetes.md §10 row 7).
      const end = at.path.at(-1)?.hold;
      const inCircle = end?.by === 'cycle' && end.members.some(({ uid }) => uid === object.uid);
      return inCircle ? undefined : blockedByFinalizer(at);
    }
    case 'finalizer':
    case 'claim':
    case 'content':
    case 'instance':
    case 'unseenClaim':
    case 'unseen':
    case 'discovery':
      return blockedByFinalizer(at);
  }
}
