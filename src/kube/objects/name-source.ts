/**
 * Lists names for completion in at most three requests (more before 1.26): discovery, from kubectl's disk cache or in
 * two requests, and a list. For words that the cache lacks, and after a 404 for a cached kind, discovery is read again.
 */
import { ResourceType, TypeCatalog } from '../../model/index.ts';
import type { NameSource } from '../../source/index.ts';
import type { Discovery } from '../discovery/discovery.ts';
import type { Transport } from '../transport/transport.ts';
import { ApiFailure } from '../watch/api-failure.ts';
import { CollectionRequests, type RequestWatch } from '../watch/collection-requests.ts';
import type { Heard } from '../watch/connection-monitor.ts';
import { Pool } from '../wire/pool.ts';

const MOST_REQUESTS = 3;
const DISCOVERY_REQUESTS = 2;

export interface NameSourceOptions {
  readonly transport: Transport;
  readonly discovery: Discovery;
  readonly namespace: string;
}

export function createNameSource({ transport, discovery, namespace }: NameSourceOptions): NameSource {
  let left = MOST_REQUESTS;

  const fresh = async (): Promise<TypeCatalog> => {
    left -= DISCOVERY_REQUESTS;
    return new TypeCatalog((await discovery.refresh({ fresh: true })).types);
  };

  const guess = async (): Promise<TypeCatalog | undefined> => {
    const cached = await discovery.cached();
    return cached && new TypeCatalog(cached.types);
  };

  const namesOf = async (
    types: readonly ResourceType[],
    scope: string | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> => {
    const names = new Set<string>();
    const list = (type: ResourceType) =>
      listNames(transport, type, { scope, signal }, name => names.add(name));
    try {
      await Promise.all(types.map(list));
    } catch (error) {
      const isUnknown = error instanceof ApiFailure && error.code === 404;
      if (isUnknown && left >= DISCOVERY_REQUESTS) await fresh();
      else if (!signal.aborted && !(error instanceof ApiFailure)) throw error;
    }
    return [...names].sort();
  };

  return {
    namespace,
    types: async () => ((await guess()) ?? (await fresh())).types,
    names: async (word, scope, signal) => {
      const known = (await guess())?.resolveWord(word);
      const found = known?.known === true ? known : (await fresh()).resolveWord(word);
      const types = found.known ? found.types.filter(ResourceType.isMonitored) : [];
      if (types.length > left) return [];
      left -= types.length;
      return namesOf(types, scope, signal);
    },
    close: () => transport.close(),
  };
}

/** Lists from the server's memory, in one page. */
async function listNames(
  transport: Transport,
  type: ResourceType,
  { scope, signal }: { readonly scope: string | undefined; readonly signal: AbortSignal },
  name: (name: string) => void,
): Promise<void> {
  const namespace = type.namespaced ? scope : undefined;
  const connection = patientUntil(signal);
  const pool = new Pool();
  const requests = new CollectionRequests({
    type,
    namespace,
    transport,
    connection,
    pool,
    signal,
    bulk: false,
  });
  await requests.list({ depth: 'metadata', resourceVersion: '0', item: object => name(object.name) });
}

/** Completion ends long before silence would matter. */
function patientUntil(signal: AbortSignal): RequestWatch {
  const heard: Heard = { at: 0, limit: Infinity, silent: () => {} };
  return { alive: signal, watch: () => heard, await: () => heard, heard: () => {}, forget: () => {} };
}
