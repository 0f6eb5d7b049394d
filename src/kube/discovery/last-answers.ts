/**
 * The last aggregated discovery answers with ETags, so that the next start begins with them while the server confirms.
 * kubectl's cache keeps no ETags; these files lie beside it, so that both are cleared together.
 */
import path from 'node:path';
import { Person, PrivateFile, privateFolder } from '../../disk/index.ts';
import { jsonValue, record, text } from '../../model/index.ts';
import { makeCacheFolder } from './disk-cache.ts';

export type EndpointPath = '/api' | '/apis';

export interface KeptAnswer {
  readonly etag: string;
  readonly json: unknown;
}

/** Discovery of a cluster with thousands of kinds has 2 MB. */
const MOST_BYTES = 16 * 1024 * 1024;

export class LastAnswers {
  readonly #folder: string;
  readonly #person = Person.current();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Ignores files that other users could have written. Never rejects. */
  async read(endpoint: EndpointPath): Promise<KeptAnswer | undefined> {
    try {
      const folder = privateFolder.find(this.#folder, this.#person);
      if (folder === undefined) return undefined;
      const options = { person: this.#person, mostBytes: MOST_BYTES };
      const found = await PrivateFile.load(path.join(folder, fileOf(endpoint)), options);
      if (found === undefined) return undefined;
      const { etag, answer } = record(jsonValue(found.text));
      return text(etag) === '' ? undefined : { etag: text(etag), json: answer };
    } catch {
      return undefined;
    }
  }

  /** Never rejects: without it the next start waits for discovery. */
  async write(endpoint: EndpointPath, { etag, json }: KeptAnswer): Promise<void> {
    try {
      const folder = makeCacheFolder(this.#folder, this.#person);
      await PrivateFile.replace(path.join(folder, fileOf(endpoint)), JSON.stringify({ etag, answer: json }));
    } catch {}
  }
}

/** The name differs from all of kubectl's files, groups and versions. */
function fileOf(endpoint: EndpointPath): string {
  return `gc-tree${endpoint.replace('/', '-')}.json`;
}
