import type { GraphNode } from '../../../graph/index.ts';
import { Facts, type Uid } from '../../../model/index.ts';
import { stateWords } from '../../../text/index.ts';
import { printDot, printMermaid } from '../../documents/print/diagram.ts';
import { printDocument, printNames } from '../../documents/print/document.ts';
import { printJson } from '../../documents/print/print-json.ts';
import { printText, type TextOptions } from '../../documents/print/text.ts';
import { printYaml } from '../../documents/print/yaml.ts';
import { ownershipGraphDocument } from '../../documents/tree/ownership-graph.ts';
import { type TreeContext, treeContext } from '../../documents/tree/ownership-tree.ts';
import {
  firstPlaces,
  type Selection,
  select,
  type TreeOrder,
  topmost,
} from '../../documents/tree/selection.ts';
import type { Io } from '../../runtime/io.ts';
import { type FormatOf, isDocument } from '../../runtime/output-formats.ts';
import { columnsIn, usersIn } from '../../session/cascades.ts';
import type { ClusterSession } from '../../session/session.ts';
import { findTargets, hidesTypes, type TargetQuery, type TypeLimits } from '../../targets/targets.ts';

export interface TreeRun {
  readonly session: ClusterSession;
  readonly io: Io;
  readonly query: TargetQuery;
  readonly namespace: string | undefined;
  readonly order: TreeOrder;
  readonly limits: TreeLimits;
  readonly format: FormatOf<'tree'>;
  readonly text: TextOptions;
  readonly flat: boolean;
  /** Undefined unless users are asked for. */
  readonly users: ReadonlyMap<Uid, UsersOfObject> | undefined;
}

type UsersOfObject = NonNullable<ReturnType<TreeContext['usedBy']>>;

export function contextOf({ session, users }: Pick<TreeRun, 'session' | 'users'>): TreeContext {
  return treeContext(session.view, ({ identity }) => users?.get(identity.uid));
}

/** Reads the users of the objects in the tree. */
export function readUsers(session: ClusterSession, selection: Selection): Promise<TreeRun['users']> {
  const objects = [...firstPlaces(selection)].flatMap(({ node }) => node.object ?? []);
  return usersIn(session).byObject(objects);
}

/** Reads columns of custom resources: for `-o wide` of all, else of those whose conditions and phase say nothing. */
export function readColumns(
  session: ClusterSession,
  selection: Selection,
  { wide }: Pick<TextOptions, 'wide'>,
): ReturnType<typeof columnsIn> {
  const objects = [...firstPlaces(selection)].flatMap(({ node }) => node.object ?? []);
  return columnsIn(
    session,
    objects.filter(each => Facts.areOfState(each.type) && (wide || stateWords.isSilent(each))),
  );
}

/** Maximum number of objects to read for the lines of a batch. */
const MOST_CHANGED = 3;

/** Reads the columns of changed objects again, if there are few; the others lose them, since they may be outdated. */
export async function refreshColumns(
  { session, text }: TreeRun,
  changed: Iterable<GraphNode>,
): Promise<void> {
  const { columns } = text;
  if (columns === undefined) return;
  const objects = [...changed].flatMap(({ object }) =>
    object !== undefined && stateWords.isSilent(object) ? object : [],
  );
  for (const { uid } of objects) columns.delete(uid);
  const read = await columnsIn(session, objects.slice(0, MOST_CHANGED));
  for (const [uid, cells] of read) columns.set(uid, cells);
}

export interface TreeLimits extends TypeLimits {
  /** Levels of dependents below the targets; undefined for all. */
  readonly depth: number | undefined;
}

export function printTree(run: TreeRun, selection: Selection, widths?: readonly number[]): Iterable<string> {
  const context = contextOf(run);
  const basis = () => run.session.basis();
  if (run.flat && isDocument(run.format)) {
    const graph = ownershipGraphDocument(basis(), selection, context, run.session.now());
    return printDocument(graph, run.format);
  }
  switch (run.format) {
    case 'text':
    case 'wide':
      return printText(selection, context, run.text, widths);
    case 'json':
      return printJson(basis(), selection, context, run.session.now());
    case 'yaml':
      return printYaml(basis(), selection, context, run.session.now());
    case 'name':
      return printNames(selection, run.namespace);
    case 'dot':
      return printDot(selection, context);
    case 'mermaid':
      return printMermaid(selection, context);
  }
}

export function selectTree(
  {
    session,
    query,
    namespace,
    order,
    limits,
  }: Pick<TreeRun, 'session' | 'query' | 'namespace' | 'order' | 'limits'>,
  missing: 'fail' | 'skip',
): Selection {
  const { view } = session;
  const { graph } = view;
  const { depth } = limits;
  const targets = findTargets(view, query, namespace, missing);
  const isHidden = hidesTypes(view, limits);
  const hides = isHidden && ((node: GraphNode) => isHidden(node.identity));
  if (query.words.length > 0)
    return select(graph, targets, order, {
      depth,
      hides: hides && (node => hides(node) && !targets.has(node)),
    });
  const tops = depth === undefined ? targets : topmost(graph, targets);
  return select(graph, tops, order, { depth, hides });
}
