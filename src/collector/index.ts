/** Exports of src/collector for other folders of src. */
export { CollectorQueue, CollectorState, type QueuedItem } from './collector-state.ts';
export { Classified, Decision, type KindScope, type OwnerAnswer, type OwnerLookup } from './decide.ts';
export { compareAround } from './event-branches.ts';
export { orphanedByFirst } from './first-verdict.ts';
export { InferredCollector } from './inferred-collector.ts';
export { managerSigns } from './manager-signs.ts';
export {
  type Branch,
  branches,
  type CollectorOnlooker,
  type CollectorStep,
  type StepLookUp,
  type StepRequest,
} from './observed-step.ts';
export { type RecordedHistory, RecordedStepper } from './recorded-stepper.ts';
export {
  type Certainty,
  DeletionState,
  Judgement,
  LiveLookup,
  OwnerStanding,
  OwnerStatus,
  type Verdict,
} from './verdict.ts';
