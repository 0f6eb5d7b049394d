/**
 * The answer to "why" for the details pane: the same text as `why` prints, arranged for a narrow column. What costs a
 * forecast (the effects of remedies, what becomes of the object) isn't in it: the pane follows the cursor.
 */
import type { Finding } from '../../diagnosis/engine/finding.ts';
import type { GraphNode } from '../../graph/node.ts';
import { remedyCommand } from '../../text/actions/remedy-command.ts';
import { type WhyAnswer, whyLines } from '../../text/diagnosis/why.ts';
import { asciiGlyphs, unicodeGlyphs } from '../../text/terminal/glyphs.ts';
import type { TextLine } from '../../text/terminal/text-line.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Problems } from '../cluster/problems.ts';
import { currentFinding } from '../state/current.ts';
import { asOf, type State } from '../state/state.ts';

/** Undefined until the diagnosis is through: what is known before could mislead. */
export function whyPane(
  state: State,
  cluster: ClusterModel,
  node: GraphNode,
): readonly TextLine[] | undefined {
  const { problems } = cluster;
  if (problems?.complete !== true) return undefined;
  const { ascii } = state.options;
  return [
    ...whyLines(answerOn(problems, node, currentFinding(state)), {
      wide: false,
      stacked: true,
      glyphs: ascii ? asciiGlyphs : unicodeGlyphs,
      now: asOf(state),
      command: ({ id }) => remedyCommand(cluster.view.catalog, node.identity, id),
    }),
  ];
}

/** `chosen`: the finding that was asked about, where an object has several. */
function answerOn(
  { diagnosis, diagnostics }: Problems,
  node: GraphNode,
  chosen: Finding | undefined,
): WhyAnswer {
  const { remedies, next, ...explained } = diagnostics.explain(diagnosis, node);
  const answer: WhyAnswer = {
    ...explained,
    object: node.identity,
    next: next === undefined ? [] : [next],
    remedies: remedies(),
  };
  if (chosen === undefined || chosen === explained.telling) return answer;
  return {
    ...answer,
    summary: chosen.message,
    telling: chosen,
    because: chosen.evidence,
    chain: chosen.chain.length > 0 ? chosen.chain : answer.chain,
  };
}
