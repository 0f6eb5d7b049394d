/** A rule of diagnosis: one state of docs/kubernetes.md §10, recognised from an object and what stands around it. */
import type { GraphNode } from '../../graph/node.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { FindingCode } from './codes.ts';
import type { FindingDraft } from './finding.ts';
import type { TrackedView } from './tracked-view.ts';

/** The object that is judged, with what every rule would otherwise work out again. */
export interface Subject {
  readonly node: GraphNode;
  readonly object: KubeObject;
  readonly deleting: boolean;
  /** Some owner reference isn't plainly solid: its owner is absent, waiting, deleting, unknown or another object. */
  readonly oddOwners: boolean;
}

export interface Rule {
  readonly codes: readonly FindingCode[];
  /**
   * A quick look at the subject alone, without look-ups: almost every object of a cluster is healthy, and this
   * is all that it costs. The tracked view is for a rule whose `affectedBy` names objects, and needs no follow-up for the others.
   */
  appliesTo(subject: Subject, tracked: TrackedView): boolean;
  /**
   * The findings on the subject. Everything beyond the subject itself is looked up through the tracked view, which
   * remembers it: the rule is asked again when one of these changes, or when the time comes that it waited for
   * with `tracked.lasted`. `found`: what the rules before it have found on this object.
   */
  judge(subject: Subject, tracked: TrackedView, found: readonly FindingDraft[]): Iterable<FindingDraft>;
  /**
   * Objects that have to be judged again because another one went, for what would cost too much to follow up for
   * each object that may be concerned. `gone` isn't in the graph any more.
   */
  affectedBy?(gone: KubeObject, tracked: TrackedView): Iterable<Uid>;
}
