/** What an action needs of the world around it, what it reports while it is under way, and how it can end. */

import type { ApplicableRemedy } from '../../forecast/action.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { Identity } from '../../graph/node.ts';
import type { ActAnswer, ActRequest, DryRunAnswer, DryRunRequest } from '../../model/exchange/act.ts';
import type { LookUp } from '../../model/exchange/changes.ts';
import type { JsonRecord } from '../../model/json/json.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { EntryOutcome } from '../journal/record.ts';
import type { Examination } from '../prepare/examine.ts';
import type { Expectation } from '../prepare/expectations.ts';
import type { Intent } from '../prepare/intent.ts';
import type { Prepared } from '../prepare/prepare.ts';
import type { CarryOutContext } from './carry-out.ts';

/** A source that takes actions, as `Source` says; all of them reject where no answer came. */
export interface ActingSource {
  get(
    type: ResourceType,
    namespace: string,
    name: string,
    signal?: AbortSignal,
  ): Promise<JsonRecord | undefined>;
  act(request: ActRequest, enough?: AbortSignal): Promise<ActAnswer>;
  readonly dryRun?: ((request: DryRunRequest, signal?: AbortSignal) => Promise<DryRunAnswer>) | undefined;
}

/** Undefined where a source can only be read. */
export function actingSource(
  source: Omit<ActingSource, 'act'> & { readonly act?: ActingSource['act'] | undefined },
): ActingSource | undefined {
  return source.act === undefined ? undefined : (source as ActingSource);
}

