/** Reads single objects once per command. They only refine an answer, so failures and timeouts are ignored. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Identity } from '../../../graph/index.ts';
import { type ResourceType, record, type Uid } from '../../../model/index.ts';
import { type JsonObject, SourceError } from '../../../source/index.ts';
import type { ClusterSession } from '../../session/session.ts';

export const PATIENCE_MILLISECONDS = 3000;

type Read = Promise<JsonObject | undefined>;

export class ObjectReads {
  readonly #session: ClusterSession;
  readonly #whole = new Map<Uid, Read>();
  readonly #metadata = new Map<Uid, Read>();

  constructor(session: ClusterSession) {
    this.#session = session;
  }

  /** Resolves with undefined if this very object isn't available. Only rejects with `Interrupted`, at Ctrl-C. */
  whole(object: Identity): Read {
    const { source, view } = this.#session;
    const known = view.absences.contentOf(object.uid);
    if (known !== undefined) return Promise.resolve(known.json);
    return this.#read(this.#whole, object, (type, namespace, name) => source.get(type, namespace, name));
  }

  /** Like `whole`, with less to transfer unless the object was already read. */
  metadata(object: Identity): Read {
    const { source, view } = this.#session;
    const isKnown = this.#whole.has(object.uid) || view.absences.contentOf(object.uid) !== undefined;
    if (source.getMetadata === undefined || isKnown) return this.whole(object);
    return this.#read(this.#metadata, object, source.getMetadata.bind(source));
  }

  #read(
    known: Map<Uid, Read>,
    object: Identity,
    fetch: (type: ResourceType, namespace: string, name: string) => Read,
  ): Read {
    const { view } = this.#session;
    const { uid, apiVersion, kind, namespace, name } = object;
    let read = known.get(uid);
    if (read === undefined) {
      const type = view.catalog.resolveKind(apiVersion, kind);
      read = type === undefined ? Promise.resolve(undefined) : patiently(fetch(type, namespace, name), uid);
      known.set(uid, read);
    }
    return this.#session.until(read);
  }
}

async function patiently(fetched: Read, uid: Uid): Read {
  const tooLong = sleep(PATIENCE_MILLISECONDS, undefined, { ref: false });
  try {
    const json = await Promise.race([fetched, tooLong]);
    return json !== undefined && record(json['metadata'])['uid'] === uid ? json : undefined;
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
