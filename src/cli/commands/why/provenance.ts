/**
 * Who set the finalizers and references of a chain, from managed fields. They are no part of what is watched, so
 * each object is asked for once, and only those that the chain leads through.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { finalizerSetBy, type Provenance, referenceSetBy } from '../../../diagnosis/explain/provenance.ts';
import type { ClusterView } from '../../../graph/cluster-view.ts';
import type { Identity } from '../../../graph/node.ts';
import type { Uid } from '../../../model/object.ts';
import { type JsonObject, type Source, SourceError } from '../../../source/source.ts';
import type { AnswerLink } from '../../../text/diagnosis/why.ts';
import type { ClusterSession } from '../../session/session.ts';

// A chain may be long, and an answer is waited for.
const MOST_OBJECTS = 6;
const PATIENCE_MILLISECONDS = 3000;

/** What was fetched in one run of the command. */
export class Provenances {
  readonly #session: ClusterSession;
  readonly #known = new Map<Uid, Promise<JsonObject | undefined>>();

  constructor(session: ClusterSession) {
    this.#session = session;
  }

  /** The chain with who set what, as far as it is known. Rejects with `Interrupted` at Ctrl-C, and with nothing else. */
  async of(chain: readonly AnswerLink[]): Promise<readonly AnswerLink[]> {
    const links: AnswerLink[] = [];
    let asked = 0;
    for (const [index, link] of chain.entries()) {
      const edge = edgeOf(link, chain[index - 1]);
      if (edge === undefined || asked >= MOST_OBJECTS) {
        links.push(link);
        continue;
      }
      asked += 1;
      const json = await this.#session.until(this.#metadata(edge.holder));
      // The metadata has to be that of the very object.
      const setBy = json === undefined || uidOf(json) !== edge.holder.uid ? undefined : edge.find(json)[0];
      links.push(setBy === undefined || setBy.manager === '' ? link : { ...link, setBy });
    }
    return links;
  }

  #metadata(holder: Identity): Promise<JsonObject | undefined> {
    let metadata = this.#known.get(holder.uid);
    if (metadata === undefined) {
      metadata = fetchMetadata(this.#session.source, this.#session.view, holder);
      this.#known.set(holder.uid, metadata);
    }
    return metadata;
  }
}

interface Edge {
  /** The object whose metadata holds the finalizer or the reference. */
  readonly holder: Identity;
  find(json: JsonObject): readonly Provenance[];
}

/** What leads from the link before to this one, where somebody set it. */
function edgeOf({ object, by, finalizer }: AnswerLink, before: AnswerLink | undefined): Edge | undefined {
  if (finalizer !== undefined) return { holder: object, find: json => finalizerSetBy(json, finalizer) };
  if (before === undefined || before.object.uid === object.uid) return undefined;
  const owner = before.object.uid;
  if (by === 'blocked by') return { holder: object, find: json => referenceSetBy(json, owner) };
  return by === 'owned by'
    ? { holder: before.object, find: json => referenceSetBy(json, object.uid) }
    : undefined;
}

function uidOf(json: JsonObject): unknown {
  const { metadata } = json;
  return typeof metadata === 'object' && metadata !== null && 'uid' in metadata ? metadata.uid : undefined;
}

/** Undefined where it cannot be had: who set something is worth a look, not a failure. */
async function fetchMetadata(
  source: Source,
  view: ClusterView,
  { apiVersion, kind, namespace, name }: Identity,
): Promise<JsonObject | undefined> {
  const type = view.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) return undefined;
  const tooLong = sleep(PATIENCE_MILLISECONDS, undefined, { ref: false });
  try {
    const fetched =
      source.getMetadata === undefined
        ? source.get(type, namespace, name)
        : source.getMetadata(type, namespace, name);
    return await Promise.race([fetched, tooLong]);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
