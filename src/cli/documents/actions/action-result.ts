/** The ActionResult document (docs/documents.md): one action from its forecast to its end. */
import type { AccessQuestion, Ended, Examination, Intent, Prepared } from '../../../actions/index.ts';
import type { Identity } from '../../../graph/index.ts';
import { API_VERSION, definedFields, objectRef } from '../basis.ts';
import type {
  ActionResult,
  ComparedObject,
  Confirmation,
  ConfirmationAnswer,
  Permission,
  Plan,
} from '../definitions.ts';

export interface ActionAccount
  extends Pick<ActionResult, 'basis' | 'action' | 'dryRun' | 'requests' | 'journal' | 'exit'> {
  readonly plan: Plan | undefined;
  readonly prepared: Prepared | undefined;
  readonly answer: ConfirmationAnswer;
  readonly examination: Examination | undefined;
  readonly ended: Ended | undefined;
  readonly followed: boolean;
  /** Returns the path of requests about an object; undefined for an unknown type. */
  readonly pathOf: (object: Identity) => string | undefined;
}

export function actionOfIntent(intent: Intent, targets: readonly Identity[]): ActionResult['action'] {
  const refs = targets.map(objectRef);
  switch (intent.verb) {
    case 'delete':
      return { ...intent, targets: refs };
    case 'unblock':
      return { verb: intent.verb, remedy: intent.remedy.id, targets: refs };
    case 'undo':
      return { verb: intent.verb, entry: intent.entry, targets: refs };
  }
}

export function actionResultDocument(account: ActionAccount): ActionResult {
  const { basis, action, dryRun, plan, prepared, examination, requests, ended, followed, journal } = account;
  const { dryRuns = [] } = examination ?? {};
  return {
    apiVersion: API_VERSION,
    kind: 'ActionResult',
    basis,
    action,
    dryRun,
    ...(plan && { plan }),
    losses: [...(prepared?.losses ?? []), ...(prepared?.unread ?? [])].map(({ object, what }) => ({
      object: objectRef(object),
      what,
    })),
    ...(examination && { permissions: permissionsOf(examination) }),
    ...(dryRuns.length > 0 && {
      dryRunAnswers: dryRuns.map(({ request: { method, path }, status, refusal }) =>
        definedFields({ verb: method, path, status, accepted: refusal === undefined, message: refusal }),
      ),
    }),
    ...(prepared && { confirmation: confirmationOf(prepared, account.answer) }),
    requests,
    objects: (ended?.compared ?? []).map(each => objectOf(each, account)),
    ...(ended && {
      result: { state: ended.state, because: ended.because, taken: ended.taken, followed },
    }),
    journal,
    exit: account.exit,
  };
}

function confirmationOf({ confirmation }: Prepared, answer: ConfirmationAnswer): Confirmation {
  const because = confirmation.kind === 'key' ? {} : { because: confirmation.because };
  return { kind: confirmation.kind, ...because, answer };
}

function permissionsOf({
  reviews,
  denied,
  doubtful,
  unreadable,
}: Examination): NonNullable<ActionResult['permissions']> {
  return {
    asked: reviews.map(({ question, access }) => ({ ...permissionOf(question), access })),
    missing: denied.map(permissionOf),
    doubtful: doubtful.map(({ onlyWith, ...question }) =>
      definedFields({ ...permissionOf(question), onlyWith }),
    ),
    unreadable: unreadable.flatMap(({ objects }: Examination['unreadable'][number]) =>
      objects.map(objectRef),
    ),
  };
}

function permissionOf(question: AccessQuestion): Permission {
  const { verb, group, resource, subresource, namespace, name } = question;
  return {
    verb,
    group,
    resource,
    ...(subresource === '' ? {} : { subresource }),
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
  };
}

const forecasts = {
  gone: 'deleted',
  held: 'terminating',
  changed: 'changed',
  made: 'made',
  bound: 'bound',
  kept: 'kept',
  recreated: 'recreated',
} as const;

function objectOf(compared: Ended['compared'][number], { requests, pathOf }: ActionAccount): ComparedObject {
  const { object, expected, makes, standing, actual } = compared;
  const path = pathOf(object);
  const own = requests.findLastIndex(each => each.path === path && each.state !== 'notSent');
  return {
    object: objectRef(object),
    forecast: forecasts[expected],
    ...makes,
    observed: standing,
    ...(actual === undefined ? {} : { actual }),
    ...(own < 0 || expected === 'recreated' ? {} : { request: own }),
  };
}
