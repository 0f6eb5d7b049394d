/**
 * Takes an action that was confirmed: the backup and the journal first, on the disk, then one request after the
 * other, each noted before it is sent and after it was answered. A kill at any point leaves a journal that tells
 * what was sent.
 */

import { identityOfObject } from '../../graph/ownership-node.ts';
import {
  type ActAnswer,
  type ActRequest,
  isUnsent,
  leavesOpen,
  refusalOf,
} from '../../model/exchange/act.ts';
import { type JsonRecord, record } from '../../model/json/json.ts';
import type { EntryWriter, Journal } from '../journal/journal.ts';
import type { EntryOutcome } from '../journal/record.ts';
import { intentTitle, targetsOf } from '../prepare/intent.ts';
import type { Prepared } from '../prepare/prepare.ts';
import { backUp, journalled, type Reading } from './backup.ts';

export interface ActionContext {
  readonly journal: Journal;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly reading: Reading;
  /** `entry`: of the journal. Rejects where no answer came: whether it took effect isn't known then, unless `isUnsent` of the error. */
  send(request: ActRequest, entry: string): Promise<ActAnswer>;
  /** The uid of the namespace `kube-system`. */
  readonly cluster: string;
  readonly context: string | undefined;
  /** Whether backups of Secrets hold their data. */
  readonly secretData: boolean;
  /** Once aborted, no further request is sent. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * - `sent`: every request was taken.
 * - `conflict`: the object isn't the one that was seen, or has changed since: nothing was done to it. A new
 *   forecast is needed.
 * - `refused`: the API server's answer to a request was no.
 * - `unsent`: the API server wasn't reached, or didn't look at the request: it took no effect.
 * - `unanswered`: no answer came; the request may have taken effect.
 * - `failed`: the API server, or what stands before it, answered that something went wrong: it may have taken effect.
 * - `stopped`: the journal cannot be written any more, or the person said so: no further request was sent.
 */
export interface Sent {
  readonly state: 'sent' | 'conflict' | 'refused' | 'unsent' | 'unanswered' | 'failed' | 'stopped';
  /** Of those that were answered. */
  readonly answers: readonly ActAnswer[];
  /** The new uids of objects that were made again, by the ones before. */
  readonly born: ReadonlyMap<string, string>;
  /** The server's own words where it refused, verbatim; else what went wrong. */
  readonly message?: string;
  /** Notes what became of it, and closes the entry. False where the journal cannot be written. */
  end(outcome: EntryOutcome, because: string): Promise<boolean>;
  /** Of the journal. */
  readonly entry: string;
}

/**
 * Rejects where backup or journal cannot be written, or an object of the backup cannot be read (`UnreadableObjects` where
 * the user may not, and wasn't told): nothing was sent.
 * Once something was, a journal that fails stops what is left, and the state says so.
 */
export async function carryOut(prepared: Prepared, acting: ActionContext): Promise<Sent> {
  const { intent, requests, concerned } = prepared;
  const [target] = targetsOf(intent);
  if (target === undefined) throw new Error('an action without a target');
  const options = { secretData: acting.secretData };
  const backup = await backUp(concerned, acting.reading, options);
  const writer = await acting.journal.begin(
    {
      at: acting.now(),
      verb: intent.verb,
      title: intentTitle(intent),
      object: identityOfObject(target),
      cluster: acting.cluster,
      context: acting.context,
      requests: journalled(requests, options),
      ...(intent.verb === 'undo' ? { undoes: intent.entry } : {}),
    },
    backup,
  );
  const outcome = await sendAll(requests, writer, acting);
  return {
    ...outcome,
    entry: writer.id,
    end: async (ended, because) => {
      try {
        await writer.write({ step: 'ended', at: acting.now(), outcome: ended, because });
        return true;
      } catch {
        return false;
      } finally {
        await writer.close();
      }
    },
  };
}

type SendResult = Pick<Sent, 'state' | 'answers' | 'message' | 'born'>;

async function sendAll(
  requests: readonly ActRequest[],
  writer: EntryWriter,
  acting: ActionContext,
): Promise<SendResult> {
  const answers: ActAnswer[] = [];
  const born = new Map<string, string>();
  const ended = (state: Sent['state'], message: string): SendResult => ({ state, answers, born, message });
  for (const [index, request] of requests.entries()) {
    if (acting.signal?.aborted === true) return ended('stopped', 'stopped before the rest was sent');
    const at = { at: acting.now(), request: index };
    try {
      await writer.write({ step: 'sending', ...at });
    } catch (error) {
      if (index > 0) return ended('stopped', unwritable(error));
      await writer.close();
      throw error;
    }
    const answer = await sent(acting, withNewOwners(request, born), writer.id);
    if (answer instanceof Error) {
      const { message } = answer;
      const state = isUnsent(answer) ? 'unsent' : 'unanswered';
      // A request without an answer in the journal may have been sent.
      await writer.write({ step: state, ...at, at: acting.now(), message }).catch(() => {});
      return ended(state, message);
    }
    const { status } = answer;
    const refusal = refusalOf(answer);
    const message = refusal === undefined ? {} : { message: refusal };
    let failure: unknown;
    try {
      await writer.write({ step: 'answered', ...at, at: acting.now(), status, ...message });
    } catch (error) {
      failure = error;
    }
    answers.push(answer);
    if (refusal !== undefined) return ended(refusedState(answer), refusal);
    noteBirth(request, answer, born);
    if (failure !== undefined && index + 1 < requests.length) return ended('stopped', unwritable(failure));
  }
  return { state: 'sent', answers, born };
}

async function sent(acting: ActionContext, request: ActRequest, entry: string): Promise<ActAnswer | Error> {
  try {
    return await acting.send(request, entry);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function unwritable(error: unknown): string {
  return `the journal cannot be written any more: ${error instanceof Error ? error.message : String(error)}`;
}

function refusedState(answer: ActAnswer): 'conflict' | 'refused' | 'failed' {
  if (leavesOpen(answer)) return 'failed';
  return isConflict(answer.status) ? 'conflict' : 'refused';
}

/**
 * 409: a precondition failed. 404: it is gone. 422: a test of a JSON Patch failed, which is what ours begin with;
 * the API server doesn't tell that apart from an object that is invalid.
 */
export function isConflict(status: number): boolean {
  return status === 409 || status === 404 || status === 422;
}

/** An object that is made again has a new uid; later requests refer to it by the one before. */
function noteBirth({ formerUid }: ActRequest, answer: ActAnswer, born: Map<string, string>): void {
  const { uid } = record(record(answer.body)['metadata']);
  if (formerUid !== undefined && typeof uid === 'string') born.set(formerUid, uid);
}

/** The request as it is sent: former uids in owner references replaced. */
export function withNewOwners(request: ActRequest, born: ReadonlyMap<string, string>): ActRequest {
  if (born.size === 0) return request;
  return { ...request, body: replaced(request.body, born) };
}

function replaced(value: unknown, born: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[]).map(each => replaced(each, born));
  if (typeof value !== 'object' || value === null) return value;
  const fields: JsonRecord = record(value);
  const isReference = typeof fields['uid'] === 'string' && 'kind' in fields && 'apiVersion' in fields;
  return Object.fromEntries(
    Object.entries(fields).map(([key, each]) => [
      key,
      isReference && key === 'uid' ? (born.get(String(each)) ?? each) : replaced(each, born),
    ]),
  );
}
