/** Reads the served types: aggregated in two requests, older servers group by group; 304 if unchanged. */
import { mapConcurrently } from '../../model/concurrently.ts';
import { type JsonRecord, list, record } from '../../model/json/json.ts';
import { joinApiVersion } from '../../model/types/resource-type.ts';
import { SourceError } from '../../source/source.ts';
import { plainText } from '../config/known-credentials.ts';
import type { Transport } from '../transport/transport.ts';
import { getJson, type JsonAnswer } from '../transport/whole-answer.ts';
import { type Catalogue, CatalogueBuilder, type GroupDiscovery, type VersionDiscovery } from './catalogue.ts';
import type { DiskCache } from './disk-cache.ts';
import { type DiscoveryDocuments, documentsOfAggregated, groupOf, joinDocuments } from './documents.ts';
import type { EndpointPath, LastAnswers } from './last-answers.ts';
import { readAggregated, readCoreVersions, readLegacyGroups, readResources } from './read-groups.ts';

export interface Discovery {
  /**
   * Returns an unchanged catalogue as the same object; concurrent calls share one read. Rejects with a `SourceError`
   * only if the server can't be asked at all. `fresh` ignores the server's 304 and a read already under way.
   */
  refresh(options?: { readonly fresh?: boolean }): Promise<Catalogue>;
  /** Returns a guess from kubectl's disk cache, if any, from which a served type may be missing. */
  cached(): Promise<Catalogue | undefined>;
  /**
   * Returns a guess from the last answers, without the server's version; draw no conclusions before `refresh` confirms
   * it.
   */
  recalled(): Promise<Catalogue | undefined>;
}

export interface DiscoveryOptions {
  readonly cache?: DiskCache | undefined;
  readonly lastAnswers?: LastAnswers | undefined;
  /** Reads the server's version with one more request; true by default. */
  readonly withVersion?: boolean;
}

