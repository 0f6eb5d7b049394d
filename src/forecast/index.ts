/** Exports of src/forecast for other folders of src. */
export {
  type Action,
  type ApplicableRemedy,
  Cascade,
  type DeleteAction,
  type Remedy,
  type RemedyRequest,
  type Risk,
  UnblockAction,
} from './action.ts';
export { Forecaster, type ForecasterOptions } from './compose/forecaster.ts';
export { type Aftermath, FinalizerHandler } from './finalizer-handlers.ts';
export {
  blockingDependents,
  CLAIM_PROTECTION,
  type Hold,
  type HoldByObject,
  type HoldWorld,
  holdsOf,
  leadsOn,
} from './holds.ts';
export { otherDeleters } from './other-deleters.ts';
export { taintOperations } from './out-of-service.ts';
export { type Assumed, type AssumedEffect, expected } from './plan/assumed-effects.ts';
export { type HoldCycle, HoldPath, type HoldStep } from './plan/deciding-path.ts';
export {
  type ChangedObject,
  type DoubtfulBehaviour,
  Forecast,
  type NodePod,
  RecreatedObjects,
  type TerminatingObject,
  type Warning,
  type WarningCode,
} from './plan/forecast-result.ts';
export { isConversionFailure } from './plan/unseen-objects.ts';
export { recreatedDependents } from './recreation.ts';
export { ReportedContent } from './reported-content.ts';
export { requestWords } from './request-paths.ts';
export { refusedBy, refusedWords } from './run-admission.ts';
export { USER } from './simulated-run.ts';
export { patience } from './under-way.ts';
export { uninstallTargets } from './uninstall-requests.ts';
