/** Details of a cause's heading: what decides, how the nearest object hangs on it, what helps, and all that it holds. */
import { Cause } from '../../../diagnosis/index.ts';
import { counted, formatCount, objectTitleIn } from '../../../model/index.ts';
import { actionCommands, checkWords, findingWords, TextLine, whyLines } from '../../../text/index.ts';
import type { ClusterModel } from '../../cluster/model.ts';
import type { ProblemHead } from '../../cluster/problem-groups.ts';
import { glyphsOf } from '../../drawing/fit.ts';
import { agesAsOf, type State } from '../../state/state.ts';

/** Maximum number of objects to list; another line counts the rest. */
const LISTED = 100;

export function causeLines(
  state: State,
  { view, namespace = '' }: ClusterModel,
  { cause, severity }: Extract<ProblemHead, { readonly by: 'cause' }>,
): readonly TextLine[] {
  const nearest = Cause.nearest(cause);
  if (nearest === undefined) return [];
  const { object, message, chain, evidence } = nearest;
  // A remedy on another object than the one that decides frees that object alone.
  const isDeciding = !Cause.isFault(cause) && object.uid === cause.object?.uid;
  const remedies = nearest.remedies().filter(({ requests }) => isDeciding || requests.length === 0);
  const { holds } = cause;
  const answer = {
    object,
    summary: message,
    telling: nearest,
    chain,
    because: evidence,
    remedies,
    findings: [nearest],
    survived: undefined,
    course: [],
    managedBy: [],
    context: [],
    next: [],
  };
  const more = holds.length - LISTED;
  return [
    TextLine.of(checkWords.cause(cause, agesAsOf(state)), findingWords.severityStyle[severity]),
    ...unblockingLines(state, holds.length),
    TextLine.empty,
    ...whyLines(answer, {
      wide: false,
      stacked: true,
      glyphs: glyphsOf(state),
      now: agesAsOf(state),
      command: ({ id }) => actionCommands.ofRemedy(view.catalog, object, id),
    }),
    TextLine.empty,
    TextLine.of(counted(holds.length, 'object'), 'title'),
    ...holds.slice(0, LISTED).map(each => heldLine(each, namespace)),
    ...(more > 0 ? [TextLine.of(`  and ${formatCount(more)} more`, 'muted')] : []),
  ];
}

/** Promises no remedy: `u` says so if there is none. */
function unblockingLines({ info, options }: State, count: number): readonly TextLine[] {
  const canAct = (info?.source === 'cluster' || info?.source === 'demo') && !options.readOnly;
  const text = `u looks for one remedy for all ${formatCount(count)}, and asks before it sends anything.`;
  return canAct ? [TextLine.of(text)] : [];
}

function heldLine(object: Cause['holds'][number], namespace: string): TextLine {
  const name = objectTitleIn(object, namespace);
  return {
    spans: [
      { text: '  ', style: 'plain' },
      { text: name, style: 'info', link: { to: 'object', uid: object.uid } },
    ],
    indent: 4,
  };
}
