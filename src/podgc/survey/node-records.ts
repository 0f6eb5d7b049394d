/**
 * The nodes of a cluster as PodGC's rules see them, since when, and the pods on those that aren't simply ready. Pods
 * of healthy nodes aren't kept by node: that would be every pod of the cluster.
 */

import { type KubeObject, podFacts, type Uid } from '../../model/object.ts';
import { CYCLE_MS } from './cycle.ts';
import { type Interval, orphanedAfter } from './cycle-times.ts';
import { beganAtEarliest, type NodeRecord, nodeCondition } from './node-record.ts';
import type { RemovalSign } from './node-removal.ts';
import { QUARANTINE_MS } from './quarantine.ts';
import type { Moment } from './watched.ts';

/** A node that is missing and that nobody saw go. */
interface Unseen {
  /** When it went as far as the cluster's objects tell. */
  readonly since: Interval;
  /** It was never there while somebody watched, so that only pods tell how long it may have been missing. */
  readonly neverThere: boolean;
  /** When the youngest pod on it was made: the node was there then. */
  readonly youngest: number;
}

export class NodeRecords {
  readonly #records = new Map<string, NodeRecord>();
  readonly #bound = new Map<string, Set<Uid>>();
  readonly #unseen = new Map<string, Unseen>();
  /** When nodes that are missing were registered, where that was shortly before they went. */
  readonly #reborn = new Map<string, number>();
  #signs: ReadonlyMap<string, RemovalSign>;
  /** Nodes that were missing until `until`: the quarantine that was begun then isn't forgotten when they come back. */
  readonly #missedBefore = new Map<string, { readonly from: number; readonly until: number }>();

  /** `signs`: what nodes that are gone have left, by name. */
  constructor(signs: ReadonlyMap<string, RemovalSign>) {
    this.#signs = signs;
  }

