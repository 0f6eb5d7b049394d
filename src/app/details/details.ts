/** Details of the row under the cursor: why it stays, remedies, owners, dependents, finalizers, conditions, labels. */

import type { OwnerStatus, Verdict } from '../../collector/verdict.ts';
import { blocksDeletion, deletionRequestedAt, foreignFinalizers } from '../../graph/deletion.ts';
import { compareNodes } from '../../graph/forest.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { Condition } from '../../model/facts/facts.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER, type Uid } from '../../model/object.ts';
import { isSyntheticUid } from '../../model/object-id.ts';
import { prose, shownName } from '../../model/text/shown.ts';
import { counted, formatCount, objectTitle, objectTitleIn } from '../../model/text/titles.ts';
import { remedyCommand } from '../../text/actions/remedy-command.ts';
import { meaningOf } from '../../text/diagnosis/code-words.ts';
import { managerHeading } from '../../text/diagnosis/managers.ts';
import { stateLine, stateText } from '../../text/diagnosis/state.ts';
import { type WhyAnswer, whyLines } from '../../text/diagnosis/why.ts';
import { formatAge, formatDuration, formatTimestamp } from '../../text/terminal/age.ts';
import type { Line, Link, Span, Style } from '../../text/terminal/style.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { ManagerRow } from '../cluster/managers.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { ProblemRow, Problems } from '../cluster/problems.ts';
import { glyphsOf } from '../lines/frame.ts';
import { leadingBlanks, wrapLine } from '../lines/wrap.ts';
import {
  currentActivity,
  currentFinding,
  currentManager,
  currentNode,
  currentPart,
  currentPod,
  currentProblem,
  currentRow,
  entryOfRow,
} from '../state/current.ts';
import { LastAnswer } from '../state/last-answer.ts';
import { asOf, type State } from '../state/state.ts';
import { activityDetails } from './activity.ts';
import { collectorDetails } from './collector.ts';
import { groupDetails } from './group.ts';
import { headLines, outlookLines } from './podgc.ts';

/** Maximum length of a list; another line counts the rest. */
const LISTED = 100;

const verdictSentences: Readonly<Partial<Record<Verdict, string>>> = {
  DeleteBackground: 'The garbage collector deletes it next: none of its owners exists any more.',
  DeleteForeground:
    'The garbage collector deletes it next, in the foreground: its owners wait for their dependents.',
  DeleteOrphan: 'The garbage collector deletes it next and orphans its dependents.',
  UnblockAndDelete:
    'Its owners and dependents wait for each other: the garbage collector breaks the circle and deletes it.',
  PruneReferences:
    'The garbage collector removes its references to absent owners; an existing owner keeps it.',
  WaitForDependents: 'Its deletion waits until the dependents that block it are deleted.',
  RemoveForegroundFinalizer:
    'Nothing blocks its deletion any more: the garbage collector removes its finalizer.',
  OrphanDependents:
    'The garbage collector removes it from the owner references of its dependents, then removes its finalizer.',
  RetryForever: 'The garbage collector cannot judge it, because the kind of an owner is not served.',
  NeverCollected: 'The garbage collector never deletes it: a cluster-scoped object with a namespaced owner.',
};

const unconfirmed = { text: 'is not listed; its absence is not confirmed', style: 'warning' } as const;

const ownerWords: Readonly<Record<OwnerStatus, { readonly text: string; readonly style: Style }>> = {
  Solid: { text: '', style: 'plain' },
  WaitingForDependents: { text: 'being deleted, waits for its dependents', style: 'warning' },
  Absent: { text: 'does not exist', style: 'danger' },
  Mismatched: { text: 'exists under another name or kind', style: 'danger' },
  OtherNamespace: { text: 'is in another namespace', style: 'danger' },
  ClusterScopeViolation: { text: 'is namespaced, this object is not', style: 'warning' },
  Unresolvable: { text: 'its kind is not served', style: 'warning' },
  Unknown: { text: 'cannot be seen', style: 'warning' },
};

