/** Graphviz DOT as in the collector's debug endpoint: only nodes with an owner or a dependent. */
import type { Uid } from '../model/object.ts';
import { compareBytes, type GraphNode, type Identity } from './node.ts';

interface DotVertex extends Identity {
  /** Set if an owner isn't even a virtual node in the graph. */
  readonly missing: boolean;
  readonly virtual: boolean;
  readonly beingDeleted: boolean;
  readonly deletingDependents: boolean;
}

interface DotEdge {
  readonly dependent: Uid;
  readonly owner: Uid;
}

export interface DotGraph {
  readonly vertices: readonly DotVertex[];
  readonly edges: readonly DotEdge[];
}

interface Nodes {
  get(uid: Uid): GraphNode | undefined;
  nodes(): Iterable<GraphNode>;
}

/** Returns the whole graph or, with `starts`, everything connected with these nodes in either direction. */
export function dotGraph(graph: Nodes, starts?: Iterable<Uid>): DotGraph {
  const nodes = starts === undefined ? graph.nodes() : connected(graph, starts);
  const vertices = new Map<Uid, DotVertex>();
  const references: { readonly node: GraphNode; readonly owner: Uid }[] = [];
  for (const node of nodes) {
    if (node.owners.length === 0 && node.dependents.size === 0) continue;
    vertices.set(node.uid, vertexOf(node));
    for (const owner of new Set(node.owners.map(({ uid }) => uid))) references.push({ node, owner });
  }
  for (const { node, owner } of references) {
    if (!vertices.has(owner)) vertices.set(owner, missingVertex(node, owner));
  }
  return {
    vertices: [...vertices.values()].sort((a, b) => compareBytes(a.uid, b.uid)),
    edges: references
      .map(({ node, owner }) => ({ dependent: node.uid, owner }))
      .sort((a, b) => compareBytes(a.dependent, b.dependent) || compareBytes(a.owner, b.owner)),
  };
}

/** Quotes everything from the cluster, without control characters. */
export function renderDot({ vertices, edges }: DotGraph): string {
  const numbers = new Map(vertices.map((vertex, number) => [vertex.uid, number]));
  const lines = ['strict digraph ownership {'];
  for (const [number, vertex] of vertices.entries()) {
    lines.push(`  ${number} [`);
    for (const [name, value] of attributes(vertex)) lines.push(`    ${name}=${quoted(value)}`);
    lines.push('  ];');
  }
  for (const { dependent, owner } of edges) {
    lines.push(`  ${numbers.get(dependent) ?? ''} -> ${numbers.get(owner) ?? ''};`);
  }
  lines.push('}');
  return `${lines.join('\n')}\n`;
}

function attributes(vertex: DotVertex): [string, string][] {
  const { apiVersion, kind, namespace, name, uid } = vertex;
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return [
    ['label', `${kind} ${place}\nuid ${uid}${flags(vertex)}`],
    ['apiVersion', apiVersion],
    ['kind', kind],
    ['namespace', namespace],
    ['name', name],
    ['uid', uid],
    ['missing', String(vertex.missing)],
    ['virtual', String(vertex.virtual)],
    ['beingDeleted', String(vertex.beingDeleted)],
    ['deletingDependents', String(vertex.deletingDependents)],
  ];
}

function flags(vertex: DotVertex): string {
  const words: string[] = [];
  if (vertex.missing) words.push('missing');
  if (vertex.virtual) words.push('virtual');
  if (vertex.beingDeleted) words.push('being deleted');
  if (vertex.deletingDependents) words.push('deleting dependents');
  return words.length === 0 ? '' : `\n${words.join(', ')}`;
}

function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll(/\p{Cc}/gu, '');
  return `"${escaped}"`;
}

function vertexOf(node: GraphNode): DotVertex {
  const { virtual, beingDeleted, deletingDependents } = node;
  return { ...node.identity, missing: false, virtual, beingDeleted, deletingDependents };
}

function missingVertex(node: GraphNode, uid: Uid): DotVertex {
  const reference = node.owners.find(owner => owner.uid === uid);
  return {
    apiVersion: reference?.apiVersion ?? '',
    kind: reference?.kind ?? '',
    namespace: node.identity.namespace,
    name: reference?.name ?? '',
    uid,
    missing: true,
    virtual: false,
    beingDeleted: false,
    deletingDependents: false,
  };
}

function connected(graph: Nodes, starts: Iterable<Uid>): Iterable<GraphNode> {
  const seen = new Set<GraphNode>();
  const waiting = [...starts];
  for (let uid = waiting.pop(); uid !== undefined; uid = waiting.pop()) {
    const node = graph.get(uid);
    if (node === undefined || seen.has(node)) continue;
    seen.add(node);
    for (const owner of node.owners) waiting.push(owner.uid);
    for (const dependent of node.dependents) waiting.push(dependent.uid);
  }
  return seen;
}
