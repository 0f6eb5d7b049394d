/**
 * What a failed step of a reflector means: the next step, the pause before it, and what is reported. Apart from the
 * reflector, so that its answers to each status of the API server stand side by side.
 */

import { spread } from '../retry/retry-policy.ts';
import { WireError } from '../wire/cursor.ts';
import { ApiFailure } from './failure.ts';
import { EndlessList } from './store.ts';

/**
 * - `first`: list everything, then go on to `watch`.
 * - `reload`: everything again, by a WatchList that continues as the watch, or by a list.
 * - `watch`: resume from the last version seen.
 * - `poll`: watching is refused, listing isn't.
 */
export type WatchPhase = 'first' | 'reload' | 'watch' | 'poll';

export interface FailedStep {
  readonly step: WatchPhase;
  /** In a row, this one included. */
  readonly failures: number;
  /** Everything was listed at least once. */
  readonly complete: boolean;
}

/** Each call is one wait longer than the one before, and one random number: asked for only where it is needed. */
export interface Waits {
  /** Milliseconds. */
  readonly next: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
}

export interface Recovery {
  readonly step: WatchPhase;
  /** Milliseconds before it; undefined for none. */
  readonly pause?: number;
  /** The version seen last is of no use any more. */
  readonly forgets?: true;
  /** The kind counts as one that cannot be read, for this reason. */
  readonly blind?: { readonly code: number; readonly reason: string };
  /** Why it cannot be watched, and is listed again and again. */
  readonly unwatchable?: string;
  /** The server knows no such path. */
  readonly vanished?: true;
  /** Nobody is let in. */
  readonly unauthorized?: true;
  /** The next answer is asked for in the other format. */
  readonly otherFormat?: true;
}

/** Failures in a row before a kind that cannot be listed counts as blind. */
const PATIENT_FAILURES = 3;
/** Before a list is begun again that went on beyond what is read. */
const ENDLESS_PAUSE_MS = 300_000;
/** The same where the server only asks for patience: a quarter of a minute at least. */
const BUSY_FAILURES = 6;

/** Undefined where no answer came at all. */
export function recoveryFrom(error: unknown, failed: FailedStep, waits: Waits): Recovery | undefined {
  if (error instanceof ApiFailure) return fromAnswer(error, failed, waits);
  if (error instanceof WireError) return fromGarbage(error, failed, waits);
  return undefined;
}

/**
 * Why a kind counts as blind whose first list got no whole answer, though the server answers others; undefined where it
 * may have been chance. One that was known is behind, which is said of all together.
 */
export function unanswered(error: unknown, { complete, failures }: FailedStep): Recovery['blind'] {
  if (complete || failures < PATIENT_FAILURES) return undefined;
  return { code: 0, reason: error instanceof Error ? error.message : 'no answer' };
}

function fromAnswer(failure: ApiFailure, failed: FailedStep, waits: Waits): Recovery {
  const { step, failures, complete } = failed;
  const isListing = step !== 'watch';
  const blind = { code: failure.code, reason: failure.reason };
  const anew = complete ? 'reload' : 'first';
  // A WatchList and a watch need the verb `watch`, a list only `list`; and the server that answers may lack a verb that
  // discovery names.
  if ((failure.code === 403 || failure.code === 405) && (step === 'watch' || step === 'reload'))
    return { step: 'poll', unwatchable: failure.reason };
  switch (failure.code) {
    case 410:
      return {
        step: step === 'first' ? 'first' : 'reload',
        forgets: true,
        ...(failures > 1 && { pause: waits.next() }),
      };
    case 401:
      return { step, unauthorized: true, pause: waits.next() };
    case 403:
      return { step: anew, blind, pause: 30_000 + 30_000 * waits.random() };
    case 404:
    case 405:
      // If it comes back, its history is another one.
      return { step: anew, blind, vanished: true, pause: 5_000 + waits.next() };
    case 429:
      return {
        step,
        ...((failures >= BUSY_FAILURES || isUnconvertible(failure)) && isListing && { blind }),
        pause: spread(Math.max(failure.retryAfter, waits.next()), waits.random()),
      };
    default:
      return {
        step: afterMany(failed),
        ...(isListing && failures >= PATIENT_FAILURES && { blind }),
        pause: spread(Math.max(failure.retryAfter, waits.next()), waits.random()),
      };
  }
}

/**
 * The API server's cache of the kind cannot fill itself, because a conversion fails; it asks for patience all the same
 * (apiserver v0.36, pkg/storage/cacher). Only who mends the webhook ends that.
 */
function isUnconvertible({ message }: ApiFailure): boolean {
  return message.includes('conversion webhook for ');
}

function fromGarbage(error: WireError, failed: FailedStep, waits: Waits): Recovery {
  const { step, failures } = failed;
  if (error instanceof EndlessList)
    return { step, blind: { code: 0, reason: error.message }, pause: ENDLESS_PAUSE_MS };
  const isBlind = failures > PATIENT_FAILURES && step !== 'watch';
  return {
    step: afterMany(failed),
    ...(failures >= 2 && { otherFormat: true }),
    ...(isBlind && { blind: { code: 0, reason: `unreadable answer: ${error.message}` } }),
    pause: waits.next(),
  };
}

/** A watch that is refused again and again may be refused for its version. */
function afterMany({ step, failures }: FailedStep): WatchPhase {
  return step === 'watch' && failures >= PATIENT_FAILURES ? 'reload' : step;
}
