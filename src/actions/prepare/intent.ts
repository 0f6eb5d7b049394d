/** An action as requested, with objects as last seen. Nothing is checked yet. */
import { type Deletion, deletion } from '../../diagnosis/remedies/request.ts';
import {
  type Action,
  type ApplicableRemedy,
  type DeleteAction,
  type RemedyRequest,
  type UnblockAction,
  unblocked,
} from '../../forecast/action.ts';
import type { ActRequest } from '../../model/exchange/act.ts';
import type { KubeObject } from '../../model/object.ts';
import { objectTitle } from '../../model/text/titles.ts';

/** An undo of a journal entry as far as possible; `undo.ts` creates it. */
export interface UndoIntent {
  readonly verb: 'undo';
  readonly entry: string;
  /** The first object, in its current state or as in the backup. */
  readonly target: KubeObject;
  readonly requests: readonly ActRequest[];
  readonly does: readonly string[];
  /** The requests as a forecast applies them. */
  readonly remedy: ApplicableRemedy;
}

export type Intent = DeleteAction | UnblockAction | UndoIntent;

export function actionOf(intent: Intent): Action {
  if (intent.verb === 'delete') return intent;
  if (intent.verb === 'unblock') return intent;
  return { verb: 'unblock', target: intent.target, remedy: intent.remedy };
}

export function targetsOf(intent: Intent): readonly KubeObject[] {
  if (intent.verb === 'delete') return intent.targets;
  return intent.verb === 'unblock' ? unblocked(intent) : [intent.target];
}

/** `delete StatefulSet shop/web, foreground` */
export function intentTitle(intent: Intent): string {
  if (intent.verb === 'delete') {
    const [first, ...others] = intent.targets;
    const what = first === undefined ? 'nothing' : objectTitle(first);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `delete ${what}${more}, ${intent.cascade}`;
  }
  if (intent.verb === 'unblock' && intent.among !== undefined) return intent.remedy.title;
  return `${intent.verb === 'undo' ? `undo ${intent.entry}` : intent.remedy.title} (${objectTitle(intent.target)})`;
}

export function requestsOf(intent: Intent): readonly ActRequest[] {
  if (intent.verb === 'delete') {
    const { cascade, gracePeriodSeconds } = intent;
    return intent.targets.map(each => deletionOf(each, { cascade, gracePeriodSeconds, unchanged: true }));
  }
  if (intent.verb === 'undo') return intent.requests;
  return intent.remedy.requests.map(asSent);
}

export function deletionOf(target: KubeObject, deletes: Deletion): ActRequest {
  return asSent(deletion(target, deletes).request);
}

function asSent({
  verb: method,
  path,
  contentType = 'application/json',
  body = {},
}: RemedyRequest): ActRequest {
  return { method, path, contentType, body };
}
