/** Objects as they go into a backup: what the API server set itself is kept, so that a person can read it; the data of Secrets is not. */
import type { Identity } from '../../graph/node.ts';
import { mapConcurrently } from '../../model/concurrently.ts';
import { type ActRequest, isUnreadable } from '../../model/exchange/act.ts';
import { type JsonRecord, record } from '../../model/json/json.ts';
import type { Uid } from '../../model/object.ts';
import {
  holdsSecretData,
  isSecret,
  secretAnnotations,
  withoutSecretData,
  withoutSecrets,
} from '../../model/secret.ts';
import type { BackupObject } from '../journal/journal.ts';

export interface BackupOptions {
  /** The person asked for it: backups of Secrets hold their data. */
  readonly secretData: boolean;
}

/** Where the objects of a backup come from. */
export interface Reading {
  /** The object's JSON; undefined where it doesn't exist any more. Rejects where it cannot be read. */
  readonly read: (object: Identity) => Promise<JsonRecord | undefined>;
  /** What is known without reading it: its metadata, and a few facts of some kinds. */
  readonly known: (object: Identity) => JsonRecord | undefined;
  /** Objects that the user may not read, and was told so: of these that is all there is in the backup. */
  readonly unreadable: ReadonlySet<Uid>;
}

/** Objects turned out to be unreadable of which the user wasn't told: nothing was written. */
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
  // Another object under the same name isn't the one that goes.
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
 * The requests as the journal keeps them: what an undo makes again comes from the backup of another entry, and a
 * Secret's data isn't written a second time unless that was asked for a second time.
 */
export function journalled(
  requests: readonly ActRequest[],
  { secretData }: BackupOptions,
): readonly ActRequest[] {
  if (secretData) return requests;
  return requests.map(request =>
    Array.isArray(request.body)
      ? request
      : { ...request, body: withoutSecrets(record(request.body), 'removed') },
  );
}
