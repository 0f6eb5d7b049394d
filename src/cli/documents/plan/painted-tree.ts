/** A forecast painted on the tree: affected objects with owners, dependents and fates (`text/plan/fate-words.ts`). */
import type { Forecast } from '../../../forecast/index.ts';
import type { GraphNode } from '../../../graph/index.ts';
import { formatCount, objectTitle, objectTitleIn, type Uid } from '../../../model/index.ts';
import {
  countWords,
  displayWidth,
  type Fate,
  Fates,
  type Ghost,
  type Glyphs,
  type TextLine,
} from '../../../text/index.ts';
import { byNamespaceAndKind, type NodeLookup, type Selection, select } from '../tree/selection.ts';

export interface PaintedTreeOptions {
  readonly glyphs: Glyphs;
  /** Gives every object a row; otherwise objects with one fate are counted after the first few. */
  readonly wide: boolean;
}

/** Rows of siblings with one kind and fate before the rest are counted. */
const ALIKE = 10;
/** Columns of the widest tree whose words are aligned. */
const WIDEST = 56;
/** Depth from which rows show their level instead of more indentation. */
const DEEPEST = 20;

export interface PaintedTree {
  readonly graph: NodeLookup;
  readonly selection: Selection;
  readonly fates: Fates;
}

/** Selects the targets and all objects in the forecast, with owners and dependents. */
export function paintTree(graph: NodeLookup, forecast: Forecast): PaintedTree {
  const fates = Fates.of(forecast);
  const nodes = [...forecast.action.targets, ...fates.objects].flatMap(({ uid }) => graph.get(uid) ?? []);
  return { graph, selection: select(graph, nodes, byNamespaceAndKind), fates };
}

interface Row {
  readonly lead: string;
  readonly title: string;
  readonly fate: Fate | undefined;
  /** Replaces the fate's words: `(see above)`, or those of a ghost or a count. */
  readonly words?: string;
  readonly ghost?: boolean;
}

export function* paintedLines(tree: PaintedTree, options: PaintedTreeOptions): Generator<TextLine> {
  const rows = [...rowsOf(tree, options)];
  const width = Math.min(
    WIDEST,
    rows.reduce((widest, { lead, title }) => Math.max(widest, displayWidth(lead + title)), 0),
  );
  for (const row of rows) yield rowLine(row, width);
}

function rowLine({ lead, title, fate, words, ghost }: Row, width: number): TextLine {
  const sign = ghost === true ? Fates.ghostSign : fate === undefined ? ' ' : Fates.signs[fate.kind];
  const style = ghost === true ? 'ghost' : fate === undefined ? 'plain' : Fates.styles[fate.kind];
  const anyway = fate?.anyway === true ? ', with or without an action' : '';
  const said = words ?? (fate === undefined ? '' : `${fate.words}${anyway}`);
  const gap = ' '.repeat(Math.max(2, width - displayWidth(lead + title) + 2));
  return {
    spans: [
      { text: `${sign} `, style: style === 'struck' ? 'danger' : style },
      { text: lead, style: 'muted' },
      { text: title, style: fate?.anyway === true ? 'muted' : style },
      ...(said === '' ? [] : [{ text: gap + said, style: 'muted' as const }]),
    ],
    indent: Math.min(width, 24) + 4,
  };
}

interface Level {
  readonly siblings: readonly Sibling[];
  readonly lead: string;
  next: number;
}

/** A node, or a row without one: a count, or a created object with what it creates. */
type Sibling = { readonly node: GraphNode; readonly parent: GraphNode | undefined } | Beside;

interface Beside extends Omit<Row, 'lead'> {
  readonly below?: readonly Beside[];
}

/** Iterates, because ownership may be deeper than the call stack. */
function* rowsOf(tree: PaintedTree, options: PaintedTreeOptions): Generator<Row> {
  const { selection, fates } = tree;
  const { branch, lastBranch, through, blank } = options.glyphs;
  const placed = new Set<GraphNode>();
  const siblingsOf = (nodes: readonly GraphNode[], parent: GraphNode | undefined): Sibling[] => [
    ...foldAlike(nodes, tree, options.wide).map(each => ('uid' in each ? { node: each, parent } : each)),
    ...ghostsBelow(parent?.uid, tree),
  ];
  const levels: Level[] = [{ siblings: siblingsOf(selection.roots, undefined), lead: '', next: 0 }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const sibling = level.siblings[level.next];
    if (sibling === undefined) {
      levels.pop();
      continue;
    }
    level.next += 1;
    const depth = levels.length - 1;
    const last = level.next === level.siblings.length;
    const lead =
      depth === 0 ? '' : depth > DEEPEST ? `(${depth}) ` : level.lead + (last ? lastBranch : branch);
    const inner = depth === 0 ? '' : level.lead + (last ? blank : through);
    if (!('node' in sibling)) {
      yield { ...sibling, lead };
      levels.push({ siblings: sibling.below ?? [], lead: inner, next: 0 });
      continue;
    }
    const { node, parent } = sibling;
    const title =
      parent === undefined
        ? objectTitle(node.identity)
        : objectTitleIn(node.identity, parent.identity.namespace);
    const fate = fates.of(node.uid);
    if (placed.has(node)) {
      yield { lead, title, fate, words: '(see above)' };
      continue;
    }
    placed.add(node);
    yield {
      lead,
      title,
      fate,
      ...(fate === undefined ? { words: node.virtual ? 'not there' : 'stays' } : {}),
    };
    levels.push({ siblings: siblingsOf(selection.children(node), node), lead: inner, next: 0 });
  }
}

/** Counts leaves of one kind and fate after the first few. */
function foldAlike(
  nodes: readonly GraphNode[],
  { selection, fates }: PaintedTree,
  wide: boolean,
): (GraphNode | Beside)[] {
  if (wide || nodes.length <= ALIKE) return [...nodes];
  const alike = Map.groupBy(nodes, node => {
    const fate = fates.of(node.uid);
    const leaf = selection.children(node).length === 0 && !fates.ghosts.has(node.uid);
    return leaf ? `${node.identity.apiVersion} ${node.identity.kind} ${fate?.kind} ${fate?.words}` : node.uid;
  });
  return [...alike.values()].flatMap((group): (GraphNode | Beside)[] => {
    const [first] = group;
    if (first === undefined || group.length <= ALIKE) return group;
    const title = `and ${formatCount(group.length - ALIKE + 1)} more ${countWords.plural(first.identity.kind, 2)}`;
    return [...group.slice(0, ALIKE - 1), { title, fate: fates.of(first.uid) }];
  });
}

/** Returns created objects below their controller; at the end if the controller isn't in the tree. */
function ghostsBelow(parent: Uid | undefined, tree: PaintedTree): Beside[] {
  if (parent !== undefined) return (tree.fates.ghosts.get(parent) ?? []).map(each => ghostRow(each, ''));
  return ghostsElsewhere(tree).map(each =>
    ghostRow(each, each.by === undefined ? '' : `, by ${objectTitle(each.by)}`),
  );
}

function ghostRow(ghost: Ghost, creator: string): Beside {
  return {
    title: Fates.ghostTitle(ghost),
    fate: undefined,
    words: `created${creator}`,
    ghost: true,
    below: ghost.below.map(each => ghostRow(each, '')),
  };
}

function ghostsElsewhere({ graph, selection, fates }: PaintedTree): readonly Ghost[] {
  return [...fates.ghosts].flatMap(([uid, ghosts]) => {
    const node = uid === '' ? undefined : graph.get(uid);
    return node !== undefined && selection.has(node) ? [] : ghosts;
  });
}
