/** Reads one object with a time limit; a failure becomes a reason. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceType } from '../model/index.ts';
import { type JsonObject, type Source, SourceError, type SourceKind } from './source.ts';

export type WholeRead =
  | { readonly state: 'read'; readonly json: JsonObject }
  | { readonly state: 'absent' }
  | { readonly state: 'unread'; readonly reason: string };

const PATIENCE_MILLISECONDS = 5000;

const unreadable: Readonly<Partial<Record<SourceKind, string>>> = {
  files: 'standard input is read once: save it to a file',
  replay: 'whole objects are not recorded',
};

/** Rejects with errors other than `SourceError`. */
export async function readWhole(
  source: Pick<Source, 'get' | 'info'>,
  {
    type,
    namespace,
    name,
  }: { readonly type: ResourceType; readonly namespace: string; readonly name: string },
): Promise<WholeRead> {
  const late = sleep(PATIENCE_MILLISECONDS, { state: 'unread', reason: 'no answer in time' } as const, {
    ref: false,
  });
  const read = source
    .get(type, namespace, name)
    .then((json): WholeRead => (json === undefined ? { state: 'absent' } : { state: 'read', json }));
  try {
    return await Promise.race([read, late]);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { status } = error;
    if (status !== undefined) return { state: 'unread', reason: `${status}` };
    return { state: 'unread', reason: unreadable[source.info.source] ?? 'no answer' };
  }
}
