/** The ActionResult document (docs/documents.md): one action from its forecast to its end, whatever that was. */
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

/** - `typed`: a word has to be typed, because many objects are concerned or something is lost for good. */
interface ConfirmationDocument {
  readonly kind: 'key' | 'typed';
  /** Why a key isn't enough. */
  readonly because?: string;
  readonly answer: ConfirmationAnswer;
}

/** - `inAdvance`: by `--yes`. */
export type ConfirmationAnswer = 'notAsked' | 'inAdvance' | 'given' | 'declined';

/** The namespace is left out of what is cluster-scoped, the name of a question about all objects. */
type PermissionDocument = Pick<AccessQuestion, 'verb' | 'group' | 'resource'> &
  Partial<Pick<AccessQuestion, 'subresource' | 'namespace' | 'name'>>;

interface ObjectDocument {
  /** For `recreated` the controller that makes the new ones. */
  readonly object: ObjectRef;
  readonly forecast: (typeof forecasts)[Comparison['expected']];
  /** Of `recreated` alone. */
  readonly kind?: string;
  readonly count?: number;
  readonly observed: Comparison['standing'];
  /** What is, in words, unless it is as forecast. */
  readonly actual?: string;
  /** Index into `requests` of what was sent about the object itself. */
  readonly request?: number;
}

/** Why it ended with its exit code. */
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
  /** What standard error says. */
  readonly message?: string;
}

export interface ActionResultDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'ActionResult';
  /** As of the end; that of the forecast is in the plan. */
  readonly basis: Basis;
  readonly action: {
    readonly verb: Intent['verb'];
    readonly cascade?: Cascade;
    readonly gracePeriodSeconds?: number;
    readonly remedy?: string;
    /** Of the journal, for an undo: the one that is taken back. */
    readonly entry?: string;
    readonly targets: readonly ObjectRef[];
  };
  readonly dryRun: 'none' | 'client' | 'server';
  /** Left out where there was nothing to forecast. */
  readonly plan?: PlanDocument;
  /** What undo cannot bring back. */
  readonly losses: readonly { readonly object: ObjectRef; readonly what: string }[];
  /** Left out where none was asked about. */
  readonly permissions?: {
    readonly asked: readonly (PermissionDocument & { readonly access: PermissionReview })[];
    readonly missing: readonly PermissionDocument[];
    /** Missing, and only needed with an admission plugin that is off by default. */
    readonly doubtful: readonly (PermissionDocument & { readonly onlyWith?: string })[];
    /** Objects of which the backup may have the metadata alone. */
    readonly unreadable: readonly ObjectRef[];
  };
  /** The API server's answers to the requests as dry runs; left out where none was asked. */
  readonly dryRunAnswers?: readonly {
    readonly verb: string;
    readonly path: string;
    readonly status: number;
    readonly accepted: boolean;
    readonly message?: string;
  }[];
  readonly confirmation?: ConfirmationDocument;
  /** In the order in which they are sent. */
  readonly requests: readonly (JournalRequest & { readonly entry?: string })[];
  /** Forecast against what is; empty where nothing was sent. */
  readonly objects: readonly ObjectDocument[];
  /** Left out where nothing was to be sent, and where nobody waited for an end. */
  readonly result?: {
    readonly state: Ended['state'];
    readonly because: string;
    /** Requests that the API server took. */
    readonly taken: number;
    /** False with `--wait=false`. */
    readonly followed: boolean;
  };
  readonly journal: {
    /** Entries that it has written, in order. */
    readonly entries: readonly string[];
    /** The commands that take them back, in this order; none where that isn't known yet, or cannot be. */
    readonly undo: readonly string[];
    /** What those cannot bring back. */
    readonly lost: readonly string[];
  };
  readonly exit: ActionExit;
}

/** All that is known of an action when it ends. */
export interface ActionAccount
  extends Pick<ActionResultDocument, 'basis' | 'action' | 'dryRun' | 'requests' | 'journal' | 'exit'> {
  readonly plan: PlanDocument | undefined;
  readonly prepared: Prepared | undefined;
  readonly answer: ConfirmationAnswer;
  readonly examination: Examination | undefined;
  readonly ended: Ended | undefined;
  readonly followed: boolean;
  /** The path of requests about an object; undefined where its type isn't known. */
  readonly pathOf: (object: Identity) => string | undefined;
}

/** What is asked for, of an intent. */
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
