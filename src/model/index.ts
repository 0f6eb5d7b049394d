/** Exports of src/model for other folders of src. */
export { adoptersOf } from './adopters.ts';
export { keptAnnotations } from './annotations.ts';
export { type AuditEvent, type AuditOwner, auditEvents } from './audit/audit-event.ts';
export { mapConcurrently } from './concurrently.ts';
export { isEqualData, withKnown } from './equal.ts';
export { eventJson } from './events-from-json.ts';
export {
  ActAnswer,
  ActRequest,
  type DryRunAnswer,
  type DryRunRequest,
  type RequestPlace,
} from './exchange/act.ts';
export {
  type AnsweredLookUp,
  type Behind,
  BlindSpot,
  type CatchUpCause,
  type Change,
  Connection,
  type Content,
  LookUp,
  type LookUpAnswer,
  type Pausing,
  type PolledKind,
  type SourceBatch,
  type TypeStatus,
} from './exchange/changes.ts';
export { ManagerLease, type NodeRemoval } from './exchange/manager-lease.ts';
export { CollectorMetrics, ManagerPage } from './exchange/manager-pages.ts';
export { type ReadPlan, ReadScope, Want } from './exchange/reads.ts';
export { budgetRules } from './facts/budget-rules.ts';
export {
  type AdmissionMatch,
  type AdmissionPolicyFacts,
  type AdmissionRule,
  type AdmissionWebhook,
  type ApiServiceFacts,
  type Condition,
  type CrdFacts,
  Facts,
  FactsTable,
  type LabelSelector,
  letsNothingGo,
  type NamespaceFacts,
  type NodeFacts,
  type PodFacts,
  type Taint,
  Toleration,
  type VolumeClaimFacts,
  type VolumeFacts,
  type WorkloadFacts,
} from './facts/facts.ts';
export { factsJson } from './facts/facts-json.ts';
export { labelRules } from './facts/label-selector.ts';
export { isManagerPod, managerFlags, type PodName } from './facts/manager-flags.ts';
export { DeletionCondition, type RemainingResource } from './facts/namespace-conditions.ts';
export { namesOfAccount } from './facts/permissions.ts';
export { statefulNames } from './facts/stateful-names.ts';
export { tolerationRules } from './facts/tolerations.ts';
export {
  type CatalogueEntry,
  FinalizerCatalogue,
  FinalizerEntry,
  ManagingMarks,
  Mark,
  type Naming,
  type ServedObject,
} from './finalizer-catalogue.ts';
export { type Field, type Fields, firstCopy, fixed, none, type Wire } from './json/codecs.ts';
export { FieldPath } from './json/field-path.ts';
export {
  count,
  integer,
  isoTime,
  isRecord,
  type JsonRecord,
  jsonValue,
  list,
  record,
  text,
  texts,
  time,
  truth,
} from './json/json.ts';
export { getOrInsert, ownEntry } from './maps.ts';
export {
  controllerKindOf,
  controllerOf,
  FOREGROUND_FINALIZER,
  hasContent,
  isMirrorPod,
  KubeObject,
  Labels,
  namespacedName,
  nodeFacts,
  type ObjectInit,
  ORPHAN_FINALIZER,
  type OwnerReference,
  objectState,
  podFacts,
  ResourceVersion,
  type Uid,
  workloadFacts,
} from './object.ts';
export { objectIds } from './object-id.ts';
export { objectJson } from './object-json.ts';
export type { Said } from './said.ts';
export { statementJson } from './said-from-json.ts';
export { secretValues } from './secret.ts';
export { behaviours, type FeatureStage } from './server/behaviours.ts';
export { type CollectorRelease, ServerBehaviour, serverReleases } from './server/server-behaviour.ts';
export { Sliced } from './slices.ts';
export { credentials } from './text/credentials.ts';
export { ConversionFailure, FailedCall } from './text/failed-call.ts';
export { SimilarWord, Vocabulary } from './text/fuzzy.ts';
export { LocatedYaml, YamlFault, type YamlPath } from './text/located-yaml.ts';
export { saidWords, withoutDifference } from './text/said-words.ts';
export { type ShellCommand, type ShellCommands, shellLine } from './text/shell-line.ts';
export { prose, showHidden, shownName, textEscapes } from './text/shown.ts';
export { counted, enumerated, formatCount, objectTitle, objectTitleIn, wordForms } from './text/titles.ts';
export { BuiltInKind, joinApiVersion, parseApiVersion, ResourceType } from './types/resource-type.ts';
export { TypeCatalog, typeNames } from './types/type-catalog.ts';
export { UidMap } from './uid-map.ts';
