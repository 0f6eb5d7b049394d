/** Exports of src/diagnosis for other folders of src. */
export { ProbeOutcome, refusedRemoval, underRefusal } from './admission/probe-answers.ts';
export { probesOf } from './admission/probes.ts';
export { CascadeReads } from './cascades/cascade-reads.ts';
export { survivorsOf } from './cluster/former-owner.ts';
export { diagnoseCluster } from './diagnose-cluster.ts';
export { doubtEvidence } from './engine/assumed-findings.ts';
export {
  compareSeverity,
  type FindingCode,
  findingCodes,
  isFindingCode,
  meaningOf,
  type Severity,
  usualSeverity,
} from './engine/codes.ts';
export type { Diagnosis } from './engine/diagnosis.ts';
export {
  bySafety,
  type ChainLink,
  compareForReport,
  countSeverities,
  type Finding,
  isApplicable,
  type OfferedRemedy,
  reaches,
} from './engine/finding.ts';
export type { TrackedView } from './engine/tracked-view.ts';
export { CausesWithin } from './explain/causes-within.ts';
export { type Explanation, explain } from './explain/explanation.ts';
export {
  finalizerSetBy,
  labelsSetByOthers,
  type Provenance,
  referenceSetBy,
} from './explain/field-managers.ts';
export { keyOfManager, type ManagedBy, managedBy, managingObjects, mayManage } from './explain/managed-by.ts';
export { type Prospects, prospectOf } from './explain/prospect.ts';
export { withQuotedRefusal } from './explain/refused-removals.ts';
export { type Speakers, type Statement, speakersOf, withStatements } from './explain/reported-causes.ts';
export { publicNames } from './finalizers/catalogue.ts';
export { auditActors } from './history/actors.ts';
export { DeletionLog, type HistorySubject, type ObjectHistory, wordsOf } from './history/deletions.ts';
export { collectorReports } from './manager/collector-reports.ts';
export { offeredRemedies } from './offers/offered-remedies.ts';
export { remediesForMany } from './offers/remedies-for-many.ts';
export { remedyEffects } from './offers/remedy-effects.ts';
export { isForMany } from './remedies/many/extent.ts';
export { type DeletionParameters, deletion } from './remedies/remedy-requests.ts';
export { takenAlong } from './remedies/taken-along.ts';
export { Users } from './uses/users.ts';
export { createHandledForecaster, handledForecasterInSlices } from './waits/aftermath.ts';
export { Cause, causesOf } from './waits/causes.ts';