export interface RunPorts extends Pick<CarryOutContext, 'journal' | 'now' | 'context' | 'secretData'> {
  /** Kept up to date by the caller while the action is under way. */
  readonly view: ClusterView;
  readonly source: ActingSource;
  /** Resolves when the view has changed, and after so many milliseconds at the latest: `ViewSubscription.within`. */
  changed(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /**
   * Makes a forecast in another way than at once (`prepareNowInSlices`), on the view as it is when it resolves: nothing changes
   * it before whoever awaits that goes on. `begun`: objects that earlier requests were about. Rejects once `signal` is aborted.
   */
  prepare?(intent: Intent, begun: ReadonlySet<Uid>): Promise<Prepared>;
  /** Asks the user; false where they decline. */
  confirm(question: Question): Promise<boolean | Refreshed>;
  /**
   * After the yes, a forecast that isn't the one that was confirmed is asked about: `changed` (default) where it promises
   * anything else, `worse` only where it promises more, as where the question is kept up to date while it stands.
   */
  readonly asksAgain?: 'changed' | 'worse';
  tell(event: RunEvent): void;
  /** The remedy of this id for the objects as the view has them now (`remedyFor`); undefined where there is no cause for it. */
  remedyFor(target: KubeObject, id: string, among?: readonly KubeObject[]): ApplicableRemedy | undefined;
  /** What the findings on the objects take to be absent: before anything is changed for that, it is looked up again. */
  absencesBehind?(objects: readonly KubeObject[]): readonly LookUp[];
  /** How long to follow, in milliseconds after the last request; 0 for not at all. */
  readonly timeout: number;
  /** Stops asking, sending and following; a change that is under way is waited for. */
  readonly signal?: AbortSignal | undefined;
}

export interface Question {
  readonly prepared: Prepared;
  readonly examination: Examination;
  /**
   * What was confirmed before; the cluster has changed, and the forecast with it. A yes in advance (`--yes`) was
   * given to another forecast and isn't meant for this one.
   */
  readonly before: Prepared | undefined;
}

/** A newer forecast of the same intent, made while the question stood. */
export interface Refreshed {
  /**
   * - `yes`: it was shown, promises no more than what was asked about, and the user wants it.
   * - `again`: it promises more, so that it has to be examined and asked about.
   */
  readonly answer: 'yes' | 'again';
  readonly prepared: Prepared;
}

/** An object that a request was about, as it was found after nobody knew whether the request arrived. */
export interface FreshRead {
  readonly request: ActRequest;
  /** As it was before the request; for one that was to be made, as the request names it. */
  readonly object: Identity;
  readonly now: FoundState;
}

/**
 * - `same`: the very object at the very resourceVersion.
 * - `changed`: the same object at another one; whether by this request or by somebody else cannot be seen.
 * - `deleting`: being deleted, which it wasn't before.
 * - `replaced`: another object has its name.
 * - `made`, `absent`: of an object that was to be made.
 * - `unread`: it cannot be read.
 */
export type FoundState =
  | {
      readonly is: 'same' | 'changed';
      readonly resourceVersion: string;
      readonly finalizers: readonly string[];
    }
  | { readonly is: 'deleting'; readonly since: string; readonly finalizers: readonly string[] }
  | { readonly is: 'made' | 'replaced'; readonly uid: string }
  | { readonly is: 'gone' | 'absent' }
  | { readonly is: 'unread'; readonly because: string };

/** What is reported, by event. `entry`: of the journal. */
interface RunEvents {
  examining: { prepared: Prepared };
  examined: { prepared: Prepared; examination: Examination };
  /**
   * The cluster isn't as it was forecast from, so there is a new forecast. `same`: it promises what the one before
   * did, and the action goes on; otherwise `confirm` is asked next.
   */
  changed: { before: Prepared; prepared: Prepared; same: boolean };
  /** `request` counts from 0. */
  sending: { prepared: Prepared; request: number; entry: string };
  /** Nobody knew whether a request took effect, so its object was read. */
  readBack: { found: FreshRead };
  sent: { prepared: Prepared; entry: string };
  progress: { progress: Progress };
}

export type RunEvent = { [E in keyof RunEvents]: Readonly<{ event: E } & RunEvents[E]> }[keyof RunEvents];

/** An object that did not follow the forecast. */
export interface Departure {
  readonly object: Identity;
  /** What the forecast said, and what is: `stays` and `is gone`. */
  readonly expected: string;
  readonly actual: string;
}

export interface Progress {
  /** Expectations that hold now, of all that the action was to bring about. */
  readonly done: number;
  readonly total: number;
  /**
   * What isn't yet as the forecast says, in words: `StatefulSet web is still there`. `until`: the end of a pod's grace period,
   * in milliseconds since the epoch.
   */
  readonly pending: readonly {
    readonly object: Identity;
    readonly state: string;
    readonly until?: number;
  }[];
  readonly departures: readonly Departure[];
}

/** What the forecast said of an object, and what is. */
export interface Comparison {
  /** For `recreated` the controller. */
  readonly object: Identity;
  readonly expected: Expectation['end'];
  /** `recreated` alone: so many of this kind. */
  readonly makes?: { readonly kind: string; readonly count: number };
  /** `pending`: not yet, and it may still come. `departed`: it did not follow the forecast. */
  readonly standing: 'asForecast' | 'pending' | 'departed';
  /**
   * What is, in words, unless it is as forecast: `is still there`. With `asForecast`: `is gone` for one whose handler has
   * done its work though the forecast couldn't promise that.
   */
  readonly actual?: string;
}

/**
 * - `reached`: the cluster is where the forecast said, and still was a second later.
 * - `departed`: it did not follow the forecast; `progress.departures` says where.
 * - `unfinished`: it isn't there yet, and nobody waited any longer; also where the API server couldn't be reached for a
 *   request, or no answer came to it.
 * - `refused`: the API server refused a request, or would have: `because` has its words. Requests before it may
 *   have been taken: `taken` counts them.
 * - `denied`: permissions are missing: `examination.denied`. Nothing was sent.
 * - `cancelled`: the user declined, or stopped it before anything was sent.
 * - `stale`: it has changed, and the view doesn't get to know the change, so no forecast can be made. Nothing (more)
 *   was sent.
 * - `moot`: what it was about isn't there any more, or gives no more cause for it. Nothing (more) was sent.
 */
export interface Ended {
  readonly state: EntryOutcome | 'denied' | 'cancelled' | 'stale' | 'moot';
  /** One line for people; text of the API server in it is verbatim, so not yet sanitised. */
  readonly because: string;
  /** What was acted on, or would have been. */
  readonly prepared: Prepared;
  readonly examination?: Examination;
  /** Entries of the journal that it has written, in order. */
  readonly entries: readonly string[];
  /** Requests that the API server took. */
  readonly taken: number;
  /** Where nobody knew whether the last request that was sent took effect: what its object looked like then. */
  readonly found?: FreshRead;
  readonly progress?: Progress;
  /** What was forecast against what is; empty where nothing was sent. */
  readonly compared: readonly Comparison[];
  readonly departures: readonly Departure[];
}
