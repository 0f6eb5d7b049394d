/**
 * What the screen needs of the rules of diagnosis. Apart, and loaded when there is something to diagnose: the rules
 * are half of the program, and the first frame needn't wait for them.
 */
import { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import type { OfferedRemedy } from '../../diagnosis/engine/finding.ts';
import { type Explanation, explain } from '../../diagnosis/explain/explain.ts';
import {
  keyOfManager,
  type ManagedBy,
  managedBy,
  managingObjects,
  mayManage,
} from '../../diagnosis/explain/managed-by.ts';
import { type Speakers, type Statement, speakersOf } from '../../diagnosis/explain/statements.ts';
import { recommendable, remediesOf } from '../../diagnosis/remedies/offered.ts';
import type { ApplicableRemedy } from '../../forecast/action.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { WhyAnswer } from '../../text/diagnosis/why.ts';
import { answerWithStatements } from '../../text/diagnosis/with-statements.ts';
import { ActivityLog, type ActivityLogOptions } from '../cluster/activity.ts';
import { CollectorWatch } from '../cluster/collector.ts';

export interface Diagnostics {
  /**
   * Nothing is judged yet: see `Diagnosis.judgeMore`. `now` in milliseconds since the epoch. With a namespace nothing else
   * is: see `Diagnosis.limitTo`.
   */
  diagnose(view: ClusterView, now: number, namespace: string | undefined): Diagnosis;
  explain(diagnosis: Diagnosis, node: GraphNode): Explanation;
  /** From now on what changes ownership and deletion is told. */
  followActivity(view: ClusterView, options: ActivityLogOptions): ActivityLog;
  /** What the collector holds, once somebody looks. */
  watchCollector(view: ClusterView, scope: string | undefined): CollectorWatch;
  /** By what an object is managed beside its owners. */
  managedBy(view: ClusterView, node: GraphNode): readonly ManagedBy[];
  /** The same for the same manager, whichever object it manages. */
  keyOfManager(managed: ManagedBy): string;
  /** Whether an object is of a kind that tools manage others by. */
  mayManage(node: GraphNode): boolean;
  /** Those that are seen. */
  managingObjects(view: ClusterView): Iterable<Uid>;
  /** Who may say why the object stays. */
  speakersOf(diagnosis: Diagnosis, node: GraphNode): Speakers;
  withStatements(diagnosis: Diagnosis, answer: WhyAnswer, statements: readonly Statement[]): WhyAnswer;
  /** The safest first. */
  remediesOf(diagnosis: Diagnosis, object: KubeObject): readonly OfferedRemedy[];
  /** Those of them that may be proposed. */
  recommendable(
    view: ClusterView,
    object: KubeObject,
    remedies: readonly OfferedRemedy[],
  ): readonly ApplicableRemedy[];
}

export const diagnostics: Diagnostics = {
  diagnose: (view, now, namespace) => new Diagnosis(view, now, { inParts: true, namespace }),
  explain,
  followActivity: (view, options) => new ActivityLog(view, options),
  watchCollector: (view, scope) => new CollectorWatch(view, scope),
  managedBy,
  keyOfManager,
  mayManage,
  managingObjects,
  speakersOf: (diagnosis, node) =>
    speakersOf(diagnosis.tracked, { ...explain(diagnosis, node), object: node.identity }),
  withStatements: ({ tracked }, answer, statements) => answerWithStatements(tracked, answer, statements),
  remediesOf,
  recommendable,
};
