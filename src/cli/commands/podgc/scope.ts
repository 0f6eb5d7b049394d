/** Which pods `podgc` speaks of: PodGC knows no namespaces, so without a word about it all of them. */
import type { ClusterView } from '../../../graph/cluster-view.ts';
import type { GraphNode } from '../../../graph/node.ts';
import type { KubeObject, Uid } from '../../../model/object.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { type FormatOf, formatOf } from '../../runtime/format.ts';
import { type ClusterSession, scopeOf } from '../../session/session.ts';
import { refuseWatch } from '../../session/watch.ts';
import { findTargets, parseTargets, type TargetQuery, type TargetWord } from '../../targets/targets.ts';

export interface PodGcQuery {
  /** Undefined: whatever PodGC takes, and what looks like it. */
  readonly query: TargetQuery | undefined;
  /** Of `-l` and `--field-selector`: other pods are left out. */
  readonly labels: TargetQuery['matches'];
  readonly format: FormatOf<'podgc'>;
}

/** Throws a `UsageError` for formats and flags that don't go together. */
export function parsePodGc(targets: readonly string[], flags: Flags): PodGcQuery {
  const format = formatOf('podgc', flags.output);
  refuseWatch(flags);
  if (flags.sortBy !== undefined)
    throw new UsageError("podgc prints pods in PodGC's own order: leave --sort-by out.");
  const query = parseTargets(targets, flags);
  return { query: query.words.length === 0 ? undefined : query, labels: query.matches, format };
}

export interface PodGcScope {
  /** Undefined for all. */
  readonly namespace: string | undefined;
  /** The pods that were asked about; undefined where nothing was named. */
  readonly asked: ReadonlySet<Uid> | undefined;
  has(pod: KubeObject): boolean;
  /** For a watch: takes in the pods that are meant now, those that came under the same names among them. */
  follow(): void;
}

/**
 * Without a target the pods of every namespace, or of the one that `-n` names. A target is looked for as kubectl does:
 * a pod is meant itself, a node with the pods on it, anything else with the pods below it. Throws a `UsageError` for
 * unknown types and names, and where no pod is meant.
 */
export function podGcScope(session: ClusterSession, { query, labels }: PodGcQuery, flags: Flags): PodGcScope {
  const { namespace: named, allNamespaces } = flags;
  if (query === undefined) {
    const namespace = allNamespaces === true ? undefined : named;
    return {
      namespace,
      asked: undefined,
      has: pod => (namespace === undefined || pod.namespace === namespace) && (labels?.(pod) ?? true),
      // Whatever comes is meant already.
      follow: () => {},
    };
  }
  const namespace = scopeOf(flags, session.source);
  const asked = new Set(podsMeant(session, query, namespace));
  if (asked.size === 0)
    throw new UsageError(
      'no pod is meant: name pods, a node, or an owner of pods. Without a target all are meant.',
    );
  return {
    namespace,
    asked,
    has: ({ uid }) => asked.has(uid),
    follow: () => {
      try {
        for (const uid of podsMeant(session, query, namespace)) asked.add(uid);
      } catch (error) {
        // What is gone may come again.
        if (!(error instanceof UsageError)) throw error;
      }
    },
  };
}

function podsMeant(
  session: ClusterSession,
  query: TargetQuery,
  namespace: string | undefined,
): ReadonlySet<Uid> {
  const asked = new Set<Uid>();
  const nodes = new Set<string>();
  const seen = new Set<GraphNode>();
  // Of a node that is gone there are still the pods that name it.
  const there = query.words.filter(word => {
    if (!isMissingNode(session.view, word)) return true;
    nodes.add(word.name ?? '');
    return false;
  });
  const open =
    there.length === 0 ? [] : [...findTargets(session.view, { ...query, words: there }, namespace)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const { object } = node;
    if (object?.facts?.kind === 'Pod') asked.add(object.uid);
    else if (object?.facts?.kind === 'Node') nodes.add(object.name);
    open.push(...node.dependents);
  }
  for (const name of nodes) for (const { uid } of session.view.podsOn(name)) asked.add(uid);
  return asked;
}

/** Whether a word names a node that doesn't exist, and that pods are bound to. */
function isMissingNode(view: ClusterView, { type: word, name }: TargetWord): boolean {
  if (name === undefined) return false;
  const resolution = view.catalog.resolveWord(word);
  const type = resolution.known
    ? resolution.types.find(({ group, kind }) => group === '' && kind === 'Node')
    : undefined;
  if (type === undefined || view.graph.find(type, '', name) !== undefined) return false;
  return view.podsOn(name).next().done !== true;
}
