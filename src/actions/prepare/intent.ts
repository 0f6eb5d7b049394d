/** What somebody wants done, before anything is checked: objects as they were seen, and what to do to them. */
import type { Action, Cascade } from '../../forecast/action.ts';
import type { ApplicableRemedy } from '../../forecast/remedy.ts';
import type { ActRequest } from '../../model/exchange/act.ts';
import type { KubeObject } from '../../model/object.ts';

export interface DeleteIntent {
  readonly verb: 'delete';
  readonly targets: readonly KubeObject[];
  readonly cascade: Cascade;
  /** Seconds; only pods heed it. */
  readonly gracePeriodSeconds?: number;
}

export interface UnblockIntent {
  readonly verb: 'unblock';
  readonly target: KubeObject;
  readonly remedy: ApplicableRemedy;
}

/** Takes an entry of the journal back, as far as that goes: made by `undo.ts`. */
export interface UndoIntent {
  readonly verb: 'undo';
  /** Id of the entry. */
  readonly entry: string;
  /** The object that it is about, the first of several; as it is now, or as the backup has it. */
  readonly target: KubeObject;
  readonly requests: readonly ActRequest[];
  /** The same in words, a line for each object. */
  readonly does: readonly string[];
  /** The same as a forecast tries it. */
  readonly remedy: ApplicableRemedy;
}

export type Intent = DeleteIntent | UnblockIntent | UndoIntent;

/** The same as a forecast takes it. */
export function actionOf(intent: Intent): Action {
  if (intent.verb === 'delete') return intent;
  return { verb: 'unblock', target: intent.target, remedy: intent.remedy };
}

export function targetsOf(intent: Intent): readonly KubeObject[] {
  return intent.verb === 'delete' ? intent.targets : [intent.target];
}
