/** Asks the API server before a command calls something absent. Anything unconfirmed is reported as assumed. */
import { type Diagnosis, diagnoseCluster } from '../../diagnosis/index.ts';
import type { GraphNode } from '../../graph/index.ts';
import type { LookUp, Uid } from '../../model/index.ts';
import { type PodGcSurvey, podGcNodes } from '../../podgc/index.ts';
import { SnapshotComponents } from '../../simulation/index.ts';
import { findTargets, selectsAll, type TargetQuery } from '../targets/targets.ts';
import type { ClusterSession } from './session.ts';

/** Limits look-ups to what an answer needs: cluster-scoped objects matter everywhere. */
export interface AnswerScope {
  readonly namespaces: ReadonlySet<string> | undefined;
}

const everywhere: AnswerScope = { namespaces: undefined };

export function inNamespaces(...names: readonly (string | undefined)[]): AnswerScope {
  const known = names.filter(name => name !== undefined);
  return { namespaces: known.length < names.length ? undefined : new Set(known) };
}

/** Returns the namespaces of objects and their relatives; all if a cluster-scoped object is among them. */
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

/** Returns a selection's scope or, without one, the namespace's. */
export function answerScope(
  session: ClusterSession,
  query: TargetQuery,
  namespace: string | undefined,
): AnswerScope {
  return selectsAll(query)
    ? inNamespaces(namespace)
    : surroundingsOf(session, findTargets(session.view, query, namespace));
}

/** Makes the look-ups that the collector and PodGC would make before they act in scope. */
export function confirmAbsences(session: ClusterSession, scope: AnswerScope): Promise<void> {
  return session.lookUp(openLookUps(session, scope));
}

export function confirmMissingNodes(session: ClusterSession): Promise<void> {
  const { view } = session;
  return session.lookUp(() =>
    podGcNodes.missing(view, () => true).filter(each => !view.absences.isAnswered(each)),
  );
}

export interface ConfirmedOptions {
  readonly scope: AnswerScope;
  /** Further look-ups that the output depends on. */
  readonly also?: (diagnosis: Diagnosis) => readonly LookUp[];
  /** True to judge objects on demand, for callers that don't list findings. */
  readonly asked?: boolean;
}

/** Confirms what findings in scope rest on, then diagnoses the view as it is. */
export async function diagnoseConfirmed(
  session: ClusterSession,
  { scope, also = () => [], asked = false }: ConfirmedOptions,
): Promise<Diagnosis> {
  await confirmAbsences(session, scope);
  const judge = (): Diagnosis => diagnoseCluster(session.view, session.now(), { asked });
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

/** An answer may lead to a second question, rarely a third, and so may reads outside a scope. */
const MOST_ROUNDS = 6;

interface KeptConfirmed {
  readonly diagnosis?: Diagnosis;
  readonly survey?: PodGcSurvey;
  /** Further look-ups, whose answers are waited for. */
  readonly urgent?: Iterable<LookUp>;
}

/** Requests new look-ups while a command watches, without waiting for them. */
export function keepConfirming(
  session: ClusterSession,
  scope: AnswerScope,
  { diagnosis, survey, urgent = [] }: KeptConfirmed = {},
): void {
  const { source } = session;
  if (source.lookUp === undefined) return;
  const first = [...urgent];
  const wanted = [
    ...first,
    ...unconfirmedIn(session, scope),
    ...(diagnosis?.assumptions(wantedIn(session, scope)) ?? []),
    ...(survey === undefined ? [] : unconfirmedNodes(session, survey)),
  ];
  source.lookUp(wanted, { urgent: first.length > 0 });
}

/** Like `keepConfirming`, for missing nodes whose deletion wasn't seen. */
export function keepConfirmingNodes(session: ClusterSession, survey: PodGcSurvey): void {
  session.source.lookUp?.(unconfirmedNodes(session, survey), { urgent: false });
}

function unconfirmedNodes({ view }: ClusterSession, survey: PodGcSurvey): LookUp[] {
  return survey.unseenRemovals
    .map(podGcNodes.lookUp)
    .filter(each => view.absences.of(each).state !== 'confirmed');
}

function wantedIn({ view }: ClusterSession, scope: AnswerScope): (uid: Uid) => boolean {
  return uid => isIn(scope, view.graph.get(uid)?.identity.namespace ?? '');
}

function openLookUps(session: ClusterSession, scope: AnswerScope): () => readonly LookUp[] {
  const { source, view } = session;
  if (source.lookUp === undefined) return () => [];
  // This looks at all pods.
  const nodes = podGcNodes.missing(view, namespace => isIn(scope, namespace));
  return () => [...unconfirmedIn(session, scope), ...nodes].filter(each => !view.absences.isAnswered(each));
}

function* unconfirmedIn({ view }: ClusterSession, scope: AnswerScope): IterableIterator<LookUp> {
  for (const lookUp of view.absences.unconfirmed()) {
    // An owner of objects in several namespaces matters in each.
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
