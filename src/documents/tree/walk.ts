/**
 * The order in which a tree is written: depth first, every object in full at its first place and as a leaf at
 * any other. One walk for all formats, so that they show the same tree.
 */
import type { GraphNode } from '../../graph/node.ts';
import type { Selection } from './selection.ts';

export interface TreePosition {
  readonly node: GraphNode;
  /** The owner below which it stands; undefined for a root. */
  readonly parent: TreePosition | undefined;
  /** 0 for a root. */
  readonly depth: number;
  /** It is the last of its siblings. */
  readonly last: boolean;
  /** It stands in full at an earlier place. */
  readonly seeAlso: boolean;
  /** It is one of its own owners upwards: here a cycle closes. Always a `seeAlso` too. */
  readonly cycle: boolean;
  /** A target, and not only an owner or dependent of one. */
  readonly selected: boolean;
}

export type Visit =
  | { readonly at: 'enter'; readonly place: TreePosition }
  /** After the last of its dependents. */
  | { readonly at: 'leave'; readonly place: TreePosition };

interface Level {
  readonly place: TreePosition | undefined;
  readonly nodes: readonly GraphNode[];
  next: number;
}

/** Iterative, so that ownership may be deeper than the call stack. The graph must not change meanwhile. */
export function* walk(selection: Selection): Generator<Visit, void> {
  const placed = new Set<GraphNode>();
  const path = new Set<GraphNode>();
  const levels: Level[] = [{ place: undefined, nodes: selection.roots, next: 0 }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const node = level.nodes[level.next];
    if (node === undefined) {
      levels.pop();
      if (level.place !== undefined) {
        path.delete(level.place.node);
        yield { at: 'leave', place: level.place };
      }
      continue;
    }
    level.next += 1;
    const place: TreePosition = {
      node,
      parent: level.place,
      depth: levels.length - 1,
      last: level.next === level.nodes.length,
      seeAlso: placed.has(node),
      cycle: path.has(node),
      selected: selection.isTarget(node),
    };
    yield { at: 'enter', place };
    if (place.seeAlso) {
      yield { at: 'leave', place };
      continue;
    }
    placed.add(node);
    path.add(node);
    levels.push({ place, nodes: selection.children(node), next: 0 });
  }
}

/** Each selected node once, at its first place. */
export function* firstPlaces(selection: Selection): Generator<TreePosition, void> {
  for (const step of walk(selection)) if (step.at === 'enter' && !step.place.seeAlso) yield step.place;
}
