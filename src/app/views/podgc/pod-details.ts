/** Details of a PodGC row: rule, time, certainty, requests and remaining finalizers, or conditions for a candidate. */
import { counted, nodeFacts } from '../../../model/index.ts';
import {
  ForceDeleteRequest,
  type NodeOutlook,
  OutlookReason,
  type PodGcRules,
  PodOutlook,
  podGcCycle,
} from '../../../podgc/index.ts';
import { podGcWords, TextLine, timeText } from '../../../text/index.ts';
import type { PodGc, PodGcHead } from '../../cluster/podgc-rows.ts';
import { headWords, outlookAt } from './pod-row.ts';

const SEE_UNSEEN = 'B shows what cannot be seen, and why.';

export function outlookLines(podGc: PodGc, outlook: PodOutlook): readonly TextLine[] {
  const { rule, reason } = outlook;
  const shown = outlookAt(outlook, podGc.now);
  const away = podGcWords.manager(podGc.survey, podGc.now);
  return [
    TextLine.of(dueSentence(shown, podGc.now), podGcWords.dueStyles[shown.due.when]),
    // This isn't a sentence, because it may begin with a name.
    TextLine.of(podGcWords.because(outlook)),
    ...wanting(reason, podGc.survey.rules),
    ...estimate(outlook),
    // Without a running manager PodGC can't take the pod.
    ...(PodOutlook.isComing(outlook) && away !== '' ? [TextLine.of(away, 'warning')] : []),
    ...(rule === 'Terminated' ? limitLines(podGc) : []),
    ...actLines(outlook, podGc.survey.rules),
    ...nodeLines(outlook, podGc),
  ];
}

function dueSentence({ due, rule, reason }: PodOutlook, now: number): string {
  switch (due.when) {
    case 'now': {
      if (reason.kind === 'Taken') return `${rule}: PodGC deletes it again and again, to no effect.`;
      const left = due.by - now;
      return `${rule}: PodGC deletes it ${left > 0 ? `within ${podGcWords.wait(left)}` : 'now'}.`;
    }
    case 'at':
      return `${rule}: PodGC deletes it in about ${podGcWords.wait(due.at - now)}.`;
    case 'overdue':
      return `${rule}: overdue.`;
    case 'no':
      return OutlookReason.isUncertain(reason)
        ? 'Whether PodGC deletes it is unknown.'
        : 'PodGC does not delete it.';
  }
}

/** Missing conditions, unless the reason states them. */
const conditionsToTake: Readonly<Partial<Record<OutlookReason['kind'], string>>> = {
  TaintedButReady: 'PodGC would delete the pod if the node were not ready as well.',
  NotDeleting: 'PodGC deletes the pod once that is terminating and the node is tainted out-of-service.',
  NodeReady:
    'PodGC would delete the pod if the node were deleted, or if it were not ready and tainted out-of-service.',
  Taken: 'Nothing that PodGC does changes it any more: its finalizers have to be removed.',
  NodesUnseen: SEE_UNSEEN,
  PodsUnseen: SEE_UNSEEN,
};

function wanting({ kind }: OutlookReason, { version }: PodGcRules): readonly TextLine[] {
  const text =
    kind === 'RuleUnknownToServer'
      ? `v${version} has no such rule with its default settings; v1.26 brought it.`
      : conditionsToTake[kind];
  return text === undefined ? [] : [TextLine.of(text)];
}

function estimate({ due, reason }: PodOutlook): readonly TextLine[] {
  if (reason.kind === 'Taken' || (due.when !== 'now' && due.when !== 'at')) return [];
  const span =
    due.when === 'now'
      ? `by ${timeText.timestamp(due.by)}`
      : `between ${timeText.timestamp(due.from)} and ${timeText.timestamp(due.by)}`;
  const why = `PodGC looks every ${podGcCycle.duration / 1000} s, and the moment can't be seen from outside`;
  return [TextLine.of(`An estimate: ${span}. ${why}.`, 'muted')];
}

