/** An action as requested, with objects as last seen. Nothing is checked yet. */
import { type DeletionParameters, deletion } from '../../diagnosis/index.ts';
import {
  type Action,
  type ApplicableRemedy,
  type DeleteAction,
  type RemedyRequest,
  UnblockAction,
} from '../../forecast/index.ts';
import { type ActRequest, type KubeObject, objectTitle } from '../../model/index.ts';

/** An undo of a journal entry, complete or partial; `undo.ts` creates it. */
export interface UndoIntent {
  readonly verb: 'undo';
  readonly entry: string;
  /** Title of the entry, as the journal has it. */
  readonly entryTitle: string;
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

function targetsOf(intent: Intent): readonly KubeObject[] {
  if (intent.verb === 'delete') return intent.targets;
  return intent.verb === 'unblock' ? UnblockAction.objects(intent) : [intent.target];
}

/** `delete StatefulSet shop/web, foreground` */
function intentTitle(intent: Intent): string {
  if (intent.verb === 'delete') {
    const [first, ...others] = intent.targets;
    const what = first === undefined ? 'nothing' : objectTitle(first);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `delete ${what}${more}, ${intent.cascade}`;
  }
  if (intent.verb === 'undo') return `undo: ${intent.entryTitle}`;
  return intent.among === undefined
    ? `${intent.remedy.title} (${objectTitle(intent.target)})`
    : intent.remedy.title;
}

function requestsOf(intent: Intent): readonly ActRequest[] {
  if (intent.verb === 'delete') {
    const { cascade, gracePeriodSeconds } = intent;
    return intent.targets.map(each => deletionOf(each, { cascade, gracePeriodSeconds, unchanged: true }));
  }
  if (intent.verb === 'undo') return intent.requests;
  return intent.remedy.requests.map(asSent);
}

export function deletionOf(target: KubeObject, deletes: DeletionParameters): ActRequest {
  return asSent(deletion(target, deletes).request);
}

function asSent({
  verb: method,
  path,
  contentType = 'application/json',
  body = {},
  formerUid,
  rebuiltFrom,
}: RemedyRequest): ActRequest {
  const request = { method, path, contentType, body };
  if (formerUid === undefined) return request;
  return { ...request, formerUid, ...(rebuiltFrom === undefined ? { replaces: true } : { rebuiltFrom }) };
}

export const Intent = { requests: requestsOf, title: intentTitle, targets: targetsOf };
