/** Reads the served types: aggregated in two requests, older servers group by group; 304 if unchanged. */
import { type JsonRecord, joinApiVersion, list, mapConcurrently, record } from '../../model/index.ts';
import { SourceError } from '../../source/index.ts';
import { plainText } from '../config/known-credentials.ts';
import type { Transport } from '../transport/transport.ts';
import { getJson, type JsonAnswer } from '../transport/whole-answer.ts';
import type { DiskCache } from './disk-cache.ts';
import {
  type DiscoveryDocuments,
  documentsOfAggregated,
  groupOf,
  joinDocuments,
} from './kubectl-documents.ts';
import type { EndpointPath, LastAnswers } from './last-answers.ts';
import { readAggregated, readCoreVersions, readLegacyGroups, readResources } from './read-groups.ts';
import {
  type Catalogue,
  CatalogueBuilder,
  type GroupDiscovery,
  type VersionDiscovery,
} from './type-catalogue.ts';

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

/** Concurrent requests for an older server's group versions. */
const concurrency = 10;

export class Discovery {
  readonly #transport: Transport;
  readonly #options: DiscoveryOptions;
  readonly #builder = new CatalogueBuilder();
  readonly #core: Endpoint;
  readonly #groups: Endpoint;
  #version: string | undefined;
  #pending: Promise<Catalogue> | undefined;
  /** Contents of kubectl's disk cache. */
  #kept: Catalogue | undefined;
  #isCacheRead = false;

  constructor(transport: Transport, options: DiscoveryOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    this.#core = new Endpoint(transport, '/api', options.lastAnswers);
    this.#groups = new Endpoint(transport, '/apis', options.lastAnswers);
  }

  /**
   * Returns an unchanged catalogue as the same object; concurrent calls share one read. Rejects with a `SourceError`
   * only if the server can't be asked at all. `fresh` ignores the server's 304 and a read already under way.
   */
  refresh({ fresh = false }: { readonly fresh?: boolean } = {}): Promise<Catalogue> {
    if (fresh && this.#pending !== undefined) {
      const again = () => this.refresh({ fresh: this.#pending === undefined });
      return this.#pending.then(again, again);
    }
    this.#pending ??= this.#read(fresh).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** Returns a guess from kubectl's disk cache, if any, from which a served type may be missing. */
  async cached(): Promise<Catalogue | undefined> {
    const found = await this.#options.cache?.read();
    this.#isCacheRead = true;
    this.#kept = found && this.#builder.build(found, this.#version);
    return this.#kept;
  }

  /**
   * Returns a guess from the last answers, without the server's version; draw no conclusions before `refresh` confirms
   * it.
   */
  async recalled(): Promise<Catalogue | undefined> {
    const [core, groups] = await Promise.all([this.#core.recall(), this.#groups.recall()]);
    if (core === undefined || groups === undefined) return undefined;
    return this.#builder.build([...core, ...groups], undefined);
  }

  async #read(fresh: boolean): Promise<Catalogue> {
    const { withVersion = true } = this.#options;
    const [core, groups, version] = await Promise.all([
      this.#core.read(fresh),
      this.#groups.read(fresh),
      withVersion ? serverVersion(this.#transport).catch(() => undefined) : undefined,
    ]);
    if (core === undefined && groups === undefined) {
      throw new SourceError(
        `${this.#transport.server} serves neither /api nor /apis to you; is it a Kubernetes API server?`,
      );
    }
    // Read each time to notice upgrades; a failed read keeps the last version.
    this.#version = version?.['gitVersion'] ?? this.#version;
    const found = [...(core?.groups ?? []), ...(groups?.groups ?? [])];
    const catalogue = this.#builder.build(found, this.#version);
    // An unchanged part wasn't sent again, so the cache is kept until it expires, as in kubectl.
    if (core?.documents !== undefined && groups?.documents !== undefined)
      void this.#keep(catalogue, [core.documents, groups.documents]);
    return catalogue;
  }

  async #keep(catalogue: Catalogue, parts: readonly (() => DiscoveryDocuments)[]): Promise<void> {
    const { cache } = this.#options;
    if (cache === undefined || catalogue === this.#kept) return;
    const isWrong = this.#kept !== undefined || this.#isCacheRead;
    this.#kept = catalogue;
    if (isWrong || (await cache.isExpired())) await cache.write(joinDocuments(parts.map(part => part())));
  }
}

/** Returns the server's build, such as `gitVersion`. Rejects with a `SourceError` if the server doesn't state it. */
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
