/** The screen's interface to the diagnosis rules, loaded when needed: they are half of the program. */
import {
  type Diagnosis,
  diagnoseCluster,
  type Explanation,
  explain,
  keyOfManager,
  type ManagedBy,
  managedBy,
  managingObjects,
  mayManage,
  type OfferedRemedy,
  offeredRemedies,
  type Speakers,
  type Statement,
  speakersOf,
} from '../../diagnosis/index.ts';
import type { ApplicableRemedy } from '../../forecast/index.ts';
import type { ClusterView, GraphNode } from '../../graph/index.ts';
import type { KubeObject, Uid } from '../../model/index.ts';
import { answerWithStatements, type WhyAnswer } from '../../text/index.ts';
import { ActivityLog, type ActivityLogOptions } from './activity-rows.ts';
import { CollectorWatch } from './collector.ts';

export interface Diagnostics {
  /** Judges nothing yet (see `Diagnosis.judgeMore`); `namespace` limits it. */
  diagnose(view: ClusterView, now: number, namespace: string | undefined): Diagnosis;
  explain(diagnosis: Diagnosis, node: GraphNode): Explanation;
  /** Logs changes of ownership and deletion from now on. */
  followActivity(view: ClusterView, options: ActivityLogOptions): ActivityLog;
  watchCollector(view: ClusterView, scope: string | undefined): CollectorWatch;
  /** Lists the managers of an object other than its owners. */
  managedBy(view: ClusterView, node: GraphNode): readonly ManagedBy[];
  /** Returns a key that identifies the manager, whichever object it manages. */
  keyOfManager(managed: ManagedBy): string;
  mayManage(view: ClusterView, node: GraphNode): boolean;
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
  diagnose: (view, now, namespace) => diagnoseCluster(view, now, { inParts: true, namespace }),
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
  remediesOf: offeredRemedies.of,
  recommendable: offeredRemedies.recommendable,
};
