/** The screen's interface to the diagnosis rules, loaded when needed: they are half of the program. */
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
  /** Judges nothing yet (see `Diagnosis.judgeMore`); `namespace` limits it. `now`: milliseconds since the epoch. */
  diagnose(view: ClusterView, now: number, namespace: string | undefined): Diagnosis;
  explain(diagnosis: Diagnosis, node: GraphNode): Explanation;
  /** Logs changes of ownership and deletion from now on. */
  followActivity(view: ClusterView, options: ActivityLogOptions): ActivityLog;
  watchCollector(view: ClusterView, scope: string | undefined): CollectorWatch;
  /** Lists the managers of an object other than its owners. */
  managedBy(view: ClusterView, node: GraphNode): readonly ManagedBy[];
  /** Returns a key that identifies the manager, whichever object it manages. */
  keyOfManager(managed: ManagedBy): string;
  mayManage(node: GraphNode): boolean;
  managingObjects(view: ClusterView): Iterable<Uid>;
  /** Lists those that may explain why the object stays. */
  speakersOf(diagnosis: Diagnosis, node: GraphNode): Speakers;
  withStatements(diagnosis: Diagnosis, answer: WhyAnswer, statements: readonly Statement[]): WhyAnswer;
  /** Lists remedies, the safest first. */
  remediesOf(diagnosis: Diagnosis, object: KubeObject): readonly OfferedRemedy[];
  /** Selects the remedies that may be recommended. */
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
