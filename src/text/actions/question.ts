/** Sanitised questions before an action. The command line and the screen add how to answer. */

import type { Intent, Loss, Prepared } from '../../actions/index.ts';
import type { Forecast, UnblockAction } from '../../forecast/index.ts';
import type { ClusterView, GraphNode, Identity } from '../../graph/index.ts';
import {
  type ActRequest,
  counted,
  enumerated,
  FOREGROUND_FINALIZER,
  formatCount,
  type JsonRecord,
  type KubeObject,
  objectTitleIn,
  record,
  showHidden,
  shownName,
  text,
  textEscapes,
  type Uid,
  wordForms,
} from '../../model/index.ts';
import { countWords, namesOf, surroundings } from '../plan/plan-words.ts';
import { remedySteps } from '../plan/remedy-steps.ts';
import { documentText } from '../terminal/json-and-yaml.ts';
import { TextLine } from '../terminal/text-line.ts';

/** Returns `Delete StatefulSet shop/web`, `Delete 3 objects`, `Undo "delete Pod shop/a, background"`, without a question mark. */
function actionQuestion(intent: Intent): string {
  switch (intent.verb) {
    case 'delete':
      return `Delete ${countWords.targets(intent.targets)}`;
    case 'unblock':
      return wordForms.capital(showHidden(intent.remedy.title));
    case 'undo':
      return `Undo "${showHidden(intent.entryTitle)}"`;
  }
}

/** Returns `3 objects are deleted. Type web`: the reason for a typed word, and the word. */
function typedQuestion({ word, because }: Extract<Prepared['confirmation'], { kind: 'typed' }>): string {
  return `${wordForms.capital(showHidden(because))}. Type ${shownName(word)}`;
}

/** Returns `request 2 of 3`, or `step 2 of 3: remove example.com/drain from web-1` for a remedy in steps. */
function sendingWords({ intent, requests }: Prepared, request: number): string {
  const { steps = [] } = intent.verb === 'unblock' ? intent.remedy : {};
  let last = 0;
  for (const [index, step] of steps.entries()) {
    last += step.requests.length;
    if (request < last) return `step ${index + 1} of ${steps.length}: ${showHidden(step.title)}`;
  }
  return `request ${request + 1} of ${requests.length}`;
}

const SHOWN = 10;

function* requestLines(requests: readonly ActRequest[], all: boolean): Generator<TextLine> {
  yield TextLine.of(requests.length === 1 ? 'Request' : 'Requests', 'title');
  const shown = all ? requests : requests.slice(0, SHOWN);
  for (const { method, path, body, rebuiltFrom } of shown) {
    yield TextLine.of(`  ${method} ${path}`, 'plain', 6);
    if (rebuiltFrom !== undefined) yield* manifestLines(body);
    else for (const detail of detailsOf(method, body)) yield TextLine.of(`    ${detail}`, 'muted', 6);
  }
  const more = requests.length - shown.length;
  if (more > 0) yield TextLine.of(`  and ${formatCount(more)} more (-o wide shows them)`, 'muted');
}

function* manifestLines(body: unknown): Generator<TextLine> {
  const lines = documentText.yaml(body, '    ').split('\n').slice(1);
  for (const line of lines) yield TextLine.of(line, 'muted', 6);
}

/** Gives each operation of a JSON Patch a line of its own. */
function detailsOf(method: ActRequest['method'], body: unknown): readonly string[] {
  switch (method) {
    case 'DELETE':
      return deleteOptions(record(body));
    case 'POST': {
      const { kind, metadata } = record(body);
      return [`${shownName(text(kind))} ${shownName(text(record(metadata)['name']))}, as the backup has it`];
    }
    case 'PATCH':
    case 'PUT':
      return Array.isArray(body) ? body.map(each => operationWords(record(each))) : [textEscapes.json(body)];
  }
}

/** Returns `test /metadata/uid "4f2c"`. */
function operationWords({ op, path, value }: JsonRecord): string {
  const words = [showHidden(text(op)), showHidden(text(path))];
  return [...words, ...(value === undefined ? [] : [textEscapes.json(value)])].join(' ');
}

