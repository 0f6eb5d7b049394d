/**
 * kubectl's discovery cache, with its files and lifetime (client-go v0.36, discovery/cached/disk; cli-runtime v0.36,
 * genericclioptions/config_flags.go). It is only a guess and never proves that a kind isn't served. Files that other
 * users could write, or that don't look like discovery, are ignored.
 */
import { mkdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Person, PrivateFile, privateFolder } from '../../disk/index.ts';
import { type JsonRecord, joinApiVersion, list, record, text } from '../../model/index.ts';
import { homeFolder } from '../config/load-kubeconfig.ts';
import type { DiscoveryDocuments } from './kubectl-documents.ts';
import { readLegacyGroups, readResources } from './read-groups.ts';
import type { GroupDiscovery, VersionDiscovery } from './type-catalogue.ts';

const LIFETIME_MS = 6 * 3_600_000;
/** A clock that was set back must not keep a file forever. */
const CLOCK_SKEW_MS = 60_000;
/** In a large cluster, the list of groups and the largest list of resources have 100 KB each. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_VERSIONS = 2_000;

const groupNames = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)?$/u;
const versionNames = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
const resourceNames = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/u;
const kindNames = /^[A-Za-z](?:[A-Za-z0-9-]{0,251})$/u;

export interface CachePlace {
  readonly folder: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly server: string;
}

export function cacheFolderOf({ folder, env, server }: CachePlace): string | undefined {
  const home = homeFolder(env);
  const base = folder || env['KUBECACHEDIR'] || (home && path.join(home, '.kube', 'cache'));
  if (!base) return undefined;
  const host = server.replace('https://', '').replace('http://', '');
  const safe = host.replaceAll(/[^(\w/.)]/gu, '_');
  if (safe.split('/').includes('..')) return undefined;
  return path.resolve(base, 'discovery', safe);
}

export class DiskCache {
  readonly #folder: string;
  readonly #now: () => number;
  readonly #person: Person | null;

  constructor(folder: string, now: () => number = Date.now, person = Person.current()) {
    this.#folder = folder;
    this.#now = now;
    this.#person = person;
  }

  /** Returns the groups, with a failure for each missing version; undefined if the cache is unusable. */
  async read(): Promise<GroupDiscovery[] | undefined> {
    try {
      const folder = privateFolder.find(this.#folder, this.#person);
      return folder === undefined ? undefined : await this.#readFrom(folder);
    } catch {
      return undefined;
    }
  }

  async isExpired(): Promise<boolean> {
    try {
      return !this.#isFresh((await stat(path.join(this.#folder, 'servergroups.json'))).mtimeMs);
    } catch {
      return true;
    }
  }

  /** Never rejects: the cache is optional. The list of groups is written last, because it names the others. */
  async write({ groups, resources }: DiscoveryDocuments): Promise<void> {
    try {
      const folder = makeCacheFolder(this.#folder, this.#person);
      const lists = [...resources].filter(([, each]) => each.length > 0);
      await Promise.all(
        lists.map(([groupVersion, each]) =>
          this.#writeFile(path.join(folder, groupVersion, 'serverresources.json'), {
            kind: 'APIResourceList',
            apiVersion: 'v1',
            groupVersion,
            resources: each,
          }),
        ),
      );
      await this.#writeFile(path.join(folder, 'servergroups.json'), {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups,
      });
    } catch {}
  }

  async #readFrom(folder: string): Promise<GroupDiscovery[] | undefined> {
    const groups = await this.#readJson(path.join(folder, 'servergroups.json'));
    if (groups === undefined) return undefined;
    const named = readLegacyGroups(groups);
    const versions = named.flatMap(({ group, versions: each }) => each.map(version => ({ group, version })));
    const isSound =
      versions.length > 0 &&
      versions.length <= MOST_VERSIONS &&
      versions.every(({ group, version }) => groupNames.test(group) && versionNames.test(version));
    if (!isSound) return undefined;
    return Promise.all(
      named.map(async ({ group, versions: each }) => ({
        group,
        versions: await Promise.all(each.map(version => this.#readVersion(folder, group, version))),
      })),
    );
  }

  async #readVersion(folder: string, group: string, version: string): Promise<VersionDiscovery> {
    const groupVersion = joinApiVersion(group, version);
    const json = await this.#readJson(path.join(folder, groupVersion, 'serverresources.json')).catch(
      () => undefined,
    );
    const isSound =
      json !== undefined &&
      text(record(json)['groupVersion']) === groupVersion &&
      list(record(json)['resources']).every(each => isSoundResource(record(each)));
    if (!isSound) return { version, resources: [], failure: 'not in the discovery cache' };
    return { version, resources: readResources(json) };
  }

  async #readJson(file: string): Promise<unknown> {
    const found = await PrivateFile.load(file, { person: this.#person, mostBytes: MOST_BYTES });
    return found === undefined || !this.#isFresh(found.modified) ? undefined : JSON.parse(found.text);
  }

  #isFresh(modified: number): boolean {
    const age = this.#now() - modified;
    return age >= -CLOCK_SKEW_MS && age <= LIFETIME_MS;
  }

  async #writeFile(file: string, json: JsonRecord): Promise<void> {
    const folder = makeCacheFolder(path.dirname(file), this.#person);
    await PrivateFile.replace(path.join(folder, path.basename(file)), `${JSON.stringify(json)}\n`);
  }
}

/** Creates the folder with kubectl's mode. Throws if other users could write to it. */
export function makeCacheFolder(folder: string, person: Person | null): string {
  mkdirSync(folder, { recursive: true, mode: 0o750 });
  const found = privateFolder.find(folder, person);
  if (found === undefined) throw new Error(`${folder} is not there`);
  return found;
}

/** Checks the names, which become parts of request paths and command lines. */
function isSoundResource(resource: JsonRecord): boolean {
  const [name = '', ...subresource] = text(resource['name']).split('/');
  return subresource.length > 0 || (resourceNames.test(name) && kindNames.test(text(resource['kind'])));
}
