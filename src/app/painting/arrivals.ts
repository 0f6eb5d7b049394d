/** Matches new objects with the forecast's ghosts, from the moment that the action is sent. */
import type { GraphNode } from '../../graph/index.ts';
import type { Uid } from '../../model/index.ts';
import type { GhostRow } from './painting.ts';

interface Lookup {
  get(uid: Uid): GraphNode | undefined;
}

export class Arrivals {
  readonly #graph: Lookup;
  /** Keyed by the uid of the creating controller or ghost. */
  readonly #ghosts: ReadonlyMap<Uid | '', readonly GhostRow[]>;
  readonly #before = new Set<Uid>();
  /** Ghosts by the objects in their place. */
  readonly #came: Map<Uid, Uid>;
  readonly #left = new Map<Uid, number>();

  /** `before`: arrivals under an earlier forecast of this action. */
  constructor(graph: Lookup, ghosts: readonly GhostRow[], before?: Arrivals) {
    this.#graph = graph;
    this.#ghosts = Map.groupBy(ghosts, ({ owner }) => owner);
    this.#came = new Map(before?.uids().map(uid => [uid, '' as Uid]));
    for (const { owner, node, count } of ghosts) {
      this.#left.set(node.uid, count);
      const dependents = owner === '' ? [] : (graph.get(owner)?.dependents ?? []);
      for (const { uid } of dependents) this.#before.add(uid);
    }
  }

  take(touched: Iterable<GraphNode>): readonly GraphNode[] {
    const open = [...touched];
    const came: GraphNode[] = [];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      const ghost = this.#ghostFor(node);
      if (ghost === undefined) continue;
      this.#came.set(node.uid, ghost);
      this.#left.set(ghost, (this.#left.get(ghost) ?? 0) - 1);
      came.push(node);
      // Objects that it created may have been seen first.
      open.push(...node.dependents);
    }
    return came;
  }

  #ghostFor({ uid, object, beingDeleted, owners }: GraphNode): Uid | undefined {
    if (object === undefined || beingDeleted || this.#before.has(uid) || this.#came.has(uid))
      return undefined;
    const isOpen = (each: GhostRow): boolean => each.kind === object.type.kind && this.leftOf(each) > 0;
    for (const owner of owners) {
      const places = this.#ghosts.get(this.#came.get(owner.uid) ?? owner.uid) ?? [];
      const place = places.find(isOpen);
      if (place !== undefined) return place.node.uid;
    }
    const { namespace, name } = object;
    const isNamed = ({ named }: GhostRow): boolean =>
      named.some(each => each.namespace === namespace && each.name === name);
    return this.#ghosts.get('')?.find(each => isOpen(each) && isNamed(each))?.node.uid;
  }

  leftOf({ node }: GhostRow): number {
    return this.#left.get(node.uid) ?? 0;
  }

  has(uid: Uid): boolean {
    return this.#came.has(uid);
  }

  /** Returns the object in place of a used-up ghost. */
  inPlaceOf(ghost: Uid | ''): Uid | undefined {
    if (ghost === '' || this.#left.get(ghost) !== 0) return undefined;
    for (const [uid, place] of this.#came)
      if (place === ghost && this.#graph.get(uid) !== undefined) return uid;
    return undefined;
  }

  uids(): readonly Uid[] {
    return [...this.#came.keys()];
  }
}
