/**
 * Carries out a confirmed action. Each request is journalled before it is sent, so a kill at any point leaves a trace.
 */

import { type Identity, identityOfObject } from '../../graph/index.ts';
import {
  ActAnswer,
  type ActRequest,
  type JsonRecord,
  mapConcurrently,
  objectTitle,
  record,
  secretValues,
  type Uid,
} from '../../model/index.ts';
import type { BackupObject, EntryWriter, Journal } from '../journal/action-journal.ts';
import type { EntryOutcome } from '../journal/journal-entry.ts';
import { Intent } from '../prepare/action-intent.ts';
import { withNewOwners } from '../prepare/expectations.ts';
import type { Prepared } from '../prepare/prepare.ts';

export interface CarryOutContext {
  readonly journal: Journal;
  now(): number;
  readonly reading: Reading;
  /** Rejects if no answer came; the effect is unknown then, unless `ActAnswer.isUnsent`. `entry` is the journal's. */
  send(request: ActRequest, entry: string): Promise<ActAnswer>;
  /** Returns the body of a POST that creates the object again, from its backup. */
  manifest?(object: Identity, json: JsonRecord): JsonRecord;
  /** Waits until the request's kind is served, or its former object is gone. Returns the obstacle, if any. */
  ready?(request: ActRequest): Promise<string | undefined>;
  /** Rereads the object of a later request. Returns how it differs from the forecast; a difference stops the rest. */
  differs?(request: ActRequest): Promise<string | undefined>;
  /** The uid of the namespace `kube-system`. */
  readonly cluster: string;
  readonly context: string | undefined;
  readonly secretData: boolean;
  /** Once aborted, no further request is sent. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * - `conflict`: the object was replaced or changed, so nothing was done to it. A new forecast is needed.
 * - `unsent`: the API server wasn't reached or didn't process the request: it took no effect.
 * - `unanswered`: no answer came; the request may have taken effect.
 * - `failed`: the API server or a proxy reported an error: the request may have taken effect.
 * - `stopped`: no further request was sent, because the journal failed, a definition isn't served, the cluster differs
 *   from the forecast, or the user stopped it.
 */
export interface Sent {
  readonly state: 'sent' | 'conflict' | 'refused' | 'unsent' | 'unanswered' | 'failed' | 'stopped';
  readonly answers: readonly ActAnswer[];
  /** The new uids of recreated objects, by their former uids. */
  readonly born: ReadonlyMap<string, string>;
  /** The server's refusal, verbatim, or the error. */
  readonly message?: string;
  /** Records the outcome and closes the entry. Returns false if the journal can't be written. */
  end(outcome: EntryOutcome, because: string): Promise<boolean>;
  readonly entry: string;
}

/** Rejects (`UnreadableObjects` if forbidden) before anything is sent. Later, a journal failure stops the rest. */
export async function carryOut(prepared: Prepared, acting: CarryOutContext): Promise<Sent> {
  const { intent, requests, concerned } = prepared;
  const [target] = Intent.targets(intent);
  if (target === undefined) throw new Error('an action without a target');
  const options = { secretData: acting.secretData };
  const backup = await backUp(concerned, acting.reading, options);
  const whole = requests.map(each => wholeRequest(each, backup, acting));
  const writer = await acting.journal.begin(
    {
      at: acting.now(),
      verb: intent.verb,
      title: Intent.title(intent),
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
 * Completes a PUT from the backup, at the body's resourceVersion, and a POST that replaces an object. Throws if unseen
 * fields would be lost.
 */
function wholeRequest(
  request: ActRequest,
  backup: readonly BackupObject[],
  acting: CarryOutContext,
): ActRequest {
  if (request.method !== 'PUT' && request.replaces !== true) return request;
  const body = record(request.body);
  const metadata = record(body['metadata']);
  const uid = request.formerUid ?? metadata['uid'];
  const kept = backup.find(({ object }) => object.uid === uid);
  if (kept?.json === undefined) return request;
  if (kept.without === 'content')
    throw new Error(`${objectTitle(kept.object)} cannot be read, and what replaces it has to hold all of it`);
  if (request.replaces === true)
    return { ...request, body: acting.manifest?.(kept.object, kept.json) ?? body };
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
    const hindrance = await hindranceOf(withNewOwners(request, born), acting, index === 0);
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
      const state = ActAnswer.isUnsent(answer) ? 'unsent' : 'unanswered';
      // A request without an answer in the journal may have been sent.
      await writer.write({ step: state, ...at, at: acting.now(), message }).catch(() => {});
      return ended(state, message);
    }
    const { status } = answer;
    const refusal = ActAnswer.refusal(answer);
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

async function hindranceOf(
  request: ActRequest,
  acting: CarryOutContext,
  isFirst: boolean,
): Promise<string | undefined> {
  try {
    const isEarly = request.definition !== undefined || request.replaces === true;
    const obstacle = isEarly ? await acting.ready?.(request) : undefined;
    if (obstacle !== undefined || request.definition !== undefined) return obstacle;
    return isFirst ? undefined : await acting.differs?.(request);
  } catch (error) {
    // Earlier requests are in the journal; this one wasn't sent.
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
  if (ActAnswer.leavesOpen(answer)) return 'failed';
  return isConflict(answer.status, request) ? 'conflict' : 'refused';
}

/** 409: failed precondition. 404: gone. 422: failed JSON Patch test, or an invalid object, as always for a POST. */
export function isConflict(status: number, { method }: Pick<ActRequest, 'method'>): boolean {
  return status === 409 || status === 404 || (status === 422 && method !== 'POST');
}

function noteBirth({ formerUid }: ActRequest, answer: ActAnswer, born: Map<string, string>): void {
  const { uid } = record(record(answer.body)['metadata']);
  if (formerUid !== undefined && typeof uid === 'string') born.set(formerUid, uid);
}

type BackupOptions = Pick<CarryOutContext, 'secretData'>;

export interface Reading {
  /** Returns the object's JSON; undefined if it no longer exists. Rejects if it can't be read. */
  readonly read: (object: Identity) => Promise<JsonRecord | undefined>;
  /** Returns the fields known without a read: metadata, and a few facts for some kinds. */
  readonly known: (object: Identity) => JsonRecord | undefined;
  /** Objects the user knows to be unreadable; their backup has only the known fields. */
  readonly unreadable: ReadonlySet<Uid>;
}

/** Objects turned out unreadable without the user's knowledge: nothing was written. */
export class UnreadableObjects extends Error {
  readonly objects: readonly Identity[];

  constructor(objects: readonly Identity[]) {
    super(`${objects.length} objects cannot be read for the backup`);
    this.objects = objects;
  }
}

const AT_ONCE = 8;

/** Backs up objects in order; deleted ones have no JSON. Rejects with `UnreadableObjects` if a read is forbidden. */
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
      if (!ActAnswer.isUnreadable(error)) throw error;
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
  // Another object under the same name isn't the one being deleted.
  if (record(json['metadata'])['uid'] !== object.uid) return { object, json: undefined };
  const { managedFields: _, ...metadata } = record(json['metadata']);
  const kept = { ...json, metadata };
  if (!secretValues.isSecret(object) || secretData) return { object, json: kept };
  const withoutAnnotations = secretValues.annotations(kept);
  return {
    object,
    json: secretValues.hiddenIn(kept, 'removed'),
    ...(secretValues.isIn(kept) ? { without: 'data' } : {}),
    ...(withoutAnnotations.length === 0 ? {} : { withoutAnnotations }),
  };
}

/** Omits Secret data from journalled requests unless asked for again: an undo's data is in another entry's backup. */
function journalled(requests: readonly ActRequest[], { secretData }: BackupOptions): readonly ActRequest[] {
  if (secretData) return requests;
  return requests.map(request =>
    Array.isArray(request.body)
      ? request
      : { ...request, body: secretValues.hiddenBelow(record(request.body), 'removed') },
  );
}
