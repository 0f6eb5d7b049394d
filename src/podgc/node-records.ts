/**
 * The nodes of a cluster as PodGC's rules see them, since when, and the pods on those that aren't simply ready. Pods
 * of healthy nodes aren't kept by node: that would be every pod of the cluster.
 */
import type { KubeObject, Uid } from '../model/object.ts';
import { CYCLE_MS } from './cycle.ts';
import type { Span } from './cycle-times.ts';
import { beganAtEarliest, type NodeRecord, nodeState } from './node-record.ts';
import { podFacts } from './passes.ts';
import { QUARANTINE_MS } from './quarantine.ts';

/** Milliseconds by which a watch may be late. */
const LATE_MS = 1_000;

export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Since when everything has been watched without a break, so that what is new has happened after that. */
  readonly watchedSince: number;
}

export class NodeRecords {
  private readonly records = new Map<string, NodeRecord>();
  private readonly bound = new Map<string, Set<Uid>>();
  private removals: ReadonlyMap<string, Span>;
  /** Nodes that were missing until `until`: the quarantine that was begun then isn't forgotten when they come back. */
  private readonly missedBefore = new Map<string, { readonly from: number; readonly until: number }>();

  /** `removals`: when nodes that are gone were seen to go, by name. */
  constructor(removals: ReadonlyMap<string, Span>) {
    this.removals = removals;
  }

  /** Takes in when nodes went that weren't seen to go. */
  learn(removals: ReadonlyMap<string, Span>): void {
    this.removals = removals;
    for (const [name, record] of this.records) {
      const since = record.state === 'Missing' && !record.seen ? removals.get(name) : undefined;
      if (since !== undefined) this.records.set(name, { ...record, since, seen: true });
    }
  }

  get(name: string): NodeRecord | undefined {
    return this.records.get(name);
  }

  /** Nodes that aren't simply ready, with the pods on them. */
  troubled(): IterableIterator<[string, ReadonlySet<Uid>]> {
    return this.bound.entries();
  }

  /** The pods on a node that isn't simply ready. */
  boundTo(name: string): ReadonlySet<Uid> | undefined {
    return this.bound.get(name);
  }

  /** Takes in a node; true where it isn't simply ready any more, so that its pods have to be bound. */
  note(node: KubeObject, moment: Moment): boolean {
    const { name } = node;
    const before = this.records.get(name);
    const state = nodeState(node);
    if (before?.state === state) {
      if (before.node !== node) this.records.set(name, { ...before, node });
      return false;
    }
    // The first record of a node that was found so tells nothing of its beginning but what the node says.
    const since =
      before === undefined
        ? { from: Math.min(beganAtEarliest(node), moment.now), by: moment.now }
        : happened(moment);
    this.records.set(name, { name, node, state, since, seen: before !== undefined });
    if (before?.state === 'Missing')
      this.missedBefore.set(name, { from: before.since.from, until: moment.now });
    if (state === 'Ready') {
      this.bound.delete(name);
      return false;
    }
    if (this.bound.has(name)) return false;
    this.bound.set(name, new Set());
    return true;
  }

  /** Takes in that a node is gone; true where its pods have to be bound. */
  lose(name: string, moment: Moment): boolean {
    this.miss({ name, since: happened(moment), seen: true }, moment);
    if (this.bound.has(name)) return false;
    this.bound.set(name, new Set());
    return true;
  }

  /** Takes in which node a pod is on. Where there is no such node, it is missing. */
  bind(pod: KubeObject, moment: Moment): void {
    const { now } = moment;
    const name = podFacts(pod)?.nodeName ?? '';
    if (name === '') return;
    const record = this.records.get(name);
    if (record === undefined) {
      const removal = this.removals.get(name);
      // PodGC can't have missed it before a pod named it.
      const since = removal ?? { from: Math.min(pod.creationTimestamp, now), by: now };
      this.miss({ name, since, seen: removal !== undefined }, moment);
      this.bound.set(name, new Set([pod.uid]));
      return;
    }
    if (record.state === 'Ready') return;
    this.bound.get(name)?.add(pod.uid);
    if (record.seen || record.state !== 'Missing' || record.since.from <= pod.creationTimestamp) return;
    this.records.set(name, { ...record, since: { ...record.since, from: pod.creationTimestamp } });
  }

  unbind(pod: KubeObject, now: number): void {
    const name = podFacts(pod)?.nodeName ?? '';
    if (this.bound.get(name)?.delete(pod.uid) === true) this.forgetUnnamed(name, now);
  }

  /** A node that is gone is missed only where a pod names it. */
  forgetUnnamed(name: string, now: number): void {
    const record = this.records.get(name);
    if (record?.state !== 'Missing' || this.bound.get(name)?.size !== 0) return;
    this.missedBefore.set(name, { from: record.since.from, until: now });
    this.bound.delete(name);
    this.records.delete(name);
  }

  private miss({ name, since, seen }: Pick<NodeRecord, 'name' | 'since' | 'seen'>, { now }: Moment): void {
    const before = this.missedBefore.get(name);
    const goesOn = before !== undefined && now - before.until <= CYCLE_MS + QUARANTINE_MS;
    const from = goesOn ? Math.min(before.from, since.from) : since.from;
    this.records.set(name, { name, node: undefined, state: 'Missing', since: { ...since, from }, seen });
  }
}

function happened({ now, watchedSince }: Moment): Span {
  return { from: Math.min(now, Math.max(watchedSince, now - LATE_MS)), by: now };
}
