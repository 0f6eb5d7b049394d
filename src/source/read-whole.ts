/** Reads one object with a time limit; a failure becomes a reason. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject, ResourceType } from '../model/index.ts';
import { type JsonObject, type Source, SourceError, type SourceKind } from './source.ts';

type WholeRead =
  | { readonly state: 'read'; readonly json: JsonObject }
  | { readonly state: 'absent' }
  | { readonly state: 'unread'; readonly reason: string };

const PATIENCE_MILLISECONDS = 5000;

const unreadable: Readonly<Partial<Record<SourceKind, string>>> = {
  files: 'standard input is read once: save it to a file',
  replay: 'whole objects are not recorded',
};

/** Reads whole objects; `list` is undefined if the source reads single objects as quickly. */
export interface WholeReads {
  readonly read: (place: Pick<KubeObject, 'type' | 'namespace' | 'name'>) => Promise<WholeRead>;
  readonly list?: ReturnType<typeof kindReader> | undefined;
}

export function wholeReads(source: Pick<Source, 'get' | 'info' | 'list'>): WholeReads {
  return { read: place => readWhole(source, place), list: kindReader(source) };
}

/** Rejects as `readWhole` does. */
function kindReader(source: Pick<Source, 'info' | 'list'>) {
  const { list } = source;
  return (
    list &&
    (async ({ type, namespace }: { readonly type: ResourceType; readonly namespace: string | undefined }) => {
      try {
        const items = await list(type, namespace, AbortSignal.timeout(PATIENCE_MILLISECONDS));
        return { state: 'read', items } as const;
      } catch (error) {
        const reason = error instanceof DOMException ? 'no answer in time' : unreadReason(source, error);
        return { state: 'unread', reason } as const;
      }
    })
  );
}

function unreadReason({ info }: Pick<Source, 'info'>, error: unknown): string {
  if (!(error instanceof SourceError)) throw error;
  return error.status === undefined ? (unreadable[info.source] ?? 'no answer') : `${error.status}`;
}

/** Rejects with errors other than `SourceError`. */
async function readWhole(
  source: Pick<Source, 'get' | 'info'>,
  { type, namespace, name }: Pick<KubeObject, 'type' | 'namespace' | 'name'>,
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
    return { state: 'unread', reason: unreadReason(source, error) };
  }
}
