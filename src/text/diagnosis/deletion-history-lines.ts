/** A deletion according to audit logs: its actor, time, policy, and consequences. */
import { auditActors, type ObjectHistory } from '../../diagnosis/index.ts';
import { type AuditEvent, formatCount, prose, shownName } from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import { TextLine } from '../terminal/text-line.ts';
import { padEnd } from '../terminal/width.ts';

export type KindOf = (group: string, resource: string) => string;

const MOST_LINES = 40;
const LABEL = 14;

function deletionHistoryLines(history: ObjectHistory, kindOf: KindOf, isOneOfSeveral: boolean): TextLine[] {
  const lines = [TextLine.of(historySummary(history, kindOf), 'title', 0), TextLine.of('')];
  const add = (label: string, text: string): void => {
    if (text !== '') lines.push(TextLine.of(`  ${padEnd(label, LABEL)} ${text}`, 'plain', LABEL + 3));
  };
  const [first] = history.deletions;
  if (isOneOfSeveral || history.uid !== '') add('uid', shownName(history.uid || 'not in the log'));
  add('created', creationWords(history));
  if (first !== undefined) {
    add('deleted by', whoWords(first.event));
    add('policy', policyWords(first));
  }
  const { namespaceDeletion: namespace } = history;
  if (namespace !== undefined)
    add(
      'because',
      `Namespace ${shownName(namespace.object.name)} was deleted at ${timeText.timestamp(namespace.at)} by ${whoWords(namespace)}`,
    );
  else if (first !== undefined && auditActors.controller(first.event) === auditActors.collector)
    add('because', ownerWords(history));
  for (const refused of history.refused.slice(0, 5))
    add(
      'refused',
      `${timeText.timestamp(refused.at)} ${prose(auditActors.of(refused))}: the API server answered ${refused.code}`,
    );
  return [...lines, ...courseLines(history, kindOf)];
}

function historySummary(history: ObjectHistory, kindOf: KindOf): string {
  const name = titleOf(history, kindOf);
  const [first] = history.deletions;
  if (first === undefined) return `${name}: the log has no deletion of it.`;
  const policy = first.policy === undefined ? '' : `, with the policy ${shownName(first.policy)}`;
  const when = `${name} was deleted at ${timeText.timestamp(first.event.at)} by ${prose(auditActors.of(first.event))}${policy}`;
  const { end } = history;
  if (end === undefined) return `${when}. The log doesn't show when it was gone.`;
  return end === first.event
    ? `${when}. It was gone at once.`
    : `${when}. It was gone ${laterWords(first.event, end)} later.`;
}

function titleOf(
  { group, resource, namespace, name }: Pick<ObjectHistory, 'group' | 'resource' | 'namespace' | 'name'>,
  kindOf: KindOf,
): string {
  const isIn = namespace !== '' && resource !== 'namespaces';
  return `${shownName(kindOf(group, resource))} ${isIn ? `${shownName(namespace)}/` : ''}${shownName(name)}`;
}

function creationWords({ created, createdAt }: ObjectHistory): string {
  if (createdAt === undefined) return '';
  return `${timeText.timestamp(createdAt)}${created === undefined ? '' : ` by ${prose(auditActors.of(created))}`}`;
}

function whoWords(event: AuditEvent): string {
  const actor = prose(auditActors.of(event));
  // A controller without its own account.
  const user = auditActors.controller(event) !== '' ? `, as ${shownName(event.user)}` : '';
  const from = event.sourceIPs.length === 0 ? '' : `, from ${event.sourceIPs.map(shownName).join(', ')}`;
  const agent = event.userAgent === '' ? '' : `, with ${prose(event.userAgent)}`;
  return `${actor}${user}${from}${agent}`;
}

function policyWords({ policy, policyFrom, event }: ObjectHistory['deletions'][number]): string {
  switch (policyFrom) {
    case 'request':
      return `${shownName(policy ?? '')}, as the request says`;
    case 'finalizers':
      return `${shownName(policy ?? '')}, by the finalizer that the API server set`;
    case 'default':
      return 'the request names none, so it was the default of its kind';
    case undefined:
      return `not in the log, which has it at level ${shownName(event.level)}`;
  }
}

