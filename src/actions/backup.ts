/** Objects as they go into a backup: what the API server set itself is kept, so that a person can read it; the data of Secrets is not. */
import type { Identity } from '../graph/node.ts';
import { type JsonRecord, record } from '../model/json.ts';
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
  const isSecret = object.kind === 'Secret' && object.apiVersion === 'v1';
  if (!isSecret || secretData || !holdsData(kept)) return { object, json: kept };
  return { object, json: withoutSecretData(kept), without: 'data' };
}

/** kubectl apply keeps the data once more, in an annotation. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function holdsData(json: JsonRecord): boolean {
  return [json['data'], json['stringData']].some(each => Object.keys(record(each)).length > 0);
}

/** A Secret as it may be shown. */
export function withoutSecretData(json: JsonRecord): JsonRecord {
  const { data: _data, stringData: _text, metadata, ...rest } = json;
  const { annotations, ...others } = record(metadata);
  const { [LAST_APPLIED]: _applied, ...kept } = record(annotations);
  return {
    ...rest,
    metadata: { ...others, ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }) },
  };
}
