/** Objects as they go into a backup: what the API server set itself is kept, so that a person can read it; the data of Secrets is not. */
import type { Identity } from '../graph/node.ts';
import type { ActRequest } from '../model/act.ts';
import { type JsonRecord, record } from '../model/json.ts';
import {
  holdsSecretData,
  isSecret,
  secretAnnotations,
  withoutSecretData,
  withoutSecrets,
} from '../model/secret.ts';
import type { BackupObject } from './journal/journal.ts';

export interface BackupOptions {
  /** The person asked for it: backups of Secrets hold their data. */
  readonly secretData: boolean;
}

/** Reads an object's JSON; undefined where it doesn't exist any more. Rejects where it can't be read. */
export type ReadObject = (object: Identity) => Promise<JsonRecord | undefined>;

/** So many are read at once. */
const AT_ONCE = 8;

/** Every object, in order; one that is gone by now has no JSON. Rejects where one can't be read. */
export async function backUp(
  objects: readonly Identity[],
  read: ReadObject,
  options: BackupOptions,
): Promise<BackupObject[]> {
  const found = new Map<number, BackupObject>();
  const queue = objects.entries();
  const worker = async (): Promise<void> => {
    for (const [index, object] of queue) found.set(index, asBackup(object, await read(object), options));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, objects.length) }, worker));
  return objects.flatMap((_, index) => found.get(index) ?? []);
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
