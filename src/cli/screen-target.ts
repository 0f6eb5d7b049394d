/** What the screen opens at when targets were given, found in the view while it fills. */
import type { ClusterView } from '../graph/cluster-view.ts';
import type { GraphNode } from '../graph/node.ts';
import { findTargets, type TargetQuery } from './targets.ts';

export interface ScreenTarget {
  /** The first object of the targets that is known; undefined while none is. */
  find(view: ClusterView): GraphNode | undefined;
  /** Why nothing was found, for people; asked for once everything is listed. */
  missing(view: ClusterView): string;
}

/** `namespace` overrides that of the source; undefined with `everywhere` is all of them. */
export function screenTarget(
  query: TargetQuery,
  scope: { readonly namespace: () => string | undefined },
): ScreenTarget {
  return {
    find(view) {
      // Types are unknown before discovery, which is no failure yet.
      if (view.catalog.types.length === 0) return undefined;
      try {
        const [first] = findTargets(view, query, scope.namespace(), 'skip');
        return first;
      } catch {
        return undefined;
      }
    },
    missing(view) {
      try {
        findTargets(view, query, scope.namespace());
        return 'nothing in this scope fits what was asked for.';
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}