/** Returns lines before wrapping, for drawing and speaking. */
export function logicalDetails(state: State): readonly TextLine[] {
  const { cluster } = state;
  if (cluster === undefined) return [];
  const { selected } = state;
  if (state.view === 'tree' && selected?.kind === 'group') return groupDetails(cluster, selected);
  const row = currentProblem(state);
  if (row?.kind === 'group') return groupLines(row);
  const pod = currentPod(state);
  if (pod?.kind === 'group' && cluster.podGc !== undefined)
    return headLines(cluster.podGc, pod.head, pod.count);
  const managed = currentManager(state);
  if (managed?.kind === 'group') return managerLines(managed);
  const told = currentActivity(state);
  const entry = told && entryOfRow(told);
  if (told !== undefined && entry === undefined) return activityDetails(state, cluster, told);
  const node = currentNode(state);
  const part = currentPart(state);
  if (part !== undefined && node === undefined) return collectorDetails(state, part);
  if (node === undefined) {
    if (told === undefined || entry === undefined) return [];
    return [
      textLine(objectTitle(entry.object), 'title'),
      ...activityDetails(state, cluster, told),
      emptyLine,
      textLine('It does not exist any more. Enter shows all that was told of it.', 'muted'),
    ];
  }
  const lines: Line[] = [];
  section(
    lines,
    node.owners.length > 1 ? `Owners ${node.owners.length}` : 'Owner',
    ownerLines(cluster, node),
  );
  section(lines, `Dependents ${formatCount(node.dependents.size)}`, dependentLines(state, cluster, node));
  const { object } = node;
  if (object !== undefined) {
    const now = asOf(state);
    section(lines, 'Finalizers', object.finalizers.map(finalizerLine));
    const { facts } = object;
    const conditions = facts !== undefined && 'conditions' in facts ? facts.conditions : [];
    section(
      lines,
      'Conditions',
      conditions.map(each => conditionLine(each, now)),
    );
    section(lines, 'Labels', labelLines(object));
    section(lines, 'Object', identityLines(object));
  }
  return [
    { spans: [{ text: objectTitle(node.identity), style: 'title' }], indent: 2 },
    ...(pod?.kind === 'item' && cluster.podGc !== undefined
      ? [...outlookLines(cluster.podGc, pod.item), emptyLine]
      : []),
    ...(part === undefined ? [] : [...collectorDetails(state, part), emptyLine]),
    ...(told === undefined ? [] : [...activityDetails(state, cluster, told), emptyLine]),
    ...situation(state, cluster, node),
    ...lines.map(textLineOf),
  ];
}

function textLineOf(spans: Line): TextLine {
  return { spans, indent: Math.min(8, leadingBlanks(spans) + 2) };
}

function groupLines(row: Extract<ProblemRow, { kind: 'group' }>): readonly TextLine[] {
  return [
    textLine(row.head.code, 'title'),
    textLine(meaningOf[row.head.code]),
    textLine(`${counted(row.count, 'finding')}, the worst of them: ${row.head.severity}.`, 'muted'),
  ];
}

function managerLines({ head, count }: Extract<ManagerRow, { kind: 'group' }>): readonly TextLine[] {
  const { manager, objects } = head;
  const rest = objects > count ? `; ${formatCount(objects)} with what these control` : '';
  if (manager === undefined)
    return [
      textLine(managerHeading(head.manager), 'title'),
      textLine(
        `${counted(count, 'object')} that no tool is known to manage by labels or annotations${rest}.`,
      ),
    ];
  const { object } = manager;
  const seen =
    object === undefined ? [] : [textLine(`It is ${objectTitle(object)}, which is in this cluster.`)];
  return [
    textLine(managerHeading(head.manager), 'title'),
    textLine(`${counted(count, 'object')} with its marks${rest}.`),
    ...seen,
    textLine(
      'It may restore, change or delete them. The garbage collector does not look at these marks.',
      'muted',
    ),
  ];
}

const wrapped = new LastAnswer<readonly Line[]>();

export function detailsLines(state: State, width: number): readonly Line[] {
  const { ascii } = state.options;
  const { cluster } = state;
  if (cluster === undefined) return [];
  const key = [
    currentNode(state),
    state.view === 'tree' ? state.selected : currentRow(state),
    state.revision,
    state.statements,
    asOf(state),
    width,
    ascii,
  ];
  return wrapped.of(cluster, key, () =>
    logicalDetails(state).flatMap(({ spans, indent }) => wrapLine(spans, width, indent)),
  );
}

