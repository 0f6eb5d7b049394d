import type { ApplicableRemedy } from '../../forecast/index.ts';
import type { ClusterView, Identity } from '../../graph/index.ts';
import type {
  ActAnswer,
  ActRequest,
  DryRunAnswer,
  DryRunRequest,
  JsonRecord,
  KubeObject,
  LookUp,
  ResourceType,
  Uid,
} from '../../model/index.ts';
import type { EntryOutcome } from '../journal/journal-entry.ts';
import type { Intent } from '../prepare/action-intent.ts';
import type { Examination } from '../prepare/examine.ts';
import type { Expectation } from '../prepare/expectations.ts';
import type { Prepared } from '../prepare/prepare.ts';
import type { CarryOutContext } from './carry-out.ts';

/** A source that takes actions; all methods reject if no answer came. */
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

/** Returns undefined if the source is read-only. */
export function actingSource(
  source: Omit<ActingSource, 'act'> & { readonly act?: ActingSource['act'] | undefined },
): ActingSource | undefined {
  return source.act === undefined ? undefined : (source as ActingSource);
}

export interface RunPorts extends Pick<CarryOutContext, 'journal' | 'now' | 'context' | 'secretData'> {
  readonly view: ClusterView;
  readonly source: ActingSource;
  /** Resolves when the view changes or after `milliseconds`: `ViewSubscription.within`. */
  changed(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Prepares on a view that stays unchanged until the caller continues. `begun`: objects of earlier requests. */
  prepare?(intent: Intent, begun: ReadonlySet<Uid>): Promise<Prepared>;
  confirm(question: Question): Promise<boolean | Refreshed>;
  /** Asks again after the yes if the new forecast differs (`changed`, default) or only if it does more (`worse`). */
  readonly asksAgain?: 'changed' | 'worse';
  tell(event: RunEvent): void;
  /** Returns the remedy for the objects as they are now (`offeredRemedies.byId`); undefined if it no longer applies. */
  remedyFor(target: KubeObject, id: string, among?: readonly KubeObject[]): ApplicableRemedy | undefined;
  /** Lists the absences the findings assume; they are looked up again before a change. */
  absencesBehind?(objects: readonly KubeObject[]): readonly LookUp[];
  /** Milliseconds to follow after the last request; 0 to skip. */
  readonly timeout: number;
  /** Stops asking, sending and following; a change under way is awaited. */
  readonly signal?: AbortSignal | undefined;
}

export interface Question {
  readonly prepared: Prepared;
  readonly examination: Examination;
  /** The preparation confirmed before the cluster changed. A yes in advance (`--yes`) doesn't cover the new one. */
  readonly before: Prepared | undefined;
}

export interface Refreshed {
  /**
   * - `yes`: it was shown, promises no more, and the user accepts it.
   * - `again`: it promises more, so it must be examined and confirmed.
   */
  readonly answer: 'yes' | 'again';
  readonly prepared: Prepared;
}

/** A request's object, read after the request's effect was unknown. */
export interface FreshRead {
  readonly request: ActRequest;
  /** The object before the request; if to be created, as the request names it. */
  readonly object: Identity;
  readonly now: FoundState;
}

/**
 * - `same`: same object and resourceVersion. `changed`: same object, changed by this or another client.
 * - `deleting`: being deleted since. `replaced`: another object has its name.
 * - `made`, `absent`: for an object to be created. `unread`: it can't be read.
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

/** Payloads by event. `entry` is the journal's. */
interface RunEvents {
  examining: { prepared: Prepared };
  examined: { prepared: Prepared; examination: Examination };
  /** The cluster changed, so there is a new forecast. `same`: the action continues; otherwise `confirm` follows. */
  changed: { before: Prepared; prepared: Prepared; same: boolean };
  /** `request` counts from 0. */
  sending: { prepared: Prepared; request: number; entry: string };
  /** A request's effect was unknown, so its object was read. */
  readBack: { found: FreshRead };
  sent: { prepared: Prepared; entry: string };
  progress: { progress: Progress };
}

export type RunEvent = { [E in keyof RunEvents]: Readonly<{ event: E } & RunEvents[E]> }[keyof RunEvents];

export interface Departure {
  readonly object: Identity;
  /** The forecast and the fact: `stays` and `is gone`. */
  readonly expected: string;
  readonly actual: string;
}

export interface Progress {
  /** Expectations met so far. */
  readonly done: number;
  readonly total: number;
  /** Unmet expectations, as `is still there`. `until`: end of a pod's grace period, in ms since the epoch. */
  readonly pending: readonly {
    readonly object: Identity;
    readonly state: string;
    readonly until?: number;
  }[];
  readonly departures: readonly Departure[];
}

export interface Comparison {
  /** For `recreated`, the controller. */
  readonly object: Identity;
  readonly expected: Expectation['end'];
  /** Set for `recreated`. */
  readonly makes?: { readonly kind: string; readonly count: number };
  /** `pending`: may still come. `departed`: didn't follow the forecast. */
  readonly standing: 'asForecast' | 'pending' | 'departed';
  /** The actual state, unless as forecast: `is still there`. Also `is gone` if a handler acted unexpectedly. */
  readonly actual?: string;
}

/**
 * - `reached`: the cluster was as forecast, and still was a second later.
 * - `departed`: it didn't follow the forecast; see `progress.departures`.
 * - `unfinished`: not there yet when following stopped, or a request wasn't answered.
 * - `refused`: the API server refused a request or would; see `because`. `taken` counts those accepted before.
 * - `denied`: permissions are missing: `examination.denied`. Nothing was sent.
 * - `cancelled`: the user declined, or stopped it before anything was sent.
 * - `stale`: the object changed but the view doesn't show it, so nothing (more) was sent.
 * - `moot`: the object or the reason is gone. Nothing (more) was sent.
 */
export interface Ended {
  readonly state: EntryOutcome | 'denied' | 'cancelled' | 'stale' | 'moot';
  /** One line for users; text from the API server in it isn't sanitised. */
  readonly because: string;
  readonly prepared: Prepared;
  readonly examination?: Examination;
  /** Journal entries written, in order. */
  readonly entries: readonly string[];
  readonly taken: number;
  /** The last request's object, if its effect was unknown. */
  readonly found?: FreshRead;
  readonly progress?: Progress;
  readonly compared: readonly Comparison[];
  readonly departures: readonly Departure[];
}