const accept = ['v2', 'v2beta1']
  .map(version => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/** `/api` and `/apis`: with only one, the cache would be incomplete. */
const ENDPOINTS = 2;

/** Concurrent requests for an older server's group versions. */
const concurrency = 10;

export function createDiscovery(
  transport: Transport,
  { cache, lastAnswers, withVersion = true }: DiscoveryOptions = {},
): Discovery {
  const builder = new CatalogueBuilder();
  const core = new Endpoint(transport, '/api', lastAnswers);
  const groups = new Endpoint(transport, '/apis', lastAnswers);
  let knownVersion: string | undefined;
  let pending: Promise<Catalogue> | undefined;
  let kept: Catalogue | undefined;
  let isCacheRead = false;

  const cached: Discovery['cached'] = async () => {
    const found = await cache?.read();
    isCacheRead = true;
    kept = found && builder.build(found, knownVersion);
    return kept;
  };

  const recalled: Discovery['recalled'] = async () => {
    const answers = await Promise.all([core.recall(), groups.recall()]);
    const known = answers.filter(answer => answer !== undefined);
    return known.length < ENDPOINTS ? undefined : builder.build(known.flat(), undefined);
  };

  const keep = async (catalogue: Catalogue, answers: readonly EndpointAnswer[]): Promise<void> => {
    if (cache === undefined || catalogue === kept) return;
    const parts = answers.map(({ documents }) => documents).filter(part => part !== undefined);
    // An unchanged part wasn't sent again, so the cache is kept until it expires, as in kubectl.
    if (parts.length < ENDPOINTS) return;
    const isWrong = kept !== undefined || isCacheRead;
    kept = catalogue;
    if (isWrong || (await cache.isExpired())) await cache.write(joinDocuments(parts.map(part => part())));
  };

  const read = async (fresh: boolean): Promise<Catalogue> => {
    const [coreGroups, otherGroups, version] = await Promise.all([
      core.read(fresh),
      groups.read(fresh),
      withVersion ? serverVersion(transport).catch(() => undefined) : undefined,
    ]);
    if (coreGroups === undefined && otherGroups === undefined) {
      throw new SourceError(
        `${transport.server} serves neither /api nor /apis to you; is it a Kubernetes API server?`,
      );
    }
    // Read each time to notice upgrades; a failed read keeps the last version.
    knownVersion = version?.['gitVersion'] ?? knownVersion;
    const answers = [coreGroups, otherGroups].filter(answer => answer !== undefined);
    const catalogue = builder.build(
      answers.flatMap(({ groups }) => groups),
      knownVersion,
    );
    void keep(catalogue, answers);
    return catalogue;
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
  return { refresh, cached, recalled };
}

/** Returns the server's build, such as `gitVersion`. Rejects with a `SourceError` if it isn't told. */
export async function serverVersion(transport: Transport): Promise<Readonly<Record<string, string>>> {
  const answer = await getJson(transport, '/version');
  if (answer.status !== 200) throw refused(transport, '/version', answer);
  return Object.fromEntries(
    Object.entries(record(answer.json)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[plainText(name, 60), plainText(value, 60)]] : [],
    ),
  );
}

interface EndpointAnswer {
  readonly groups: readonly GroupDiscovery[];
  readonly documents: (() => DiscoveryDocuments) | undefined;
}

class Endpoint {
  readonly #transport: Transport;
  readonly #path: EndpointPath;
  readonly #lastAnswers: LastAnswers | undefined;
  #etag: string | undefined;
  #last: readonly GroupDiscovery[] | undefined;
  /** Documents of a recalled answer that isn't confirmed yet. */
  #recalled: EndpointAnswer['documents'];

  constructor(transport: Transport, path: EndpointPath, lastAnswers: LastAnswers | undefined) {
    this.#transport = transport;
    this.#path = path;
    this.#lastAnswers = lastAnswers;
  }

  /** Recalls an earlier answer. Has no effect after the first request. */
  async recall(): Promise<readonly GroupDiscovery[] | undefined> {
    const answer = await this.#lastAnswers?.read(this.#path);
    if (answer === undefined || this.#last !== undefined) return undefined;
    const { etag, json } = answer;
    this.#etag = etag;
    this.#last = readAggregated(json);
    this.#recalled = () => documentsOfAggregated(json);
    return this.#last;
  }

  /**
   * Returns undefined if the server lacks the endpoint, as client-go tolerates. Unlike client-go, rejects if one is
   * forbidden, because half of the kinds would be missing.
   */
  async read(fresh: boolean): Promise<EndpointAnswer | undefined> {
    const headers = {
      accept,
      ...(this.#etag !== undefined && !fresh && { 'if-none-match': this.#etag }),
    };
    const answer = await getJson(this.#transport, this.#path, { headers });
    const documents = this.#recalled;
    this.#recalled = undefined;
    if (answer.status === 304 && this.#last !== undefined) return { groups: this.#last, documents };
    this.#etag = undefined;
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw refused(this.#transport, this.#path, answer);
    if (!/;as=APIGroupDiscoveryList/i.test(answer.contentType)) return this.#readEach(answer.json);
    const { json } = answer;
    this.#etag = answer.etag;
    this.#last = readAggregated(json);
    const { etag } = answer;
    // Servers before 1.30 answer in v2beta1: too old for the assumptions about recalled servers.
    if (etag !== undefined && /;v=v2(?:;|$)/i.test(answer.contentType))
      void this.#lastAnswers?.write(this.#path, { etag, json });
    return { groups: this.#last, documents: () => documentsOfAggregated(json) };
  }

  async #readEach(answer: unknown): Promise<EndpointAnswer> {
    const named =
      this.#path === '/api' ? [{ group: '', versions: readCoreVersions(answer) }] : readLegacyGroups(answer);
    const wanted = named.flatMap(({ group, versions }) => versions.map(version => ({ group, version })));
    const found = await mapConcurrently(wanted, concurrency, async ({ group, version }) => ({
      group,
      ...(await this.#readVersion(group, version)),
    }));
    const groups = named.map(({ group }) => ({
      group,
      versions: found.filter(entry => entry.group === group).map(entry => entry.discovery),
    }));
    const documents = (): DiscoveryDocuments => ({
      groups: named.map(({ group, versions }) => groupOf(group, versions)),
      resources: new Map(
        found.map(entry => [joinApiVersion(entry.group, entry.discovery.version), entry.listed]),
      ),
    });
    return { groups, documents };
  }

  async #readVersion(
    group: string,
    version: string,
  ): Promise<{ readonly discovery: VersionDiscovery; readonly listed: readonly JsonRecord[] }> {
    const failed = (failure: string) => ({ discovery: { version, resources: [], failure }, listed: [] });
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const answer = await getJson(this.#transport, path);
      if (answer.status !== 200) return failed(reason(answer));
      const listed = list(record(answer.json)['resources']).map(record);
      return { discovery: { version, resources: readResources(answer.json) }, listed };
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
  }
}

function reason(answer: JsonAnswer): string {
  return answer.message === '' ? String(answer.status) : `${answer.status}: ${answer.message}`;
}

function sentence(text: string): string {
  return /[.?!]$/u.test(text) ? text : `${text}.`;
}

function refused(transport: Transport, path: string, answer: JsonAnswer): SourceError {
  if (answer.status === 401) {
    return new SourceError(
      `${transport.server} refused the credentials (401): they are missing, wrong or expired. Log in again, or pass --token or --user.`,
    );
  }
  if (answer.status === 403) {
    const said = answer.message === '' ? '' : `: ${sentence(answer.message)}`;
    return new SourceError(
      `${transport.server} does not let you see what it serves (403)${said || '.'} Ask for the ClusterRole system:discovery.`,
    );
  }
  if (answer.status === 400 && answer.message.includes('HTTP request to an HTTPS server'))
    return new SourceError(`${transport.server} speaks TLS; the address has to start with https://.`);
  return new SourceError(`${transport.server}${path} answered ${sentence(reason(answer))}`);
}