function section(lines: Line[], title: string, content: readonly Line[]): void {
  if (content.length === 0) return;
  lines.push([], [{ text: title, style: 'title' }], ...content);
}

function plain(text: string, style: Style = 'plain'): Line {
  return [{ text, style }];
}

function situation(state: State, cluster: ClusterModel, node: GraphNode): readonly TextLine[] {
  const why = whyPane(state, cluster, node);
  const { object } = node;
  const now = asOf(state);
  if (object === undefined) {
    const lines = why ?? [
      textLine('Never seen: only the owner references of its dependents name it.', 'ghost'),
    ];
    return [...lines, textLine(`uid ${node.uid}`, 'muted')];
  }
  const judged = cluster.judge(node);
  const { verdict, certainty } = judged;
  const words = stateText(node, judged, now);
  const glyphs = glyphsOf(state);
  const doing = words.text === '' ? [] : [textLine(stateLine(words, glyphs), words.style)];
  const deletion = deletionLines(object, now);
  // The answer comes first; for an object being deleted it includes the state.
  if (why !== undefined) return deletion.length === 0 ? [...doing, ...why] : [...why, emptyLine, ...deletion];
  const lines: TextLine[] = [...doing, ...deletion];
  const sentence = verdictSentences[verdict];
  if (sentence !== undefined) lines.push(textLine(sentence));
  if (certainty === 'assumed' && cluster.view.connection.state !== 'connecting') {
    const isUnconfirmed = judged.absent?.some(owner => cluster.view.absences.of(owner).state === 'assumed');
    const words =
      isUnconfirmed === true
        ? 'Assumed: no look-up has confirmed yet that its owner is absent.'
        : cluster.view.complete
          ? 'Assumed: what decides it cannot be watched, and may be up to a minute old.'
          : 'Assumed until everything is listed.';
    lines.push(textLine(words, 'muted'));
  }
  return lines;
}

function deletionLines(object: KubeObject, now: number): TextLine[] {
  const since = deletionRequestedAt(object);
  if (since === undefined) return [];
  const how = object.finalizers.includes(FOREGROUND_FINALIZER)
    ? ' in the foreground'
    : object.finalizers.includes(ORPHAN_FINALIZER)
      ? ', orphaning its dependents'
      : '';
  const ago = formatDuration(Math.max(0, now - since));
  const lines = [textLine(`Deleted${how} ${ago} ago, at ${formatTimestamp(since)}.`)];
  const left = (object.deletionTimestamp ?? 0) - now;
  if (left > 0) lines.push(textLine(`Its grace period ends in ${formatDuration(left)}.`));
  const held = foreignFinalizers(object);
  if (left <= 0 && held.length > 0)
    lines.push(textLine(`Waits until its finalizer${held.length === 1 ? ' is' : 's are'} removed.`));
  return lines;
}

const indent: Span = { text: '  ', style: 'plain' };

function linkTo(uid: Uid): Link {
  return { to: 'object', uid };
}

function ownerLines(cluster: ClusterModel, node: GraphNode): Line[] {
  return node.owners.map(reference => {
    const { status: standing, certainty } = cluster.ownerStanding(node, reference);
    const status = standing === 'Absent' && certainty === 'assumed' ? unconfirmed : ownerWords[standing];
    const flags = [
      reference.controller === true ? 'controller' : '',
      reference.blockOwnerDeletion === true ? 'blocks its deletion' : '',
    ].filter(Boolean);
    const name = `${shownName(reference.kind)} ${shownName(reference.name)}`;
    const line: Span[] = [indent, { text: name, style: 'info', link: linkTo(reference.uid) }];
    if (status.text !== '') line.push({ text: `  ${status.text}`, style: status.style });
    if (flags.length > 0) line.push({ text: `  ${flags.join(', ')}`, style: 'muted' });
    return line;
  });
}

