/** One run of `tree`: what was asked for, and its pieces of output in each format. */
import { basisOf } from '../../../documents/basis.ts';
import { printDocumentJson, printDocumentYaml } from '../../../documents/plan/print.ts';
import { printDot, printMermaid } from '../../../documents/print/diagram.ts';
import { printJson } from '../../../documents/print/json.ts';
import { printNames } from '../../../documents/print/names.ts';
import { printText, type TextOptions } from '../../../documents/print/text.ts';
import { printYaml } from '../../../documents/print/yaml.ts';
import { ownershipGraphDocument } from '../../../documents/tree/ownership-graph.ts';
import { treeContext } from '../../../documents/tree/ownership-tree.ts';
import { type NodeOrder, type Selection, select } from '../../../documents/tree/selection.ts';
import { polledWords, unseenWords } from '../../../text/connection/unseen.ts';
import type { TreeFormat } from '../../output/format.ts';
import type { Io } from '../../runtime/io.ts';
import type { ClusterSession } from '../../session/session.ts';
import { findTargets, type TargetQuery } from '../../targets/targets.ts';

/** One run of the command: what to show, and how. */
export interface TreeRun {
  readonly session: ClusterSession;
  readonly io: Io;
  readonly query: TargetQuery;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  readonly order: NodeOrder;
  readonly format: TreeFormat;
  readonly text: TextOptions;
  /** Documents alone: nodes and edges in place of trees. */
  readonly flat: boolean;
}

/** The pieces of the output in the run's format. */
export function printTree(run: TreeRun, selection: Selection, widths?: readonly number[]): Iterable<string> {
  const context = treeContext(run.session.view);
  const basis = () => basisOf(run.session.source.info, run.session.view, run.session.now());
  const graph = () => ownershipGraphDocument(basis(), selection, context, run.session.now());
  switch (run.format) {
    case 'text':
    case 'wide':
      return printText(selection, context, run.text, widths);
    case 'json':
      if (run.flat) return printDocumentJson(graph());
      return printJson(basis(), selection, context, run.session.now());
    case 'yaml':
      if (run.flat) return printDocumentYaml(graph());
      return printYaml(basis(), selection, context, run.session.now());
    case 'name':
      return printNames(selection, run.namespace);
    case 'dot':
      return printDot(selection, context);
    case 'mermaid':
      return printMermaid(selection, context);
  }
}

export function selectTree(run: TreeRun, missing: 'fail' | 'skip'): Selection {
  const { view } = run.session;
  return select(view.graph, findTargets(view, run.query, run.namespace, missing), run.order);
}

/** What could not be seen, and what isn't followed: a line for each. */
export function reservationLines({ view }: ClusterSession): readonly string[] {
  return [unseenWords(view.blindSpots()), polledWords(view.polled())]
    .filter(words => words !== '')
    .map(words => `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}.\n`);
}
