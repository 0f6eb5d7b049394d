/** The tree as a diagram for Graphviz or Mermaid: an edge runs from an owner to its dependent. */
import { deletionState, type OwnerStatus } from '../../collector/verdict.ts';
import type { GraphNode } from '../../graph/node.ts';
import { shownUid } from '../../model/object-id.ts';
import { showHidden } from '../../model/text/shown.ts';
import { objectTitle } from '../../model/text/titles.ts';
import { type TreeContext, treeIdentity } from '../tree/ownership-tree.ts';
import { firstPlaces, type Selection } from '../tree/selection.ts';

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly blocks: boolean;
  readonly status: OwnerStatus;
}

/** Ids of our own (`n1`): names and uids come from the cluster and could be anything. */
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

function dotString(text: string): string {
  return `"${showHidden(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Graphviz. Virtual nodes are dashed, deleting ones red; an edge that blocks its owner's deletion is bold. */
export function* printDot(selection: Selection, context: TreeContext): Generator<string> {
  const ids = new Ids();
  yield 'digraph "gc-tree" {\n  rankdir=LR;\n  node [shape=box, fontname="sans-serif"];\n';
  for (const { node } of firstPlaces(selection)) {
    const state = deletionState(node);
    const uid = shownUid(node.identity.uid);
    const attributes = [
      `label=${dotString(objectTitle(treeIdentity(context, node)))}`,
      `tooltip=${dotString(`${node.identity.apiVersion}, ${uid === '' ? '' : `uid ${uid}, `}${state}`)}`,
      ...(state === 'Virtual' ? ['style=dashed'] : state === 'Live' ? [] : ['color=red']),
    ];
    yield `  ${ids.of(node)} [${attributes.join(', ')}];\n`;
    for (const edge of edgesOf(ids, selection, context, node)) {
      const styles = [
        ...(edge.blocks ? ['style=bold'] : []),
        ...(edge.status === 'Solid' ? [] : [`label=${dotString(edge.status)}`]),
      ];
      yield `  ${edge.from} -> ${edge.to}${styles.length === 0 ? '' : ` [${styles.join(', ')}]`};\n`;
    }
  }
  yield '}\n';
}

/** Every character that could mean something to Mermaid or HTML is written as its number. */
function mermaidText(text: string): string {
  return showHidden(text).replace(/[^\p{L}\p{N} ./:_-]/gu, each => `#${each.codePointAt(0) ?? 0};`);
}

/** Mermaid. Virtual nodes are rounded; a thick edge blocks its owner's deletion. */
export function* printMermaid(selection: Selection, context: TreeContext): Generator<string> {
  const ids = new Ids();
  yield 'flowchart LR\n';
  for (const { node } of firstPlaces(selection)) {
    const label = `"${mermaidText(objectTitle(treeIdentity(context, node)))}"`;
    yield `  ${ids.of(node)}${node.virtual ? `([${label}])` : `[${label}]`}\n`;
    for (const edge of edgesOf(ids, selection, context, node)) {
      const arrow = edge.blocks ? '==>' : '-->';
      const label = edge.status === 'Solid' ? '' : `|${edge.status}|`;
      yield `  ${edge.from} ${arrow}${label} ${edge.to}\n`;
    }
  }
}