  /** Takes in what is left of nodes that nobody saw go. */
  learn(signs: ReadonlyMap<string, RemovalSign>): void {
    this.#signs = signs;
    for (const name of this.#unseen.keys()) this.#judge(name);
  }

  get(name: string): NodeRecord | undefined {
    return this.#records.get(name);
  }

  /** Nodes that aren't simply ready, with the pods on them. */
  troubled(): IterableIterator<[string, ReadonlySet<Uid>]> {
    return this.#bound.entries();
  }

  /** The pods on a node that isn't simply ready. */
  boundTo(name: string): ReadonlySet<Uid> | undefined {
    return this.#bound.get(name);
  }

  /** Takes in a node; true where it isn't simply ready any more, so that its pods have to be bound. */
  note(node: KubeObject, { now, happened, seen }: Moment): boolean {
    const { name } = node;
    const before = this.#records.get(name);
    const state = nodeCondition(node);
    if (before?.state === state) {
      if (before.node !== node) this.#records.set(name, { ...before, node });
      return false;
    }
    // The first record of a node that was found so tells nothing of its beginning but what the node says.
    const since = before === undefined ? { from: Math.min(beganAtEarliest(node), now), by: now } : happened;
    this.#records.set(name, { name, node, state, since, seen: before !== undefined && seen });
    this.#unseen.delete(name);
    if (before?.state === 'Missing') this.#missedBefore.set(name, { from: before.since.from, until: now });
    if (state === 'Ready') {
      this.#bound.delete(name);
      return false;
    }
    if (this.#bound.has(name)) return false;
    this.#bound.set(name, new Set());
    return true;
  }

  /**
   * Nobody watched until `until`, in milliseconds since the epoch: a node that was missing before and is so now may have
   * come and gone meanwhile, and the same holds for being out of service.
   */
  blur(until: number): void {
    for (const name of this.#bound.keys()) {
      const record = this.#records.get(name);
      if (record === undefined) continue;
      const since = { from: record.since.from, by: until };
      this.#records.set(name, { ...record, since, seen: false });
      const unseen = this.#unseen.get(name);
      if (unseen !== undefined) this.#unseen.set(name, { ...unseen, since: { ...unseen.since, by: until } });
    }
  }

  /** Takes in that a node is gone; true where its pods have to be bound. */
  lose(name: string, { now, happened, seen }: Moment): boolean {
    const registered = this.#records.get(name)?.node?.creationTimestamp ?? 0;
    if (now - registered < orphanedAfter(QUARANTINE_MS).latest) this.#reborn.set(name, registered);
    else this.#reborn.delete(name);
    if (seen) this.#miss({ name, since: happened, seen });
    else {
      this.#unseen.set(name, { since: happened, neverThere: false, youngest: 0 });
      this.#judge(name);
    }
    if (this.#bound.has(name)) return false;
    this.#bound.set(name, new Set());
    return true;
  }

  /** Takes in which node a pod is on. Where there is no such node, it is missing. */
  bind(pod: KubeObject, { now, happened, seen }: Moment): void {
    const name = podFacts(pod)?.nodeName ?? '';
    if (name === '') return;
    const record = this.#records.get(name);
    if (record?.state === 'Ready') return;
    this.#remember(name, pod);
    // While nobody watched, other pods may have named it.
    const made = Math.min(pod.creationTimestamp, seen ? now : happened.from);
    if (record === undefined) {
      this.#bound.set(name, new Set());
      this.#unseen.set(name, { since: { from: made, by: now }, neverThere: true, youngest: made });
    }
    this.#bound.get(name)?.add(pod.uid);
    const unseen = this.#unseen.get(name);
    if (unseen === undefined) return;
    const { since, neverThere } = unseen;
    // PodGC cannot have missed it before a pod named it.
    const from = neverThere ? Math.min(since.from, made) : since.from;
    const youngest = Math.max(unseen.youngest, made);
    if (record !== undefined && from === since.from && youngest === unseen.youngest) return;
    this.#unseen.set(name, { ...unseen, since: { ...since, from }, youngest });
    this.#judge(name);
  }

  unbind(pod: KubeObject, now: number): void {
    const name = podFacts(pod)?.nodeName ?? '';
    if (this.#bound.get(name)?.delete(pod.uid) === true) this.forgetUnnamed(name, now);
  }

  /** A node that is gone is missed only where a pod names it. */
  forgetUnnamed(name: string, now: number): void {
    const record = this.#records.get(name);
    if (record?.state !== 'Missing' || this.#bound.get(name)?.size !== 0) return;
    this.#missedBefore.set(name, { from: record.since.from, until: now });
    this.#bound.delete(name);
    this.#unseen.delete(name);
    this.#records.delete(name);
  }

  /** A pod that is older than its node was there in an earlier life of it, whose quarantine may be under way still. */
  #remember(name: string, pod: KubeObject): void {
    const record = this.#records.get(name);
    if (record?.state !== 'Missing' || pod.creationTimestamp >= (this.#reborn.get(name) ?? 0)) return;
    this.#reborn.delete(name);
    if (this.#missedBefore.has(name)) return;
    this.#records.set(name, { ...record, since: { from: 0, by: record.since.by } });
  }

  /** Since when a node is missing that nobody saw go, by everything that tells. */
  #judge(name: string): void {
    const unseen = this.#unseen.get(name);
    if (unseen === undefined) return;
    const { since, youngest } = unseen;
    const sign = this.#signs.get(name);
    // An older trace is of an earlier life.
    if (sign === undefined || sign.since.by < youngest) return this.#miss({ name, since, seen: false });
    const both = { from: Math.max(since.from, sign.since.from), by: Math.min(since.by, sign.since.by) };
    if (both.from > both.by) this.#miss({ name, since, seen: false });
    else this.#miss({ name, since: both, seen: sign.seen });
  }

  #miss({ name, since, seen }: Pick<NodeRecord, 'name' | 'since' | 'seen'>): void {
    const before = this.#missedBefore.get(name);
    const goesOn = before !== undefined && since.from - before.until <= CYCLE_MS + QUARANTINE_MS;
    const from = goesOn ? Math.min(before.from, since.from) : since.from;
    this.#records.set(name, { name, node: undefined, state: 'Missing', since: { ...since, from }, seen });
  }
}