function actLines(outlook: PodOutlook, rules: PodGcRules): readonly TextLine[] {
  const { pod, rule, heldBy } = outlook;
  if (!PodOutlook.isComing(outlook)) return [];
  const lines = ForceDeleteRequest.of(pod, rule, rules).map(request => {
    if (request.verb === 'delete')
      return '  deletes it without grace, whether or not its containers have stopped';
    const { phase, condition } = request;
    const more = condition && `, condition ${condition.type} (${condition.reason})`;
    return `  patches its status: phase ${phase}${more ?? ''}`;
  });
  const held =
    heldBy.length === 0
      ? '  then it is deleted'
      : `  then it stays until ${heldBy.join(', ')} ${heldBy.length === 1 ? 'is' : 'are'} removed`;
  return titled('What PodGC does', [...lines, held]);
}

function nodeLines({ nodeName }: PodOutlook, { survey, now }: PodGc): readonly TextLine[] {
  const node = survey.node(nodeName);
  if (node === undefined) return [];
  const told = podGcWords.node(node);
  return titled(`Node ${nodeName}`, [
    `  ${podGcWords.nodeStates[node.state]}${sinceWords(node, now)}`,
    `  ${counted(node.pods.length, 'pod')} on it`,
    ...(told === '' ? [] : [`  ${told}`]),
  ]);
}

/** Returns the time as observed, else from the node's Ready condition. */
function sinceWords({ removal, state, node }: NodeOutlook, now: number): string {
  if (removal !== undefined)
    return ` since ${timeText.timestamp(removal.by)}, ${timeText.duration(Math.max(0, now - removal.by))} ago`;
  if (state === 'Missing') return '; its deletion was not seen';
  const ready = node && nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined) return '; it has no condition Ready';
  const { status, since, reason } = ready;
  const age = since === undefined ? '' : ` for ${timeText.age(since, now)}`;
  return `; Ready is ${status}${age}${reason === '' ? '' : ` (${reason})`}`;
}

export function headLines(podGc: PodGc, head: PodGcHead, count: number): readonly TextLine[] {
  const { title, meaning } = headWords(head);
  const where = podGc.namespace === undefined ? '' : ` in namespace ${podGc.namespace}`;
  return [
    TextLine.of(title, 'title'),
    TextLine.of(sentence(meaning)),
    TextLine.of(purposeOf(head, podGc.survey.rules)),
    // Without pods, or with unseen nodes, the count says nothing.
    ...(count === 0 ? [] : [TextLine.of(`${counted(count, 'pod')}${where}.`, 'muted')]),
    ...(head === 'Terminated' ? limitLines(podGc) : []),
    ...podGc.reservations().map(text => TextLine.of(text, 'warning')),
  ];
}

/** Returns each rule's purpose in its version (docs/kubernetes.md §7). */
function purposeOf(head: PodGcHead, { evictedFirst, quarantine }: PodGcRules): string {
  switch (head) {
    case 'Terminated':
      return `They stay to be looked at until there are more than the threshold. Then ${evictedFirst ? 'evicted ones are deleted first, then the oldest' : 'the oldest are deleted first'}.`;
    case 'OutOfService':
      return 'No kubelet says any more whether their containers run. The user who set the taint says that they do not, which lets the pods be started elsewhere.';
    case 'Orphaned':
      return `No kubelet runs them or can say that they have ended.${quarantine === 0 ? '' : ` A node may only be registered anew, so PodGC waits ${quarantine / 1000} s before it believes that it was deleted.`}`;
    case 'UnscheduledTerminating':
      return 'No kubelet knows of them, so none can say that they have ended.';
    case 'NotKnown':
      return `Each says what would have to be seen. ${SEE_UNSEEN}`;
    case 'NotTaken':
      return 'Each says what it lacks; its details say what would change that.';
  }
}

/** Shows the distance to the limit on finished pods, and which go first. */
export function limitLines(podGc: PodGc): readonly TextLine[] {
  const { survey, namespace } = podGc;
  const next = podGcWords.nextToGo(survey);
  return [
    TextLine.of(podGcWords.limit(survey)),
    ...(next === '' ? [] : [TextLine.of(next)]),
    ...(namespace === undefined
      ? []
      : [TextLine.of('Finished pods count in the whole cluster, whatever namespace is shown.', 'muted')]),
  ];
}

function titled(title: string, lines: readonly string[]): readonly TextLine[] {
  return [TextLine.empty, TextLine.of(title, 'title'), ...lines.map(text => TextLine.of(text, 'plain', 4))];
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
