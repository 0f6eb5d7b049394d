/** What somebody wants done, before anything is checked: objects as they were seen, and what to do to them. */
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

export type Intent = DeleteAction | UnblockAction | UndoIntent;

/** The same as a forecast takes it. */
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

/** In the order in which they are sent. */
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
