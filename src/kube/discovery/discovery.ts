/**
 * Asks a server which types it serves: aggregated discovery in two requests, older servers group by group.
 * Cheap enough to repeat every 30 s, for unchanged answers come back as 304.
 */
import { SourceError } from '../../source/source.ts';
import { plainText } from '../auth/plain-text.ts';
import type { Transport } from '../transport.ts';
import { type Catalogue, CatalogueBuilder, type GroupDiscovery, type VersionDiscovery } from './catalogue.ts';
import { getJson, type JsonAnswer } from './get-json.ts';
import { readAggregated, readCoreVersions, readLegacyGroups, readResources } from './read-groups.ts';

export interface Discovery {
  /**
   * Reads the catalogue; the same object as before where nothing changed. Calls at the same time share one
   * reading. Rejects with a `SourceError` when the server can't be asked at all; a broken group never fails
   * it. `fresh` is for when something is known to have changed: it passes over the server's 304, and over a
   * reading that began before the call.
   */
  refresh(options?: { readonly fresh?: boolean }): Promise<Catalogue>;
}

const accept = ['v2', 'v2beta1']
  .map(version => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** Group versions of an older server read at a time. */
const concurrency = 10;

export function createDiscovery(transport: Transport): Discovery {
  const builder = new CatalogueBuilder();
  const core = new Endpoint(transport, '/api');
  const groups = new Endpoint(transport, '/apis');
  let serverVersion: string | undefined;
  let pending: Promise<Catalogue> | undefined;

  const read = async (fresh: boolean): Promise<Catalogue> => {
    const [coreGroups, otherGroups, version] = await Promise.all([
      core.read(fresh),
      groups.read(fresh),
      readServerVersion(transport).catch(() => undefined),
    ]);
    if (coreGroups === undefined && otherGroups === undefined) {
      throw new SourceError(
        `${transport.server} serves neither /api nor /apis to you; is it a Kubernetes API server?`,
      );
    }
    // An upgrade shows here as well, so it is read each time; a hiccup doesn't take it away.
    serverVersion = version ?? serverVersion;
    return builder.build([...(coreGroups ?? []), ...(otherGroups ?? [])], serverVersion);
  };

  const refresh: Discovery['refresh'] = ({ fresh = false } = {}) => {
    if (fresh && pending !== undefined) {
      const again = () => refresh({ fresh: pending === undefined });
      return pending.then(again, again);
    }
    pending ??= read(fresh).finally(() => {
      pending = undefined;
    });
    return pending;
  };
  return { refresh };
}

async function readServerVersion(transport: Transport): Promise<string | undefined> {
  const answer = await getJson(transport, '/version');
  const version = (answer.json as { gitVersion?: unknown } | undefined)?.gitVersion;
  return typeof version === 'string' ? plainText(version, 60) : undefined;
}

/** `/api` or `/apis`, with the last answer and its ETag. */
class Endpoint {
  readonly #transport: Transport;
  readonly #path: '/api' | '/apis';
  #etag: string | undefined;
  #last: GroupDiscovery[] | undefined;

  constructor(transport: Transport, path: '/api' | '/apis') {
    this.#transport = transport;
    this.#path = path;
  }

  /** Undefined where this server has no such endpoint or hides it, which client-go tolerates as well. */
  async read(fresh: boolean): Promise<GroupDiscovery[] | undefined> {
    const headers = {
      accept,
      ...(this.#etag !== undefined && !fresh && { 'if-none-match': this.#etag }),
    };
    const answer = await getJson(this.#transport, this.#path, { headers });
    if (answer.status === 304 && this.#last !== undefined) return this.#last;
    this.#etag = undefined;
    if (answer.status === 404 || answer.status === 403) return undefined;
    if (answer.status !== 200) throw refused(this.#transport, this.#path, answer);
    if (!/;as=APIGroupDiscoveryList/i.test(answer.contentType)) return this.#readEach(answer.json);
    const groups = readAggregated(answer.json);
    this.#etag = answer.etag;
    this.#last = groups;
    return groups;
  }

  async #readEach(list: unknown): Promise<GroupDiscovery[]> {
    const named =
      this.#path === '/api' ? [{ group: '', versions: readCoreVersions(list) }] : readLegacyGroups(list);
    const wanted = named.flatMap(({ group, versions }) => versions.map(version => ({ group, version })));
    const found = await mapConcurrently(wanted, concurrency, async ({ group, version }) => ({
      group,
      discovery: await this.#readVersion(group, version),
    }));
    return named.map(({ group }) => ({
      group,
      versions: found.filter(entry => entry.group === group).map(entry => entry.discovery),
    }));
  }

  async #readVersion(group: string, version: string): Promise<VersionDiscovery> {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const answer = await getJson(this.#transport, path);
      if (answer.status === 200) return { version, resources: readResources(answer.json) };
      return { version, resources: [], failure: reason(answer) };
    } catch (error) {
      return { version, resources: [], failure: error instanceof Error ? error.message : String(error) };
    }
  }
}

function reason(answer: JsonAnswer): string {
  return answer.message === '' ? String(answer.status) : `${answer.status}: ${answer.message}`;
}

function refused(transport: Transport, path: string, answer: JsonAnswer): SourceError {
  if (answer.status === 401) {
    return new SourceError(
      `${transport.server} refused the credentials (401): they are missing, wrong or expired. Log in again, or pass --token or --user.`,
    );
  }
  return new SourceError(`${transport.server}${path} answered ${reason(answer)}.`);
}

async function mapConcurrently<T, R>(
  inputs: readonly T[],
  limit: number,
  map: (input: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < inputs.length; index = next++) {
      // In bounds by the loop's condition.
      results[index] = await map(inputs[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, inputs.length) }, worker));
  return results;
}
