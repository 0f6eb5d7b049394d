/** Adds rows for a painted forecast: objects to be created, and objects deleted since. */
import { compareNodes, type GraphChanges, type GraphNode } from '../../graph/index.ts';
import { getOrInsert, type KubeObject, type Uid } from '../../model/index.ts';
import { Arrivals } from './arrivals.ts';
import type { GhostRow, Painting, Progress } from './painting.ts';

interface Before {
  readonly owners: readonly Uid[];
  readonly wasDeleting: boolean;
  readonly object: KubeObject;
}

interface Lookup {
  get(uid: Uid): GraphNode | undefined;
}

export class RowsBeside {
  readonly #graph: Lookup;
  readonly #inScope: (node: GraphNode) => boolean;
  readonly #before = new Map<Uid, Before>();
  /** Deleted objects by uid, as last seen or as references still name them; a bare name keeps the object's place. */
  readonly #gone = new Map<Uid, GraphNode>();
  readonly #changedAt = new Map<Uid, number>();
  readonly #progress = new Map<Uid, Progress>();
  #ghosts = new Map<Uid, GhostRow>();
  /** Set while the action runs. */
  #arrivals: Arrivals | undefined;
  #children = new Map<Uid, GraphNode[]>();
  #roots: GraphNode[] = [];
  #changedRoots = new Set<GraphNode>();
  #merged: { readonly of: readonly GraphNode[]; readonly roots: readonly GraphNode[] } | undefined;

  constructor(graph: Lookup, inScope: (node: GraphNode) => boolean) {
    this.#graph = graph;
    this.#inScope = inScope;
  }

  /** Shows another forecast's ghosts, keeping deleted rows. */
  paint({ ghosts, objects }: Painting): void {
    this.#ghosts = new Map(ghosts.map(each => [each.node.uid, each]));
    if (this.#arrivals !== undefined) this.#arrivals = new Arrivals(this.#graph, ghosts, this.#arrivals);
    for (const { uid } of objects) {
      const node = this.#graph.get(uid);
      if (node?.object === undefined || this.#before.has(uid)) continue;
      this.#before.set(uid, {
        owners: node.owners.map(owner => owner.uid),
        wasDeleting: node.beingDeleted,
        object: node.object,
      });
    }
    this.#place();
  }

  /** Matches arrivals with the forecast from now on. */
  begin(): void {
    this.#arrivals ??= new Arrivals(this.#graph, [...this.#ghosts.values()]);
  }

  version = 0;

