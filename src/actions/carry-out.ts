/**
 * Takes an action that was confirmed: the backup and the journal first, on the disk, then one request after the
 * other, each noted before it is sent and after it was answered. A kill at any point leaves a journal that tells
 * what was sent.
 */

import { identityOfObject } from '../graph/ownership-node.ts';
import { type ActAnswer, type ActRequest, refusalOf } from '../model/act.ts';
import { type JsonRecord, record } from '../model/json.ts';
import { backUp, type ReadObject } from './backup.ts';
import { targetsOf } from './intent.ts';
import type { EntryWriter, Journal } from './journal/journal.ts';
import type { EntryOutcome } from './journal/record.ts';
import type { Prepared } from './prepare.ts';
import { titleOf } from './title.ts';

export interface Acting {
  readonly journal: Journal;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly read: ReadObject;
  /** Rejects where no answer came: whether it took effect isn't known then. */
  send(request: ActRequest): Promise<ActAnswer>;
  /** The uid of the namespace `kube-system`. */
  readonly cluster: string;
  readonly context: string | undefined;
  /** Whether backups of Secrets hold their data. */
  readonly secretData: boolean;
}

/**
 * - `sent`: every request was taken.
 * - `conflict`: the object isn't the one that was seen, or has changed since: nothing was done to it. A new
 *   forecast is needed.
 * - `refused`: the API server's answer to a request was no.
 * - `unanswered`: no answer came; the request may have taken effect.
 */
export interface Sent {
  readonly state: 'sent' | 'conflict' | 'refused' | 'unanswered';
  /** Of those that were answered. */
  readonly answers: readonly ActAnswer[];
  /** The server's own words where it refused, verbatim. */
  readonly message?: string;
  /** Notes what became of it, and closes the entry. */
  end(outcome: EntryOutcome, because: string): Promise<void>;
  /** Of the journal. */
  readonly entry: string;
}

/** Rejects where backup or journal can't be written, or an object of the backup can't be read: nothing was sent. */
export async function carryOut(prepared: Prepared, acting: Acting): Promise<Sent> {
  const { intent, requests, concerned } = prepared;
  const [target] = targetsOf(intent);
  if (target === undefined) throw new Error('an action without a target');
  const backup = await backUp(concerned, acting.read, { secretData: acting.secretData });
  const writer = await acting.journal.begin(
    {
      at: acting.now(),
      verb: intent.verb,
      title: titleOf(intent),
      object: identityOfObject(target),
      cluster: acting.cluster,
      context: acting.context,
      requests,
      ...(intent.verb === 'undo' ? { undoes: intent.entry } : {}),
    },
    backup,
  );
  const outcome = await sendAll(requests, writer, acting);
  return {
    ...outcome,
    entry: writer.id,
    end: async (ended, because) => {
      await writer.write({ step: 'ended', at: acting.now(), outcome: ended, because });
      await writer.close();
    },
  };
}

type Outcome = Pick<Sent, 'state' | 'answers' | 'message'>;

async function sendAll(
  requests: readonly ActRequest[],
  writer: EntryWriter,
  acting: Acting,
): Promise<Outcome> {
  const answers: ActAnswer[] = [];
  const born = new Map<string, string>();
  for (const [index, request] of requests.entries()) {
    await writer.write({ step: 'sending', at: acting.now(), request: index });
    let answer: ActAnswer;
    try {
      answer = await acting.send(withNewOwners(request, born));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      await writer.write({ step: 'unanswered', at: acting.now(), request: index, message });
      return { state: 'unanswered', answers, message };
    }
    const message = refusalOf(answer);
    const { status } = answer;
    await writer.write({
      step: 'answered',
      at: acting.now(),
      request: index,
      status,
      ...(message === undefined ? {} : { message }),
    });
    answers.push(answer);
    if (message !== undefined)
      return { state: isConflict(status) ? 'conflict' : 'refused', answers, message };
    noteBirth(request, answer, born);
  }
  return { state: 'sent', answers };
}

/**
 * 409: a precondition failed. 404: it is gone. 422: a test of a JSON Patch failed, which is what ours begin with;
 * the API server doesn't tell that apart from an object that is invalid.
 */
function isConflict(status: number): boolean {
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