function deleteOptions({
  propagationPolicy,
  gracePeriodSeconds,
  preconditions,
}: JsonRecord): readonly string[] {
  const { uid, resourceVersion } = record(preconditions);
  const bound = [
    typeof uid === 'string' ? `uid ${uid}` : '',
    typeof resourceVersion === 'string' ? `resourceVersion ${resourceVersion}` : '',
  ].filter(each => each !== '');
  const words = [
    propagationPolicy === undefined ? '' : `propagationPolicy ${text(propagationPolicy)}`,
    typeof gracePeriodSeconds === 'number' ? `gracePeriodSeconds ${gracePeriodSeconds}` : '',
    bound.length === 0 ? '' : `only while it has ${bound.join(' and ')}`,
  ].filter(each => each !== '');
  return words.length === 0 ? [] : [words.join(', ')];
}

/** Says which settings a recreated controller loses, by the kind that its pod template is taken from. */
const notRestored = {
  ControllerRevision:
    'Its own labels and annotations, updateStrategy, podManagementPolicy and other settings are not restored, but left at their defaults. Its selector, which cannot be changed later, takes all labels of the pod template.',
  ReplicaSet:
    'Its own labels, strategy, progressDeadlineSeconds and other settings are not restored, but left at their defaults.',
  Pod: 'Its own annotations and minReadySeconds are not restored. Its pod template is the spec of its pods without the fields that the API server adds; changes by webhooks stay in it. Its selector, which cannot be changed later, takes the labels that commonly name pods, such as app, and pod-template-hash; if there is none, all that its pods share.',
} as const;

const NAMED = 8;
const MOST = 10_000;

/** Yields the steps of a composed remedy, and the fate of dependents if the action removes `foregroundDeletion`. */
function* unblockNotes(forecast: Forecast, action: UnblockAction, view: ClusterView): Generator<TextLine> {
  yield* remedySteps(action.remedy);
  for (const { rebuiltFrom } of action.remedy.requests)
    if (rebuiltFrom !== undefined) yield TextLine.of(`  ! ${notRestored[rebuiltFrom.kind]}`, 'plain', 4);
  yield* dependentNotes(forecast, action, view);
}

/** Yields nothing unless the action removes `foregroundDeletion` from its target. */
function* dependentNotes(
  forecast: Forecast,
  { target, remedy }: UnblockAction,
  { graph }: ClusterView,
): Generator<TextLine> {
  const node = graph.get(target.uid);
  if (node === undefined || !removesForeground(remedy.id, target.finalizers)) return;
  const collected = new Set<Uid>(forecast.deleted.map(({ object }) => object.uid));
  const held = new Set<Uid>(forecast.terminating.map(({ object }) => object.uid));
  const unsure = new Set<Uid>(forecast.timingDependent.map(({ object }) => object.uid));
  const below = dependentsOf(node);
  if (below.length === 0) {
    yield TextLine.of('  ! It has no dependents that could be collected.', 'plain', 4);
    return;
  }
  const list = (objects: readonly Identity[]): string =>
    enumerated(
      objects.map(each => objectTitleIn(each, target.namespace)),
      NAMED,
    );
  const groups: readonly (readonly [string, readonly Identity[]])[] = [
    ['Collected afterwards', below.filter(({ uid }) => collected.has(uid))],
    ['Being deleted, and held', below.filter(({ uid }) => held.has(uid))],
    ['Depends on timing', below.filter(({ uid }) => unsure.has(uid))],
    ['Stays', below.filter(({ uid }) => !collected.has(uid) && !held.has(uid) && !unsure.has(uid))],
  ];
  for (const [label, objects] of groups)
    if (objects.length > 0)
      yield TextLine.of(`  ! ${label}: ${list(objects)}.`, label === 'Stays' ? 'plain' : 'warning', 4);
}

function removesForeground(id: string, finalizers: readonly string[]): boolean {
  return (
    id === `remove-finalizer/${FOREGROUND_FINALIZER}` ||
    (finalizers.includes(FOREGROUND_FINALIZER) && /^redelete\/(?:background|orphan)/u.test(id))
  );
}

function dependentsOf(top: GraphNode): Identity[] {
  const seen = new Set<Uid>([top.identity.uid]);
  const open = [...top.dependents];
  const found: Identity[] = [];
  for (let node = open.pop(); node !== undefined && found.length < MOST; node = open.pop()) {
    if (seen.has(node.identity.uid)) continue;
    seen.add(node.identity.uid);
    if (node.object !== undefined) found.push(node.identity);
    open.push(...node.dependents);
  }
  return found;
}

const NOTES = 5;
const KINDS = 8;

