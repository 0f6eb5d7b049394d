/** The ActionResult document (docs/documents.md): one action from its forecast to its end. */
import type { Examination, Unreadable } from '../../actions/prepare/examine.ts';
import type { Intent } from '../../actions/prepare/intent.ts';
import type { AccessQuestion, PermissionReview } from '../../actions/prepare/permissions.ts';
import type { Prepared } from '../../actions/prepare/prepare.ts';
import type { Comparison, Ended } from '../../actions/run/ports.ts';
import type { Cascade } from '../../forecast/action.ts';
import type { Identity } from '../../graph/node.ts';
import { API_VERSION, type Basis, type ObjectRef, objectRef } from '../basis.ts';
import type { PlanDocument } from '../plan/plan.ts';
import type { JournalRequest } from './journal.ts';

/** - `typed`: the user must type a word, because many objects are affected or something is lost for good. */
interface ConfirmationDocument {
  readonly kind: 'key' | 'typed';
  readonly because?: string;
  readonly answer: ConfirmationAnswer;
}

/** - `inAdvance`: by `--yes`. */
export type ConfirmationAnswer = 'notAsked' | 'inAdvance' | 'given' | 'declined';

/** Without a namespace for cluster-scoped resources, without a name for all objects. */
type PermissionDocument = Pick<AccessQuestion, 'verb' | 'group' | 'resource'> &
  Partial<Pick<AccessQuestion, 'subresource' | 'namespace' | 'name'>>;

interface ObjectDocument {
  /** For `recreated`, the controller that makes the new ones. */
  readonly object: ObjectRef;
  readonly forecast: (typeof forecasts)[Comparison['expected']];
  readonly kind?: string;
  readonly count?: number;
  readonly observed: Comparison['standing'];
  readonly actual?: string;
  /** Index into `requests` of the request about the object itself. */
  readonly request?: number;
}

export type ExitReason =
  | 'Done'
  | 'NotFollowed'
  | 'DryRun'
  | 'NothingToDo'
  | 'Stuck'
  | 'Departed'
  | 'TimedOut'
  | 'Declined'
  | 'WouldGetStuck'
  | 'Denied'
  | 'Refused'
  | 'Changed'
  | 'Stale'
  | 'Gone'
  | 'NoAnswer'
  | 'Failed'
  | 'Interrupted';

export interface ActionExit {
  readonly code: number;
  readonly reason: ExitReason;
  readonly message?: string;
}

export interface ActionResultDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'ActionResult';
  /** Taken at the end; the plan has the forecast's. */
  readonly basis: Basis;
  readonly action: {
    readonly verb: Intent['verb'];
    readonly cascade?: Cascade;
    readonly gracePeriodSeconds?: number;
    readonly remedy?: string;
    readonly entry?: string;
    readonly targets: readonly ObjectRef[];
  };
  readonly dryRun: 'none' | 'client' | 'server';
  readonly plan?: PlanDocument;
  readonly losses: readonly { readonly object: ObjectRef; readonly what: string }[];
  readonly permissions?: {
    readonly asked: readonly (PermissionDocument & { readonly access: PermissionReview })[];
    readonly missing: readonly PermissionDocument[];
    /** Missing, but only needed with an admission plugin that is off by default. */
    readonly doubtful: readonly (PermissionDocument & { readonly onlyWith?: string })[];
    /** Objects whose backup may have only metadata. */
    readonly unreadable: readonly ObjectRef[];
  };
  readonly dryRunAnswers?: readonly {
    readonly verb: string;
    readonly path: string;
    readonly status: number;
    readonly accepted: boolean;
    readonly message?: string;
  }[];
  readonly confirmation?: ConfirmationDocument;
  readonly requests: readonly (JournalRequest & { readonly entry?: string })[];
  /** Forecast and observed state; empty if nothing was sent. */
  readonly objects: readonly ObjectDocument[];
  /** Omitted if nothing was to be sent, or the command didn't wait. */
  readonly result?: {
    readonly state: Ended['state'];
    readonly because: string;
    readonly taken: number;
    /** False with `--wait=false`. */
    readonly followed: boolean;
  };
  readonly journal: {
    readonly entries: readonly string[];
    /** Commands that undo the entries, in order; empty if unknown or impossible. */
    readonly undo: readonly string[];
    readonly lost: readonly string[];
  };
  readonly exit: ActionExit;
}

export interface ActionAccount
  extends Pick<ActionResultDocument, 'basis' | 'action' | 'dryRun' | 'requests' | 'journal' | 'exit'> {
  readonly plan: PlanDocument | undefined;
  readonly prepared: Prepared | undefined;
  readonly answer: ConfirmationAnswer;
  readonly examination: Examination | undefined;
  readonly ended: Ended | undefined;
  readonly followed: boolean;
  /** Returns the path of requests about an object; undefined for an unknown type. */
  readonly pathOf: (object: Identity) => string | undefined;
}

export function actionOfIntent(intent: Intent, targets: readonly Identity[]): ActionResultDocument['action'] {
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

export function actionResultDocument(account: ActionAccount): ActionResultDocument {
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
    ...(dryRuns.length === 0
      ? {}
      : {
          dryRunAnswers: dryRuns.map(({ request, status, refusal }) => ({
            verb: request.method,
            path: request.path,
            status,
            accepted: refusal === undefined,
            ...(refusal === undefined ? {} : { message: refusal }),
          })),
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

function confirmationOf({ confirmation }: Prepared, answer: ConfirmationAnswer): ConfirmationDocument {
  const because = confirmation.kind === 'key' ? {} : { because: confirmation.because };
  return { kind: confirmation.kind, ...because, answer };
}

function permissionsOf({
  reviews,
  denied,
  doubtful,
  unreadable,
}: Examination): NonNullable<ActionResultDocument['permissions']> {
  return {
    asked: reviews.map(({ question, access }) => ({ ...permissionOf(question), access })),
    missing: denied.map(permissionOf),
    doubtful: doubtful.map(({ onlyWith, ...question }) => ({
      ...permissionOf(question),
      ...(onlyWith === undefined ? {} : { onlyWith }),
    })),
    unreadable: unreadable.flatMap(({ objects }: Unreadable) => objects.map(objectRef)),
  };
}

function permissionOf(question: AccessQuestion): PermissionDocument {
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
  kept: 'kept',
  recreated: 'recreated',
} as const;

function objectOf(compared: Comparison, { requests, pathOf }: ActionAccount): ObjectDocument {
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