  /** Applies graph changes before the rows do. Returns arrivals in place of ghosts. */
  apply({ touched, removed }: GraphChanges, now: number): readonly GraphNode[] {
    this.version += 1;
    const came = this.#arrivals?.take(touched) ?? [];
    for (const { uid } of came) this.#changedAt.set(uid, now);
    for (const [uid, ghost] of this.#ghosts)
      if (this.#arrivals?.leftOf(ghost) === 0) this.#ghosts.delete(uid);
    const gone = this.#gone;
    for (const node of removed)
      if (this.#before.has(node.uid)) gone.set(node.uid, this.#graph.get(node.uid) ?? node);
    let moved = gone.size > 0 || came.length > 0;
    for (const node of touched) {
      if (!this.#before.has(node.uid)) continue;
      if (node.virtual) gone.set(node.uid, node);
      else if (gone.delete(node.uid)) moved = true;
    }
    for (const node of [...removed, ...touched]) {
      const progress = this.progressOf(node);
      if (progress === (this.#progress.get(node.uid) ?? 'before')) continue;
      this.#progress.set(node.uid, progress);
      this.#changedAt.set(node.uid, now);
    }
    if (moved || gone.size > 0) this.#place();
    return came;
  }

  get rootNodes(): readonly GraphNode[] {
    return this.#roots;
  }

  /** Lists owners with added rows below them. */
  owners(): readonly GraphNode[] {
    return [...this.#children.keys()].flatMap(uid => this.#graph.get(uid) ?? []);
  }

  below(owner: Uid): readonly GraphNode[] {
    return this.#children.get(owner) ?? [];
  }

  ghost(uid: Uid): GhostRow | undefined {
    return this.#ghosts.get(uid);
  }

  leftOf(ghost: GhostRow): number {
    return this.#arrivals?.leftOf(ghost) ?? ghost.count;
  }

  hasCome(uid: Uid): boolean {
    return this.#arrivals?.has(uid) === true;
  }

  progressOf(node: GraphNode): Progress {
    const before = this.#before.get(node.uid);
    if (before === undefined) return 'before';
    if (node.object === undefined || this.#gone.has(node.uid)) return 'gone';
    if (node.beingDeleted && !before.wasDeleting) return 'deleting';
    const isSame = node.object === before.object || tiesOf(node.object) === tiesOf(before.object);
    return isSame ? 'before' : 'altered';
  }

  changedAt(uid: Uid): number | undefined {
    return this.#changedAt.get(uid);
  }

  /** Returns undefined for rows that the graph places. */
  isRoot(node: GraphNode): boolean | undefined {
    const isPlaced = this.#gone.get(node.uid) === node || this.#ghosts.has(node.uid);
    return isPlaced ? this.#roots.includes(node) : undefined;
  }

  takeChangedRoots(): Iterable<GraphNode> {
    const changed = this.#changedRoots;
    this.#changedRoots = new Set();
    return changed;
  }

  /** Merges roots; the array changes only with its parts. */
  roots(of: readonly GraphNode[]): readonly GraphNode[] {
    if (this.#roots.length + this.#gone.size === 0) return of;
    if (this.#merged?.of !== of) {
      const there = of.filter(node => this.isRoot(node) === undefined);
      this.#merged = { of, roots: merged(there, this.#roots) };
    }
    return this.#merged.roots;
  }

  children(node: GraphNode, of: (node: GraphNode) => readonly GraphNode[]): readonly GraphNode[] {
    const beside = this.#children.get(node.uid);
    const there = this.#graph.get(node.uid) === undefined ? [] : of(node);
    return beside === undefined ? there : merged(there, beside);
  }

  #place(): void {
    const before = this.#roots;
    this.#children = new Map();
    this.#roots = [];
    this.#merged = undefined;
    const isShown = (uid: Uid): boolean => {
      const node = this.#graph.get(uid);
      if (this.#gone.has(uid) || this.#ghosts.has(uid)) return true;
      return node !== undefined && this.#inScope(node);
    };
    for (const node of this.#gone.values()) this.#changedRoots.add(node);
    const put = (node: GraphNode, owners: readonly Uid[]): void => {
      const shown = owners.filter(isShown);
      if (shown.length === 0) this.#roots.push(node);
      for (const owner of shown) getOrInsert(this.#children, owner, () => []).push(node);
    };
    for (const [uid, node] of this.#gone) put(node, this.#before.get(uid)?.owners ?? []);
    for (const { node, owner } of this.#ghosts.values()) {
      // `elsewhereWords` counts those of controllers out of scope.
      if (node.identity.namespace !== '' && !this.#inScope(node)) continue;
      const creator = this.#arrivals?.inPlaceOf(owner) ?? owner;
      put(node, creator === '' ? [] : [creator]);
    }
    for (const node of [...before, ...this.#roots]) this.#changedRoots.add(node);
  }
}

function merged(there: readonly GraphNode[], beside: readonly GraphNode[]): readonly GraphNode[] {
  const known = new Set(there.map(({ uid }) => uid));
  const more = beside.filter(({ uid }) => !known.has(uid));
  if (more.length === 0) return there;
  const sorted = more.toSorted(inOrder);
  const out: GraphNode[] = [];
  let next = 0;
  for (const node of there) {
    for (let each = sorted[next]; each !== undefined && inOrder(each, node) < 0; each = sorted[++next])
      out.push(each);
    out.push(node);
  }
  return [...out, ...sorted.slice(next)];
}

/** Sorts ghosts behind existing objects. */
function inOrder(a: GraphNode, b: GraphNode): number {
  const [x, y] = [isComing(a), isComing(b)];
  return x === y ? compareNodes(a, b) : x ? 1 : -1;
}

function isComing({ uid }: GraphNode): boolean {
  return uid.startsWith('new/');
}

function tiesOf({ owners, finalizers }: KubeObject): string {
  return JSON.stringify([owners, finalizers]);
}