function* deletionNotes(
  forecast: Forecast,
  targets: readonly KubeObject[],
  view: ClusterView,
): Generator<TextLine> {
  for (const target of targets.slice(0, NOTES)) {
    const held = holdingsOf(target, view);
    if (held !== undefined) yield TextLine.of(`  ! ${held}`, 'warning', 4);
  }
  for (const words of recreations(forecast, view)) yield TextLine.of(`  ! ${words}`, 'warning', 4);
}

function* lossLines(losses: readonly Loss[]): Generator<TextLine> {
  for (const { what } of losses.slice(0, NOTES))
    yield TextLine.of(`  ! Undo cannot bring back ${what}.`, 'warning', 4);
  const more = losses.length - NOTES;
  if (more > 0) yield TextLine.of(`  ! Nor ${formatCount(more)} more.`, 'warning', 4);
}

/** Names controllers that recreate deleted objects, and the topmost owner, to be deleted instead. */
function recreations(forecast: Forecast, view: ClusterView): string[] {
  // A deleted node's pods are wanted elsewhere.
  if (forecast.nodes !== undefined) return [];
  const namespace = surroundings(forecast.action.targets);
  const going = new Set<Uid>(forecast.deleted.map(({ object }) => object.uid));
  const found = new Set<string>();
  for (const { by, actor, kind, count, named, anyway } of forecast.recreated) {
    if (!anyway && actor !== undefined)
      found.add(
        `${actor} creates ${namesOf(
          (named ?? []).map(each => ({ ...each, kind })),
          { namespace, all: false },
        )} again.`,
      );
    if (anyway || by === undefined) continue;
    const top = topController(by, view);
    const made = `${objectTitleIn(by, namespace)} creates ${counted(count, `new ${kind}`, `new ${countWords.plural(kind, count)}`)}`;
    // A recreated controller can't be deleted yet; its own controller has its own line.
    const isNew = view.graph.get(by.uid)?.object === undefined;
    found.add(
      isNew || going.has(top.uid)
        ? `${made}.`
        : `${made}. To prevent that, delete ${objectTitleIn(top, namespace)} instead.`,
    );
  }
  const all = [...found];
  return all.length <= NOTES
    ? all
    : [...all.slice(0, NOTES), `${all.length - NOTES} more create new objects.`];
}

function topController(from: Identity, { graph }: ClusterView): Identity {
  const seen = new Set<Uid>();
  let top = from;
  for (let uid: Uid | undefined = from.uid; uid !== undefined && !seen.has(uid); ) {
    seen.add(uid);
    const node = graph.get(uid);
    if (node?.object === undefined) break;
    top = node.identity;
    uid = node.object.owners.find(({ controller }) => controller === true)?.uid;
  }
  return top;
}

function holdingsOf({ type, name, uid }: KubeObject, view: ClusterView): string | undefined {
  if (type.group === '' && type.kind === 'Namespace') {
    return inside(view, name, `Namespace ${name} holds`);
  }
  if (type.group !== 'apiextensions.k8s.io' || type.kind !== 'CustomResourceDefinition') return undefined;
  const dot = name.indexOf('.');
  const served = view.catalog.preferredOf({ resource: name.slice(0, dot), group: name.slice(dot + 1) });
  if (served === undefined || view.graph.get(uid)?.object === undefined) return undefined;
  let count = 0;
  const namespaces = new Set<string>();
  for (const { object } of view.graph.ofType(served)) {
    if (object === undefined) continue;
    count += 1;
    namespaces.add(object.namespace);
  }
  if (count === 0) return undefined;
  const where = served.namespaced ? ` in ${counted(namespaces.size, 'namespace')}` : '';
  return `Every ${served.kind} is deleted with its definition: ${formatCount(count)}${where}.`;
}

function inside({ graph }: ClusterView, namespace: string, lead: string): string | undefined {
  const kinds = new Map<string, number>();
  let total = 0;
  for (const { object } of graph.nodes()) {
    if (object?.namespace !== namespace) continue;
    kinds.set(object.type.kind, (kinds.get(object.type.kind) ?? 0) + 1);
    total += 1;
  }
  if (total === 0) return undefined;
  const words = [...kinds]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([kind, count]) => `${formatCount(count)} ${countWords.plural(kind, count)}`);
  const more = words.length - KINDS;
  const shown = more > 0 ? [...words.slice(0, KINDS), `${more} more kinds`] : words;
  return `${lead} ${counted(total, 'object')}: ${shown.join(', ')}.`;
}

export const questionWords = {
  question: actionQuestion,
  deletionNotes,
  unblockNotes,
  losses: lossLines,
  requests: requestLines,
  sending: sendingWords,
  typed: typedQuestion,
};
