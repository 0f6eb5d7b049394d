/**
 * Before a command says that something doesn't exist, the API server is asked: lists may be older than what they are
 * compared with. What cannot be confirmed in time stays assumed, and the answer says so.
 */
import { Diagnosis } from '../../diagnosis/engine/diagnosis.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { LookUp } from '../../model/exchange/changes.ts';
import type { Uid } from '../../model/object.ts';
import { missingNodes, nodeLookUp } from '../../podgc/passes/nodes.ts';
import type { PodGcSurvey } from '../../podgc/survey/survey.ts';
import { SnapshotComponents } from '../../simulation/collector/garbage-collector.ts';
import { findTargets, selectsAll, type TargetQuery } from '../targets/targets.ts';
import type { ClusterSession } from './session.ts';

/** What an answer is about, so that nothing else is asked: objects outside of all namespaces matter everywhere. */
export interface AnswerScope {
  /** Undefined for all. */
  readonly namespaces: ReadonlySet<string> | undefined;
}

const everywhere: AnswerScope = { namespaces: undefined };

export function inNamespaces(...names: readonly (string | undefined)[]): AnswerScope {
  const known = names.filter(name => name !== undefined);
  return { namespaces: known.length < names.length ? undefined : new Set(known) };
}

/**
 * Where objects and what is connected with them by owner references are. What happens to nodes, to definitions and to
 * other objects outside of all namespaces may reach anywhere.
 */
export function surroundingsOf({ view }: ClusterSession, nodes: Iterable<GraphNode>): AnswerScope {
  const components = new SnapshotComponents(view.graph);
  const namespaces = new Set<string>();
  for (const { identity } of nodes) {
    const isNamespace = identity.kind === 'Namespace' && identity.apiVersion === 'v1';
    if (isNamespace) namespaces.add(identity.name);
    else if (identity.namespace === '') return everywhere;
    for (const member of components.take(identity.uid)) namespaces.add(member.identity.namespace);
  }
  return { namespaces };
}

/** Of a selection; without one everything in the namespace, or in all where it is undefined. */
export function answerScope(
  session: ClusterSession,
  query: TargetQuery,
  namespace: string | undefined,
): AnswerScope {
  return selectsAll(query)
    ? inNamespaces(namespace)
    : surroundingsOf(session, findTargets(session.view, query, namespace));
}

/** Waits for what the collector and PodGC would ask before they act on anything in scope. */
export function confirmAbsences(session: ClusterSession, scope: AnswerScope): Promise<void> {
  return session.lookUp(openLookUps(session, scope));
}

/** The same for the nodes that are missing alone. */
export function confirmMissingNodes(session: ClusterSession): Promise<void> {
  const { view } = session;
  return session.lookUp(() => missingNodes(view, () => true).filter(each => !view.absences.isAnswered(each)));
}

export interface ConfirmedOptions {
  readonly scope: AnswerScope;
  /** What else is going to be said rests on these. */
  readonly also?: (diagnosis: Diagnosis) => readonly LookUp[];
  /** Objects are judged when they are asked for, for whoever lists no findings of others. */
  readonly asked?: boolean;
}

/** The same and what findings in scope rest on beside. The diagnosis is of the view as it is then. */
export async function diagnoseConfirmed(
  session: ClusterSession,
  { scope, also = () => [], asked = false }: ConfirmedOptions,
): Promise<Diagnosis> {
  await confirmAbsences(session, scope);
  const judge = (): Diagnosis => new Diagnosis(session.view, session.now(), { asked });
  let diagnosis = judge();
  if (session.source.lookUp === undefined) return diagnosis;
  const { absences } = session.view;
  const isWanted = wantedIn(session, scope);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const open = [...also(diagnosis), ...diagnosis.assumptions(isWanted)].filter(
      each => !absences.isAnswered(each),
    );
    const read = await session.readWanted();
    if (open.length === 0 && !read) return diagnosis;
    const others = openLookUps(session, scope);
    await session.lookUp(() => [...others(), ...open.filter(each => !absences.isAnswered(each))]);
    diagnosis = judge();
  }
  return diagnosis;
}

/** An answer may bring out another question, hardly a third; what is read beside a scope may as well. */
const MOST_ROUNDS = 6;

/** While a command watches: what came up is asked, and nobody waits for it; with a survey also of nodes, as below. */
export function keepConfirming(
  session: ClusterSession,
  scope: AnswerScope,
  diagnosis?: Diagnosis,
  survey?: PodGcSurvey,
): void {
  const { source } = session;
  if (source.lookUp === undefined) return;
  const wanted = [
    ...unconfirmedIn(session, scope),
    ...(diagnosis?.assumptions(wantedIn(session, scope)) ?? []),
    ...(survey === undefined ? [] : unconfirmedNodes(session, survey)),
  ];
  source.lookUp(wanted, { urgent: false });
}

/** The same of nodes that are missing and that nobody saw go. */
export function keepConfirmingNodes(session: ClusterSession, survey: PodGcSurvey): void {
  session.source.lookUp?.(unconfirmedNodes(session, survey), { urgent: false });
}

function unconfirmedNodes({ view }: ClusterSession, survey: PodGcSurvey): LookUp[] {
  return survey.unseenRemovals.map(nodeLookUp).filter(each => view.absences.of(each).state !== 'confirmed');
}

function wantedIn({ view }: ClusterSession, scope: AnswerScope): (uid: Uid) => boolean {
  return uid => isIn(scope, view.graph.get(uid)?.identity.namespace ?? '');
}

/** What isn't answered yet, whenever it is called. */
function openLookUps(session: ClusterSession, scope: AnswerScope): () => readonly LookUp[] {
  const { source, view } = session;
  if (source.lookUp === undefined) return () => [];
  // A look at all pods.
  const nodes = missingNodes(view, namespace => isIn(scope, namespace));
  return () => [...unconfirmedIn(session, scope), ...nodes].filter(each => !view.absences.isAnswered(each));
}

function* unconfirmedIn({ view }: ClusterSession, scope: AnswerScope): IterableIterator<LookUp> {
  for (const lookUp of view.absences.unconfirmed()) {
    // What owns objects in several namespaces matters in each of them.
    const dependents = lookUp.uid === '' ? undefined : view.graph.get(lookUp.uid)?.dependents;
    const matters =
      lookUp.namespace === '' && dependents !== undefined
        ? [...dependents].some(({ identity }) => isIn(scope, identity.namespace))
        : isIn(scope, lookUp.namespace);
    if (matters) yield lookUp;
  }
}

function isIn({ namespaces }: AnswerScope, namespace: string): boolean {
  return namespaces === undefined || namespace === '' || namespaces.has(namespace);
}
