/** Details of the row under the cursor: why it stays, remedies, owners, dependents, finalizers, conditions, labels. */

import type { OwnerStatus, Verdict } from '../../collector/index.ts';
import { compareNodes, type GraphNode, objectDeletion } from '../../graph/index.ts';
import {
  type Condition,
  FOREGROUND_FINALIZER,
  formatCount,
  type KubeObject,
  ORPHAN_FINALIZER,
  objectIds,
  objectTitle,
  objectTitleIn,
  prose,
  showHidden,
  shownName,
  type Uid,
} from '../../model/index.ts';
import {
  actionCommands,
  type Line,
  type Span,
  type Style,
  stateWords,
  TextLine,
  timeText,
  type WhyAnswer,
  whyLines,
} from '../../text/index.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Problems } from '../cluster/problems.ts';
import { glyphsOf } from '../drawing/fit.ts';
import { leadingBlanks, wrapLine } from '../drawing/wrap.ts';
import { LastAnswer } from '../state/last-answer.ts';
import { isInDetails } from '../state/layout.ts';
import { agesAsOf, asOf, type State } from '../state/state.ts';
import { currentNode, currentRow } from './current.ts';
import { viewOf } from './registry.ts';

/** Maximum length of a list; another line counts the rest. */
const LISTED = 100;

const verdictSentences: Readonly<Partial<Record<Verdict, string>>> = {
  DeleteBackground: 'The garbage collector deletes it next: none of its owners exists any more.',
  DeleteForeground:
    'The garbage collector deletes it next, in the foreground: its owners wait for their dependents.',
  DeleteOrphan: 'The garbage collector deletes it next and orphans its dependents.',
  UnblockAndDelete:
    'Its owners and dependents wait for each other: the garbage collector breaks the cycle and deletes it.',
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
  const node = currentNode(state);
  const own = viewOf(state).details(state, cluster, node);
  if (node === undefined) return own;
  return [
    { spans: [{ text: objectTitle(node.identity), style: 'title' }], indent: 2 },
    ...own,
    ...situation(state, cluster, node),
    ...sectionsOf(state, cluster, node).map(textLineOf),
  ];
}

function sectionsOf(state: State, cluster: ClusterModel, node: GraphNode): readonly Line[] {
  const lines: Line[] = [];
  const owners = node.owners.length > 1 ? `Owners ${node.owners.length}` : 'Owner';
  section(lines, owners, ownerLines(cluster, node));
  section(lines, `Dependents ${formatCount(node.dependents.size)}`, dependentLines(state, cluster, node));
  const { object } = node;
  if (object === undefined) return lines;
  const now = shownTime(state);
  section(lines, 'Finalizers', object.finalizers.map(finalizerLine));
  const { facts } = object;
  const conditions = facts !== undefined && 'conditions' in facts ? facts.conditions : [];
  section(
    lines,
    'Conditions',
    conditions.map(each => conditionLine(each, now)),
  );
  const { printed } = state;
  const isCurrent = printed?.uid === object.uid && printed.resourceVersion === object.resourceVersion;
  const columns = isCurrent ? printed.columns : [];
  section(
    lines,
    'Printer columns',
    columns.map(each => plain(`  ${showHidden(each)}`)),
  );
  if (isInDetails(state)) lines.push([], ...usesLines(state, object));
  section(lines, 'Labels', labelLines(object));
  section(lines, 'Object', identityLines(object));
  return lines;
}

function usesLines({ uses, graphComplete }: State, { uid }: KubeObject): readonly Line[] {
  if (uses?.uid === uid) return uses.lines;
  return [
    plain('Used by', 'title'),
    plain(graphComplete ? '  being read' : '  not yet: the cluster is still being listed', 'muted'),
  ];
}

function textLineOf(spans: Line): TextLine {
  return { spans, indent: Math.min(8, leadingBlanks(spans) + 2) };
}

const wrapped = new LastAnswer<readonly Line[]>();