function dependentLines(state: State, cluster: ClusterModel, node: GraphNode): Line[] {
  const glyphs = glyphsOf(state);
  const lines: Line[] = [];
  for (const dependent of firstOf(node.dependents)) {
    const words = stateText(dependent, cluster.judge(dependent), asOf(state));
    const name = objectTitleIn(dependent.identity, node.identity.namespace);
    const line: Span[] = [indent, { text: name, style: 'info', link: linkTo(dependent.uid) }];
    if (words.text !== '') line.push({ text: `  ${stateLine(words, glyphs)}`, style: words.style });
    // Blocking matters only once the owner is being deleted.
    if (node.beingDeleted && blocksDeletion(dependent, node.uid))
      line.push({ text: '  blocks', style: 'muted' });
    lines.push(line);
  }
  const more = node.dependents.size - LISTED;
  if (more > 0) lines.push(plain(`  and ${formatCount(more)} more`, 'muted'));
  return lines;
}

/** Returns the first nodes in the tree's order, sorting few of thousands. */
function firstOf(nodes: Iterable<GraphNode>): readonly GraphNode[] {
  let first: GraphNode[] = [];
  let last: GraphNode | undefined;
  for (const node of nodes) {
    if (last !== undefined && compareNodes(node, last) > 0) continue;
    first.push(node);
    if (first.length < 2 * LISTED) continue;
    first = first.sort(compareNodes).slice(0, LISTED);
    last = first.at(-1);
  }
  return first.sort(compareNodes).slice(0, LISTED);
}

function finalizerLine(finalizer: string): Line {
  const own = finalizer === FOREGROUND_FINALIZER || finalizer === ORPHAN_FINALIZER;
  return [
    { text: `  ${shownName(finalizer)}`, style: 'plain' },
    ...(own ? [{ text: "  the garbage collector's own", style: 'muted' as const }] : []),
  ];
}

function conditionLine({ type, status, reason, message, since }: Condition, now: number): Line {
  const age = since === undefined ? '' : ` for ${formatAge(since, now)}`;
  const text = [shownName(reason), prose(message)].filter(Boolean).join(': ');
  return [
    { text: `  ${shownName(type)} `, style: 'plain' },
    { text: `${shownName(status)}${age}`, style: status === 'True' ? 'plain' : 'warning' },
    ...(text === '' ? [] : [{ text: `  ${text}`, style: 'muted' as const }]),
  ];
}

function labelLines(object: KubeObject): Line[] {
  const lines: Line[] = [];
  for (let i = 0; i < object.labels.length; i += 2)
    lines.push(plain(`  ${shownName(object.labels[i] ?? '')}=${shownName(object.labels[i + 1] ?? '')}`));
  return lines;
}

function identityLines(object: KubeObject): Line[] {
  const { type, uid, creationTimestamp: created } = object;
  return [
    plain(`  ${shownName(type.apiVersion)} ${shownName(type.kind)}`, 'muted'),
    ...(isSyntheticUid(uid) ? [] : [plain(`  uid ${shownName(uid)}`, 'muted')]),
    ...(created === 0 ? [] : [plain(`  created ${formatTimestamp(created)}`, 'muted')]),
  ];
}

/** Returns undefined until all related objects are judged: earlier answers could mislead. */
function whyPane(state: State, cluster: ClusterModel, node: GraphNode): readonly TextLine[] | undefined {
  const { problems } = cluster;
  if (problems?.covers(node.identity) !== true) return undefined;
  return [
    ...whyLines(answerOn(problems, node, state), {
      wide: false,
      stacked: true,
      glyphs: glyphsOf(state),
      now: asOf(state),
      command: ({ id }) => remedyCommand(cluster.view.catalog, node.identity, id),
    }),
  ];
}

/** Prefers the finding under the cursor if the object has several. */
function answerOn({ diagnosis, diagnostics }: Problems, node: GraphNode, state: State): WhyAnswer {
  const chosen = currentFinding(state);
  const { remedies, next, ...explained } = diagnostics.explain(diagnosis, node);
  const answer: WhyAnswer = {
    ...explained,
    object: node.identity,
    next: next === undefined ? [] : [next],
    remedies: remedies(),
  };
  const asked =
    chosen === undefined || chosen === explained.telling
      ? answer
      : {
          ...answer,
          summary: chosen.message,
          telling: chosen,
          because: chosen.evidence,
          chain: chosen.chain.length > 0 ? chosen.chain : answer.chain,
        };
  const { statements } = state;
  return statements?.uid === node.uid ? diagnostics.withStatements(diagnosis, asked, statements.said) : asked;
}
