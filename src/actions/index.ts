/** Exports of src/actions for other folders of src. */
export { Journal } from './journal/action-journal.ts';
export { type Entry, type RequestState, tookEffect } from './journal/journal-entry.ts';
export { journalFailure } from './journal/journal-failure.ts';
export { type Trace, type TracedPlace, tracesOf } from './journal/object-traces.ts';
export { AccessQuestion } from './prepare/access-questions.ts';
export { Intent, type UndoIntent } from './prepare/action-intent.ts';
export { type Examination, examine } from './prepare/examine.ts';
export type { Loss } from './prepare/losses.ts';
export { Prepared } from './prepare/prepare.ts';
export { promises } from './prepare/promise.ts';
export { actionRun } from './run/action-run.ts';
export { ViewSubscription } from './run/follow-forecast.ts';
export { renew } from './run/read-again.ts';
export {
  type ActingSource,
  actingSource,
  type Ended,
  type Question,
  type Refreshed,
  type RunEvent,
  type RunPorts,
} from './run/run-ports.ts';
export { type Here, type Reversal, Undo } from './undo/plan-undo.ts';
