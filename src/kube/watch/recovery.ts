/** Decides the step, pause and report after a failed step, so that reactions to each status stand side by side. */

import { spread } from '../transport/retry-policy.ts';
import { WireError } from '../wire/cursor.ts';
import { ApiFailure } from './api-failure.ts';
import { EndlessList } from './object-store.ts';

/**
 * `reload` reads everything by a WatchList that continues as the watch, or by a list; `poll` lists if watching is
 * refused.
 */
export type WatchPhase = 'first' | 'reload' | 'watch' | 'poll';

export interface FailedStep {
  readonly step: WatchPhase;
  readonly failures: number;
  readonly complete: boolean;
}

/** Each call of `next` lengthens the next wait, so it is called only if needed. */
export interface Waits {
  readonly next: () => number;
  readonly random: () => number;
}

export interface Recovery {
  readonly step: WatchPhase;
  /** Milliseconds before the step; undefined for no pause. */
  readonly pause?: number;
  /** The last version seen is useless now. */
  readonly forgets?: true;
  readonly blind?: { readonly code: number; readonly reason: string };
  /** The reason why the kind cannot be watched and is polled instead. */
  readonly unwatchable?: string;
  readonly vanished?: true;
  readonly unauthorized?: true;
  readonly otherFormat?: true;
}

/** Failures in a row before a kind that cannot be listed counts as blind. */
const PATIENT_FAILURES = 3;
/** Pause before an endless list is requested again. */
const ENDLESS_PAUSE_MS = 300_000;
/** Failures in a row if the server only asks to wait: at least 15 seconds. */
const BUSY_FAILURES = 6;

/** Returns undefined if no answer came at all. */
export function recoveryFrom(error: unknown, failed: FailedStep, waits: Waits): Recovery | undefined {
  if (error instanceof ApiFailure) return fromAnswer(error, failed, waits);
  if (error instanceof WireError) return fromGarbage(error, failed, waits);
  return undefined;
}

/**
 * Returns why a kind counts as blind if its first list repeatedly got no whole answer although the server answers other
 * requests; undefined if it may be chance. A kind that was read before counts as behind instead.
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
  // WatchLists and watches need the verb `watch`, and aggregated servers may lack a verb that discovery names.
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
      // If the kind comes back, it has another history.
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
 * Detects a server that asks to wait because a conversion webhook fails, so its cache of the kind cannot fill
 * (apiserver v0.36, pkg/storage/cacher). Only repairing the webhook ends that.
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

/** A watch that is refused repeatedly may be refused because of its version. */
function afterMany({ step, failures }: FailedStep): WatchPhase {
  return step === 'watch' && failures >= PATIENT_FAILURES ? 'reload' : step;
}