export function detailsLines(state: State, width: number): readonly Line[] {
  const { ascii } = state.options;
  const { cluster } = state;
  if (cluster === undefined) return [];
  const key = [
    currentNode(state),
    state.view === 'tree' ? state.tree.selected : currentRow(state),
    state.revision,
    state.statements,
    state.printed,
    state.uses,
    isInDetails(state) && state.graphComplete,
    isInDetails(state),
    shownTime(state),
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

/** Returns the moment for the details, whose countdown of a grace period follows each second. */
function shownTime(state: State): number {
  const now = asOf(state);
  return (currentNode(state)?.object?.deletionTimestamp ?? 0) > now ? now : agesAsOf(state);
}

function plain(text: string, style: Style = 'plain'): Line {
  return [{ text, style }];
}

function situation(state: State, cluster: ClusterModel, node: GraphNode): readonly TextLine[] {
  const why = whyPane(state, cluster, node);
  const { object } = node;
  const now = shownTime(state);
  if (object === undefined) {
    const lines = why ?? [
      TextLine.of('Never seen: only the owner references of its dependents name it.', 'ghost'),
    ];
    return [...lines, TextLine.of(`uid ${node.uid}`, 'muted')];
  }
  const judged = cluster.judge(node);
  const { verdict, certainty } = judged;
  const words = stateWords.text(node, judged, now);
  const glyphs = glyphsOf(state);
  const doing = words.text === '' ? [] : [TextLine.of(stateWords.line(words, glyphs), words.style)];
  const deletion = deletionLines(object, now);
  // The answer comes first; for an object being deleted it includes the state.
  if (why !== undefined)
    return deletion.length === 0 ? [...doing, ...why] : [...why, TextLine.empty, ...deletion];
  const lines: TextLine[] = [...doing, ...deletion];
  const sentence = verdictSentences[verdict];
  if (sentence !== undefined) lines.push(TextLine.of(sentence));
  if (certainty === 'assumed' && cluster.view.connection.state !== 'connecting') {
    const isUnconfirmed = judged.absent?.some(owner => cluster.view.absences.of(owner).state === 'assumed');
    const words =
      isUnconfirmed === true
        ? 'Assumed: no look-up has confirmed yet that its owner is absent.'
        : cluster.view.complete
          ? 'Assumed: what decides it cannot be watched, and may be up to a minute old.'
          : 'Assumed until everything is listed.';
    lines.push(TextLine.of(words, 'muted'));
  }
  return lines;
}

function deletionLines(object: KubeObject, now: number): TextLine[] {
  const since = objectDeletion.requestedAt(object);
  if (since === undefined) return [];
  const how = object.finalizers.includes(FOREGROUND_FINALIZER)
    ? ' in the foreground'
    : object.finalizers.includes(ORPHAN_FINALIZER)
      ? ', orphaning its dependents'
      : '';
  const ago = timeText.duration(Math.max(0, now - since));
  const lines = [TextLine.of(`Deleted${how} ${ago} ago, at ${timeText.timestamp(since)}.`)];
  const left = (object.deletionTimestamp ?? 0) - now;
  if (left > 0) lines.push(TextLine.of(`Its grace period ends in ${timeText.duration(left)}.`));
  const held = objectDeletion.foreignFinalizers(object);
  if (left <= 0 && held.length > 0)
    lines.push(TextLine.of(`Waits until its finalizer${held.length === 1 ? ' is' : 's are'} removed.`));
  return lines;
}

const indent: Span = { text: '  ', style: 'plain' };

function linkTo(uid: Uid): NonNullable<Span['link']> {
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
    const words = stateWords.text(dependent, cluster.judge(dependent), shownTime(state));
    const name = objectTitleIn(dependent.identity, node.identity.namespace);
    const line: Span[] = [indent, { text: name, style: 'info', link: linkTo(dependent.uid) }];
    if (words.text !== '') line.push({ text: `  ${stateWords.line(words, glyphs)}`, style: words.style });
    // Blocking matters only once the owner is being deleted.
    if (node.beingDeleted && objectDeletion.isBlockedBy(dependent, node.uid))
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
  const age = since === undefined ? '' : ` for ${timeText.age(since, now)}`;
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
    ...(objectIds.isSynthetic(uid) ? [] : [plain(`  uid ${shownName(uid)}`, 'muted')]),
    ...(created === 0 ? [] : [plain(`  created ${timeText.timestamp(created)}`, 'muted')]),
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
      now: shownTime(state),
      command: ({ id }) => actionCommands.ofRemedy(cluster.view.catalog, node.identity, id),
    }),
  ];
}

/** Prefers the finding under the cursor if the object has several. */
function answerOn({ diagnosis, diagnostics }: Problems, node: GraphNode, state: State): WhyAnswer {
  const row = currentRow(state);
  const chosen = row && viewOf(state).list?.findingOf?.(row);
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
