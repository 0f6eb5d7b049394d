/**
 * Takes an action that was confirmed: the backup and the journal first, on the disk, then one request after the
 * other, each noted before it is sent and after it was answered. A kill at any point leaves a journal that tells
 * what was sent.
 */

import type { Identity } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { mapConcurrently } from '../../model/concurrently.ts';
import {
  type ActAnswer,
  type ActRequest,
  isUnreadable,
  isUnsent,
  leavesOpen,
  refusalOf,
} from '../../model/exchange/act.ts';
import { type JsonRecord, record } from '../../model/json/json.ts';
import type { Uid } from '../../model/object.ts';
import {
  holdsSecretData,
  isSecret,
  secretAnnotations,
  withoutSecretData,
  withoutSecrets,
} from '../../model/secret.ts';
import { objectTitle } from '../../model/text/titles.ts';
import type { BackupObject, EntryWriter, Journal } from '../journal/journal.ts';
import type { EntryOutcome } from '../journal/record.ts';
import { withNewOwners } from '../prepare/expectations.ts';
import { intentTitle, targetsOf } from '../prepare/intent.ts';
import type { Prepared } from '../prepare/prepare.ts';

export interface CarryOutContext {
  readonly journal: Journal;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly reading: Reading;
  /** `entry`: of the journal. Rejects where no answer came: whether it took effect isn't known then, unless `isUnsent` of the error. */
  send(request: ActRequest, entry: string): Promise<ActAnswer>;
  /**
   * Waits until what the request is about is served by the definition that was created for it. What stands against that,
   * where it isn't in time or would be refused; undefined where the request can be sent.
   */
  served?(request: ActRequest): Promise<string | undefined>;
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
 * - `stopped`: the journal cannot be written any more, a definition isn't served, or the user stopped it: no further
 *   request was sent.
 */
export interface Sent {
  readonly state: 'sent' | 'conflict' | 'refused' | 'unsent' | 'unanswered' | 'failed' | 'stopped';
  /** Of those that were answered. */
  readonly answers: readonly ActAnswer[];
  /** The new uids of objects that were recreated, by the ones before. */
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
export async function carryOut(prepared: Prepared, acting: CarryOutContext): Promise<Sent> {
  const { intent, requests, concerned } = prepared;
  const [target] = targetsOf(intent);
  if (target === undefined) throw new Error('an action without a target');
  const options = { secretData: acting.secretData };
  const backup = await backUp(concerned, acting.reading, options);
  const whole = requests.map(each => wholeRequest(each, backup));
  const writer = await acting.journal.begin(
    {
      at: acting.now(),
      verb: intent.verb,
      title: intentTitle(intent),
      object: identityOfObject(target),
      cluster: acting.cluster,
      context: acting.context,
      requests: journalled(whole, options),
      ...(intent.verb === 'undo' ? { undoes: intent.entry } : {}),
    },
    backup,
  );
  const outcome = await sendAll(whole, writer, acting);
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

/**
 * A PUT replaces the whole object, so what its body says nothing of is sent as it was read for the backup, at the version that
 * the body is about; an object that has another one by now is refused. Without having been read it isn't sent: that would take
 * away what nobody has seen.
 */
function wholeRequest(request: ActRequest, backup: readonly BackupObject[]): ActRequest {
  if (request.method !== 'PUT') return request;
  const body = record(request.body);
  const metadata = record(body['metadata']);
  const kept = backup.find(({ object }) => object.uid === metadata['uid']);
  if (kept?.json === undefined) return request;
  if (kept.without === 'content')
    throw new Error(`${objectTitle(kept.object)} cannot be read, and what replaces it has to hold all of it`);
  const spec = { ...record(kept.json['spec']), ...record(body['spec']) };
  return {
    ...request,
    body: { ...kept.json, ...body, metadata: { ...record(kept.json['metadata']), ...metadata }, spec },
  };
}

type SendResult = Pick<Sent, 'state' | 'answers' | 'message' | 'born'>;

async function sendAll(
  requests: readonly ActRequest[],
  writer: EntryWriter,
  acting: CarryOutContext,
): Promise<SendResult> {
  const answers: ActAnswer[] = [];
  const born = new Map<string, string>();
  const ended = (state: Sent['state'], message: string): SendResult => ({ state, answers, born, message });
  for (const [index, request] of requests.entries()) {
    if (acting.signal?.aborted === true) return ended('stopped', 'stopped before the rest was sent');
    const hindrance = await servedFor(withNewOwners(request, born), acting);
    if (hindrance !== undefined) return ended('stopped', hindrance);
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
    if (refusal === undefined) noteBirth(request, answer, born);
    const uid = request.formerUid === undefined ? undefined : born.get(request.formerUid);
    let failure: unknown;
    try {
      const said = { ...message, ...(uid !== undefined && { uid }) };
      await writer.write({ step: 'answered', ...at, at: acting.now(), status, ...said });
    } catch (error) {
      failure = error;
    }
    answers.push(answer);
    if (refusal !== undefined) return ended(refusedState(answer, request), refusal);
    if (failure !== undefined && index + 1 < requests.length) return ended('stopped', unwritable(failure));
  }
  return { state: 'sent', answers, born };
}

async function servedFor(request: ActRequest, acting: CarryOutContext): Promise<string | undefined> {
  if (request.definition === undefined) return undefined;
  try {
    return await acting.served?.(request);
  } catch (error) {
    // What went before is in the journal, and this wasn't sent.
    return error instanceof Error ? error.message : String(error);
  }
}

async function sent(acting: CarryOutContext, request: ActRequest, entry: string): Promise<ActAnswer | Error> {
  try {
    return await acting.send(request, entry);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function unwritable(error: unknown): string {
  return `the journal cannot be written any more: ${error instanceof Error ? error.message : String(error)}`;
}

function refusedState(answer: ActAnswer, request: ActRequest): 'conflict' | 'refused' | 'failed' {
  if (leavesOpen(answer)) return 'failed';
  return isConflict(answer.status, request) ? 'conflict' : 'refused';
}

/**
 * 409: a precondition failed. 404: it is gone. 422: a test of a JSON Patch failed, which is what ours begin with;
 * the API server doesn't tell that apart from an object that is invalid, which is all that it can mean of a new one.
 */
export function isConflict(status: number, { method }: Pick<ActRequest, 'method'>): boolean {
  return status === 409 || status === 404 || (status === 422 && method !== 'POST');
}

/** An object that is recreated has a new uid; later requests refer to it by the one before. */
function noteBirth({ formerUid }: ActRequest, answer: ActAnswer, born: Map<string, string>): void {
  const { uid } = record(record(answer.body)['metadata']);
  if (formerUid !== undefined && typeof uid === 'string') born.set(formerUid, uid);
}

type BackupOptions = Pick<CarryOutContext, 'secretData'>;

/** Where the objects of a backup come from. */
export interface Reading {
  /** The object's JSON; undefined where it doesn't exist any more. Rejects where it cannot be read. */
  readonly read: (object: Identity) => Promise<JsonRecord | undefined>;
  /** What is known without reading it: its metadata, and a few facts of some kinds. */
  readonly known: (object: Identity) => JsonRecord | undefined;
  /** Objects that the user may not read, and knows it: of these that is all there is in the backup. */
  readonly unreadable: ReadonlySet<Uid>;
}

/** Objects turned out to be unreadable of which the user didn't know: nothing was written. */
export class UnreadableObjects extends Error {
  readonly objects: readonly Identity[];

  constructor(objects: readonly Identity[]) {
    super(`${objects.length} objects cannot be read for the backup`);
    this.objects = objects;
  }
}

/** So many are read at once. */
const AT_ONCE = 8;

/**
 * Every object, in order; one that is gone by now has no JSON. Rejects where one cannot be read: with
 * `UnreadableObjects` where the user may not.
 */
export async function backUp(
  objects: readonly Identity[],
  reading: Reading,
  options: BackupOptions,
): Promise<BackupObject[]> {
  const surprises: Identity[] = [];
  const found = await mapConcurrently(objects, AT_ONCE, async (object): Promise<BackupObject> => {
    try {
      return asBackup(object, await reading.read(object), options);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (!reading.unreadable.has(object.uid)) surprises.push(object);
      return { object, json: reading.known(object), without: 'content' };
    }
  });
  if (surprises.length > 0) throw new UnreadableObjects(surprises);
  return found;
}

function asBackup(
  object: Identity,
  json: JsonRecord | undefined,
  { secretData }: BackupOptions,
): BackupObject {
  if (json === undefined) return { object, json };
  // Another object under the same name isn't the one that is deleted.
  if (record(json['metadata'])['uid'] !== object.uid) return { object, json: undefined };
  const { managedFields: _, ...metadata } = record(json['metadata']);
  const kept = { ...json, metadata };
  if (!isSecret(object) || secretData) return { object, json: kept };
  const withoutAnnotations = secretAnnotations(kept);
  return {
    object,
    json: withoutSecretData(kept, 'removed'),
    ...(holdsSecretData(kept) ? { without: 'data' } : {}),
    ...(withoutAnnotations.length === 0 ? {} : { withoutAnnotations }),
  };
}

/**
 * The requests as the journal keeps them: what an undo recreates comes from the backup of another entry, and a
 * Secret's data isn't written a second time unless that was asked for a second time.
 */
function journalled(requests: readonly ActRequest[], { secretData }: BackupOptions): readonly ActRequest[] {
  if (secretData) return requests;
  return requests.map(request =>
    Array.isArray(request.body)
      ? request
      : { ...request, body: withoutSecrets(record(request.body), 'removed') },
  );
}
