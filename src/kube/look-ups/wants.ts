/**
 * What was wanted beside what is read anyway, each asked for once: all of a kind is handed on to be listed, and one object
 * is read by a GET. Apart from look-ups, which are asked again as long as they are wanted.
 */

import type { AnsweredLookUp, LookUpAnswer } from '../../model/exchange/changes.ts';
import { ANY_NAMESPACE, keyOfWant, type Want } from '../../model/exchange/reads.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { FollowedTypes } from '../followed-types.ts';
import type { MonitorContext } from '../watch/monitor.ts';
import { foundAs, listObjects, type Place, readObjectAt, unreadReason, withinLimit } from './requests.ts';

export interface WantsOptions
  extends Pick<MonitorContext, 'transport' | 'connection' | 'pool' | 'gate' | 'timing' | 'follows'> {
  readonly types: FollowedTypes;
  /** Aborts when the source closes. */
  readonly signal: AbortSignal;
  /** Comes after the object that it has found. */
  readonly answered: (answer: AnsweredLookUp) => void;
}

/** One object is less than any list, and somebody waits for it. */
const RANK = -1;

export class WantedReads {
  readonly #options: WantsOptions;
  readonly #asked = new Set<string>();
  /** Keys of what is being read. */
  readonly #asking = new Set<string>();

  constructor(options: WantsOptions) {
    this.#options = options;
  }

  want(wants: Iterable<Want>): void {
    for (const want of wants) {
      const key = keyOfWant(want);
      if (this.#asked.has(key)) continue;
      this.#asked.add(key);
      const { type, namespace = '', name } = want;
      if (name === undefined) this.#options.types.want(want);
      else if (type.namespaced && want.namespace === undefined) this.#startEverywhere(type, name, key);
      else this.#start(type, { namespace: type.namespaced ? namespace : '', name }, key);
    }
  }

  /** An object that was found and that no list holds. What is followed is listed and watched from now on. */
  keep(object: KubeObject): void {
    const { types, follows } = this.#options;
    const { type, namespace } = object;
    types.keep(object);
    if (follows()) types.want({ type, namespace });
  }

  /** What was answered is asked for again when it is wanted once more: by then it may be another answer. */
  forget(): void {
    for (const key of this.#asked) if (!this.#asking.has(key)) this.#asked.delete(key);
  }

  /** Some object is yet to be read. */
  get areAsked(): boolean {
    return this.#asking.size > 0;
  }

  #start(type: ResourceType, place: Place, key: string): void {
    this.#answer(type, place, { key, reading: this.#read(type, place) });
  }

  #startEverywhere(type: ResourceType, name: string, key: string): void {
    const reading = this.#readNamesakes(type, name);
    this.#answer(type, { namespace: ANY_NAMESPACE, name }, { key, reading });
  }

  #answer(
    type: ResourceType,
    place: Place,
    { key, reading }: { readonly key: string; readonly reading: Promise<KubeObject | undefined> },
  ): void {
    const { signal, answered } = this.#options;
    this.#asking.add(key);
    void reading
      .then(
        object => (object === undefined ? { state: 'absent' as const } : foundAs(object)),
        (error: unknown): LookUpAnswer => ({ state: 'unknown', reason: unreadReason(error) }),
      )
      .then(answer => {
        this.#asking.delete(key);
        if (signal.aborted) return;
        const { apiVersion, kind } = type;
        answered({ lookUp: { of: 'object', apiVersion, kind, ...place, uid: '' }, answer });
      });
  }

  async #read(type: ResourceType, place: Place): Promise<KubeObject | undefined> {
    const { types, follows } = this.#options;
    const { namespace, name } = place;
    if (await types.sees(type, namespace)) return types.find(type, namespace, name);
    const object = await this.#get(type, place);
    // What came by a list meanwhile is newer.
    if (await types.sees(type, namespace)) return types.find(type, namespace, name);
    if (object !== undefined) this.keep(object);
    else if (follows()) types.want({ type, namespace });
    return object;
  }

  /** The API server sorts them out, so that they are all that is transferred. Resolves with one of them. */
  async #readNamesakes(type: ResourceType, name: string): Promise<KubeObject | undefined> {
    const { gate, timing, signal, types } = this.#options;
    const found: KubeObject[] = [];
    const leave = await gate.enter(RANK);
    try {
      await withinLimit(timing, signal, limited => {
        const options = { namespace: undefined, name, depth: 'full', signal: limited } as const;
        return listObjects(this.#options, type, options, object => found.push(object));
      });
    } finally {
      leave();
    }
    for (const object of found) if (types.extentOf(type, object.namespace) === 'none') this.keep(object);
    return found[0];
  }

  async #get(type: ResourceType, place: Place): Promise<KubeObject | undefined> {
    const { gate, timing, signal } = this.#options;
    const leave = await gate.enter(RANK);
    try {
      return await withinLimit(timing, signal, limited =>
        readObjectAt(this.#options, type, place, { depth: 'full', signal: limited }),
      );
    } finally {
      leave();
    }
  }
}
