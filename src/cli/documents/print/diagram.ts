/** The tree as a Graphviz or Mermaid diagram with edges from owners to dependents, and fates of a forecast. */
import { DeletionState, type OwnerStatus } from '../../../collector/index.ts';
import type { GraphNode } from '../../../graph/index.ts';
import { objectIds, objectTitle, showHidden } from '../../../model/index.ts';
import { type Fate, Fates } from '../../../text/index.ts';
import { type TreeContext, treeIdentity } from '../tree/ownership-tree.ts';
import { firstPlaces, type Selection } from '../tree/selection.ts';

type FateKind = Fate['kind'];

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly blocks: boolean;
  readonly status: OwnerStatus;
}

/** Made-up ids (`n1`), because names and uids come from the cluster and may be anything. */
class Ids {
  readonly #ids = new Map<GraphNode, string>();

  of(node: GraphNode): string {
    let id = this.#ids.get(node);
    if (id === undefined) {
      id = `n${this.#ids.size + 1}`;
      this.#ids.set(node, id);
    }
    return id;
  }
}

function* edgesOf(ids: Ids, selection: Selection, context: TreeContext, node: GraphNode): Generator<Edge> {
  for (const reference of node.owners) {
    const owner = context.graph.get(reference.uid);
    if (owner === undefined || !selection.has(owner)) continue;
    yield {
      from: ids.of(owner),
      to: ids.of(node),
      blocks: reference.blockOwnerDeletion === true,
      status: context.ownerStanding(node, reference).status,
    };
  }
}

/** Quotes one line per text, with HTML entities, which Graphviz decodes. */
function dotString(...lines: readonly string[]): string {
  const escaped = lines.map(text =>
    showHidden(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('&', '&amp;'),
  );
  return `"${escaped.join('\\n')}"`;
}

const dotFates: Readonly<Record<FateKind, string>> = {
  deleted: 'color=red, fontcolor=red, style=dashed',
  deletedThen: 'color=red, fontcolor=red, style=dashed',
  waiting: 'color=orange, style=bold',
  stuck: 'color=orange, style=bold',
  uncertain: 'color=orange, style=dotted',
  altered: 'color=blue',
  refused: 'color=orange',
  assumed: 'color=blue, style=dotted',
  broken: 'color=red, style=dotted',
};

/** Prints Graphviz: virtual nodes dashed, deleting ones red, edges that block their owner's deletion bold. */
export function* printDot(selection: Selection, context: TreeContext, fates?: Fates): Generator<string> {
  const ids = new Ids();
  yield 'digraph "gc-tree" {\n  rankdir=LR;\n  node [shape=box, fontname="sans-serif"];\n';
  for (const { node } of firstPlaces(selection)) {
    const state = DeletionState.of(node);
    const uid = objectIds.shown(node.identity.uid);
    const fate = fates?.of(node.uid);
    const title = objectTitle(treeIdentity(context, node));
    const attributes = [
      `label=${fate === undefined ? dotString(title) : dotString(title, fate.words)}`,
      `tooltip=${dotString(`${node.identity.apiVersion}, ${uid === '' ? '' : `uid ${uid}, `}${state}`)}`,
      ...dotLook(state, fate, fates),
    ];
    yield `  ${ids.of(node)} [${attributes.join(', ')}];\n`;
    for (const edge of edgesOf(ids, selection, context, node)) {
      const styles = [
        ...(edge.blocks ? ['style=bold'] : []),
        ...(edge.status === 'Solid' ? [] : [`label=${dotString(edge.status)}`]),
      ];
      yield `  ${edge.from} -> ${edge.to}${styles.length === 0 ? '' : ` [${styles.join(', ')}]`};\n`;
    }
    for (const [index, ghost] of (fates?.ghosts.get(node.uid) ?? []).entries()) {
      const id = `${ids.of(node)}_${index}`;
      yield `  ${id} [label=${dotString(Fates.ghostTitle(ghost))}, color=darkgreen, style=dashed];\n  ${ids.of(node)} -> ${id};\n`;
    }
  }
  yield '}\n';
}

function dotLook(state: DeletionState, fate: Fate | undefined, fates: Fates | undefined): string[] {
  if (fate !== undefined) return [dotFates[fate.kind]];
  if (state === 'Virtual') return ['style=dashed'];
  return state === 'Live' || fates !== undefined ? [] : ['color=red'];
}

/** Encodes every character with a meaning in Mermaid or HTML as its number. */
function mermaidText(text: string): string {
  return showHidden(text).replace(/[^\p{L}\p{N} ./:_-]/gu, each => `#${each.codePointAt(0) ?? 0};`);
}

const mermaidFates: Readonly<Record<FateKind, string>> = {
  deleted: 'stroke:#c00,color:#c00,stroke-dasharray:4',
  deletedThen: 'stroke:#c00,color:#c00,stroke-dasharray:4',
  waiting: 'stroke:#e80,stroke-width:3px',
  stuck: 'stroke:#e80,stroke-width:3px',
  uncertain: 'stroke:#e80,stroke-dasharray:2',
  altered: 'stroke:#06c',
  refused: 'stroke:#e80',
  assumed: 'stroke:#06c,stroke-dasharray:2',
  broken: 'stroke:#c00,stroke-dasharray:2',
};

/** Prints Mermaid: virtual nodes rounded, edges that block their owner's deletion thick. */
export function* printMermaid(selection: Selection, context: TreeContext, fates?: Fates): Generator<string> {
  const ids = new Ids();
  yield 'flowchart LR\n';
  for (const { node } of firstPlaces(selection)) {
    const id = ids.of(node);
    const fate = fates?.of(node.uid);
    const words = fate === undefined ? '' : `<br/>${mermaidText(fate.words)}`;
    const label = `"${mermaidText(objectTitle(treeIdentity(context, node)))}${words}"`;
    yield `  ${id}${node.virtual ? `([${label}])` : `[${label}]`}\n`;
    if (fate !== undefined) yield `  style ${id} ${mermaidFates[fate.kind]}\n`;
    for (const edge of edgesOf(ids, selection, context, node)) {
      const arrow = edge.blocks ? '==>' : '-->';
      const label = edge.status === 'Solid' ? '' : `|${edge.status}|`;
      yield `  ${edge.from} ${arrow}${label} ${edge.to}\n`;
    }
    for (const [index, ghost] of (fates?.ghosts.get(node.uid) ?? []).entries())
      yield `  ${id} -.-> ${id}_${index}(["${mermaidText(Fates.ghostTitle(ghost))}"])\n`;
  }
}
