/** Finds who set a chain's finalizers and references, whose managed fields are fetched per object. */
import { finalizerSetBy, type Provenance, referenceSetBy } from '../../../diagnosis/index.ts';
import type { Identity } from '../../../graph/index.ts';
import type { JsonObject } from '../../../source/index.ts';
import type { AnswerLink } from '../../../text/index.ts';
import type { ObjectReads } from './why-reads.ts';

const MOST_OBJECTS = 6;

export class Provenances {
  readonly #reads: ObjectReads;

  constructor(reads: ObjectReads) {
    this.#reads = reads;
  }

  /** Only rejects with `Interrupted`, at Ctrl-C. */
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
      const json = await this.#reads.metadata(edge.holder);
      const setBy = json && edge.find(json)[0];
      links.push(setBy === undefined || setBy.manager === '' ? link : { ...link, setBy });
    }
    return links;
  }
}

interface Edge {
  readonly holder: Identity;
  find(json: JsonObject): readonly Provenance[];
}

function edgeOf({ object, by, finalizer }: AnswerLink, before: AnswerLink | undefined): Edge | undefined {
  if (finalizer !== undefined) return { holder: object, find: json => finalizerSetBy(json, finalizer) };
  if (before === undefined || before.object.uid === object.uid) return undefined;
  const owner = before.object.uid;
  if (by === 'blocked by') return { holder: object, find: json => referenceSetBy(json, owner) };
  return by === 'owned by'
    ? { holder: before.object, find: json => referenceSetBy(json, object.uid) }
    : undefined;
}
