/** Reads additional kinds by a list and objects by a GET, once each; look-ups, in contrast, are repeated. */

import {
  type AnsweredLookUp,
  type KubeObject,
  type LookUpAnswer,
  ReadScope,
  type ResourceType,
  Want,
} from '../../model/index.ts';
import type { FollowedTypes } from '../watch/followed-types.ts';
import type { MonitorContext } from '../watch/type-monitor.ts';
import {
  foundAs,
  listObjects,
  type Place,
  readObjectAt,
  unreadReason,
  withinLimit,
} from './look-up-requests.ts';

export interface WantsOptions
  extends Pick<MonitorContext, 'transport' | 'connection' | 'pool' | 'gate' | 'timing' | 'follows'> {
  readonly types: FollowedTypes;
  readonly signal: AbortSignal;
  readonly answered: (answer: AnsweredLookUp) => void;
}

/** One object is smaller than any list, and the user waits for it. */
const RANK = -1;

export class WantedReads {
  readonly #options: WantsOptions;
  readonly #asked = new Set<string>();
  readonly #asking = new Set<string>();

  constructor(options: WantsOptions) {
    this.#options = options;
  }

  want(wants: Iterable<Want>): void {
    for (const want of wants) {
      const key = Want.key(want);
      if (this.#asked.has(key)) continue;
      this.#asked.add(key);
      const { type, namespace = '', name } = want;
      if (name === undefined) this.#options.types.want(want);
      else if (type.namespaced && want.namespace === undefined) this.#startEverywhere(type, name, key);
      else this.#start(type, { namespace: type.namespaced ? namespace : '', name }, key);
    }
  }

  /** Keeps an object found outside all lists. Under `follows`, its type is listed and watched from now on. */
  keep(object: KubeObject): void {
    const { types, follows } = this.#options;
    const { type, namespace } = object;
    types.keep(object);
    if (follows()) types.want({ type, namespace });
  }

  /** Allows answered reads to be repeated, because answers may have changed. */
  forget(): void {
    for (const key of this.#asked) if (!this.#asking.has(key)) this.#asked.delete(key);
  }

  get areAsked(): boolean {
    return this.#asking.size > 0;
  }

  #start(type: ResourceType, place: Place, key: string): void {
    this.#answer(type, place, { key, reading: this.#read(type, place) });
  }

  #startEverywhere(type: ResourceType, name: string, key: string): void {
    const reading = this.#readNamesakes(type, name);
    this.#answer(type, { namespace: ReadScope.anyNamespace, name }, { key, reading });
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
    // Objects of a list that arrived meanwhile are newer.
    if (await types.sees(type, namespace)) return types.find(type, namespace, name);
    if (object !== undefined) this.keep(object);
    else if (follows()) types.want({ type, namespace });
    return object;
  }

  /** Lists the name only, so that the API server filters. Resolves with one of the objects. */
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
