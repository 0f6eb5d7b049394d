/** A diagnosis rule recognises a state of docs/kubernetes.md §10 from an object and related ones. */
import type { GraphNode } from '../../graph/index.ts';
import type { KubeObject, Uid } from '../../model/index.ts';
import type { FindingDraft } from './finding.ts';
import type { TrackedView } from './tracked-view.ts';

/** The object to judge, with facts that every rule would otherwise compute again. */
export interface Subject {
  readonly node: GraphNode;
  readonly object: KubeObject;
  readonly deleting: boolean;
  /** An owner isn't plainly solid: it is absent, waiting, deleting, unknown or another object. */
  readonly oddOwners: boolean;
}

export interface Rule {
  /**
   * Checks the subject quickly, without look-ups: nearly all objects are healthy and cost no more than this. Only a
   * rule whose `affectedBy` names objects may use `tracked`, so that the others need no subscription.
   */
  appliesTo(subject: Subject, tracked: TrackedView): boolean;
  /**
   * Yields the findings on the subject. Everything else must be looked up through the tracked view: the rule runs again
   * when that changes or a time passed to `tracked.lasted` comes. `found` holds the findings of earlier rules.
   */
  judge(subject: Subject, tracked: TrackedView, found: readonly FindingDraft[]): Iterable<FindingDraft>;
  /** Lists objects to judge again after `gone` left the graph, if subscribing for each of them would cost too much. */
  affectedBy?(gone: KubeObject, tracked: TrackedView): Iterable<Uid>;
}
