/** Owner cycles. A cycle without an outside owner has no top, so one of its members must stand for it. */
import type { GraphNode } from './node.ts';

export interface Cycle {
  readonly members: readonly GraphNode[];
  readonly topLevel: boolean;
}

interface Visit {
  readonly node: GraphNode;
  readonly owners: readonly GraphNode[];
  next: number;
  readonly order: number;
  low: number;
  onStack: boolean;
}

/** Returns the cycles in and above `starts` (Tarjan's strongly connected components, without recursion). */
export function cyclesAbove(
  starts: Iterable<GraphNode>,
  ownersOf: (node: GraphNode) => readonly GraphNode[],
): Cycle[] {
  const visits = new Map<GraphNode, Visit>();
  const component: Visit[] = [];
  const path: Visit[] = [];
  const cycles: Cycle[] = [];

  const enter = (node: GraphNode): void => {
    const order = visits.size;
    const visit = { node, owners: ownersOf(node), next: 0, order, low: order, onStack: true };
    visits.set(node, visit);
    component.push(visit);
    path.push(visit);
  };

  for (const start of starts) {
    if (visits.has(start)) continue;
    enter(start);
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const owner = visit.owners[visit.next];
      if (owner !== undefined) {
        visit.next += 1;
        const seen = visits.get(owner);
        if (seen === undefined) enter(owner);
        else if (seen.onStack) visit.low = Math.min(visit.low, seen.order);
        continue;
      }
      path.pop();
      const below = path.at(-1);
      if (below !== undefined) below.low = Math.min(below.low, visit.low);
      if (visit.low === visit.order) {
        const members = component.splice(component.lastIndexOf(visit));
        for (const member of members) member.onStack = false;
        const cycle = asCycle(members);
        if (cycle !== undefined) cycles.push(cycle);
      }
    }
  }
  return cycles;
}

function asCycle(visits: readonly Visit[]): Cycle | undefined {
  const [first] = visits;
  if (first === undefined) return undefined;
  if (visits.length === 1 && !first.owners.includes(first.node)) return undefined;
  const members = new Set(visits.map(({ node }) => node));
  const topLevel = visits.every(({ owners }) => owners.every(owner => members.has(owner)));
  return { members: [...members], topLevel };
}
