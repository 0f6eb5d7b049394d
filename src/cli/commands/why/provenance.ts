/**
 * Who set the finalizers and references of a chain, from managed fields. They are no part of what is watched, so
 * each object is asked for once, and only those that the chain leads through.
 */
import { finalizerSetBy, type Provenance, referenceSetBy } from '../../../diagnosis/explain/provenance.ts';
import type { Identity } from '../../../graph/node.ts';
import type { JsonObject } from '../../../source/source.ts';
import type { AnswerLink } from '../../../text/diagnosis/why.ts';
import type { ObjectReads } from './reads.ts';

// A chain may be long, and an answer is waited for.
const MOST_OBJECTS = 6;

/** What was fetched in one run of the command. */
export class Provenances {
  readonly #reads: ObjectReads;

  constructor(reads: ObjectReads) {
    this.#reads = reads;
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
      const json = await this.#reads.metadata(edge.holder);
      const setBy = json && edge.find(json)[0];
      links.push(setBy === undefined || setBy.manager === '' ? link : { ...link, setBy });
    }
    return links;
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