const COLLECTS =
  'the garbage collector deletes an object that has no owner left, except owners that wait for its deletion';

function ownerWords({ owners }: ObjectHistory): string {
  if (owners.length === 0) return `${COLLECTS}; the log has no body that names its owners`;
  const names = owners.map(
    ({ kind, name, uid }) => `${shownName(kind)} ${shownName(name)} (uid ${shownName(uid)})`,
  );
  return `${COLLECTS}; it was owned by ${names.join(', ')}`;
}

interface Step {
  readonly event: AuditEvent;
  readonly words: string;
}

/** Lists events for the object and its dependents from the first deletion on, or the collector's without one. */
function courseLines(history: ObjectHistory, kindOf: KindOf): TextLine[] {
  const deletion = history.deletions[0]?.event;
  const first = deletion ?? history.since[0];
  if (first === undefined) return [];
  const own = history.since.flatMap((event, index): Step[] =>
    event === deletion
      ? []
      : [{ event, words: ownWords(event, history.since[index - 1], event === history.end) }],
  );
  const others = history.effects.map(
    ({ event, what }): Step => ({ event, words: effectWords(event, what, kindOf) }),
  );
  const steps = [...own, ...others].sort((a, b) => a.event.at - b.event.at);
  if (steps.length === 0) return [];
  const shown = steps.slice(0, steps.length > MOST_LINES + 1 ? MOST_LINES : undefined);
  const rest = steps.length - shown.length;
  return [
    TextLine.of(''),
    TextLine.of(
      deletion === undefined
        ? `What the garbage collector did to it, from ${timeText.timestamp(first.at)} on`
        : 'What followed',
      'title',
    ),
    ...shown.map(({ event, words }) =>
      TextLine.of(
        `  ${padEnd(`+${laterWords(first, event)}`, 9)} ${prose(auditActors.of(event))} ${words}`,
        'plain',
        12,
      ),
    ),
    ...(rest > 0 ? [TextLine.of(`  and ${formatCount(rest)} more: -o json has all of them`, 'muted')] : []),
  ];
}

function ownWords(event: AuditEvent, before: AuditEvent | undefined, isEnd: boolean): string {
  const end = isEnd ? ': it was gone' : '';
  const what = event.subresource === 'finalize' ? 'finalizers' : event.subresource;
  const part = what === '' ? '' : ` its ${shownName(what)}`;
  if (event.code >= 300)
    return `tried to ${shownName(event.verb)}${part || ' it'}: the API server answered ${event.code}`;
  if (event.verb === 'delete' || event.verb === 'deletecollection') return `deleted it again${end}`;
  const lost = event.named.filter(uid => event.result?.owners.some(owner => owner.uid === uid) === false);
  if (lost.length > 0)
    return `removed its reference to the owner with uid ${lost.map(shownName).join(', ')}${end}`;
  const left = event.result?.finalizers;
  const removed = (before?.result?.finalizers ?? []).filter(each => left?.includes(each) === false);
  if (removed.length > 0)
    return `removed the finalizer${removed.length > 1 ? 's' : ''} ${removed.map(shownName).join(', ')}${end}`;
  return `changed${part || ' it'}${end}`;
}

function effectWords(
  event: AuditEvent,
  what: ObjectHistory['effects'][number]['what'],
  kindOf: KindOf,
): string {
  const name = titleOf(event.object, kindOf);
  switch (what) {
    case 'deleted':
      return `deleted ${name}${event.policy === undefined ? '' : `, with the policy ${shownName(event.policy)}`}`;
    case 'orphaned':
      return `removed the owner reference from ${name}, which stays`;
    case 'changed':
      return `changed ${name}`;
    case 'refused':
      return `tried to ${shownName(event.verb)} ${name}: the API server answered ${event.code}`;
  }
}

/** Returns `0.01s`, `12.3s`, `4m`, exact enough to show the order. */
function laterWords(first: AuditEvent, event: AuditEvent): string {
  const seconds = (event.at - first.at) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(2)}s`;
  return seconds < 600 ? `${seconds.toFixed(0)}s` : `${(seconds / 60).toFixed(0)}m`;
}

export const historyWords = { lines: deletionHistoryLines, summary: historySummary };
