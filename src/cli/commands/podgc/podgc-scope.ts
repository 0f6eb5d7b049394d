/** Selects pods for `podgc`, by default in all namespaces, which PodGC ignores. */
import type { ClusterView, GraphNode } from '../../../graph/index.ts';
import type { KubeObject, Uid } from '../../../model/index.ts';
import { UsageError } from '../../runtime/errors.ts';
import type { Flags } from '../../runtime/flags.ts';
import { type FormatOf, formatOf } from '../../runtime/output-formats.ts';
import { type ClusterSession, scopeOf } from '../../session/session.ts';
import { refuseWatch } from '../../session/watch.ts';
import { findTargets, parseTargets, type TargetQuery, type TargetWord } from '../../targets/targets.ts';

export interface PodGcQuery {
  /** Undefined for all candidates and their lookalikes. */
  readonly query: TargetQuery | undefined;
  readonly labels: TargetQuery['matches'];
  readonly format: FormatOf<'podgc'>;
}

/** Throws a `UsageError` for incompatible formats and flags. */
export function parsePodGc(targets: readonly string[], flags: Flags): PodGcQuery {
  const format = formatOf('podgc', flags.output);
  refuseWatch(flags);
  if (flags.sortBy !== undefined)
    throw new UsageError("podgc prints pods in PodGC's own order: leave --sort-by out.");
  const query = parseTargets(targets, flags);
  return { query: query.words.length === 0 ? undefined : query, labels: query.matches, format };
}

export interface PodGcScope {
  readonly namespace: string | undefined;
  /** Requested pods; undefined without targets. */
  readonly asked: ReadonlySet<Uid> | undefined;
  has(pod: KubeObject): boolean;
  /** Updates the scope in a watch, with new pods under the same names. */
  follow(): void;
}

/**
 * Includes every namespace, or that of `-n`, without a target. A pod stands for itself, a node for its pods, anything
 * else for the pods below it. Throws a `UsageError` for unknown targets, and for those without pods.
 */
export function podGcScope(session: ClusterSession, { query, labels }: PodGcQuery, flags: Flags): PodGcScope {
  const { namespace: named, allNamespaces } = flags;
  if (query === undefined) {
    const namespace = allNamespaces === true ? undefined : named;
    return {
      namespace,
      asked: undefined,
      has: pod => (namespace === undefined || pod.namespace === namespace) && (labels?.(pod) ?? true),
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
        // A deleted target may return.
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
  // Pods may still name a node that is gone.
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

/** Matches a node that doesn't exist but has bound pods. */
function isMissingNode(view: ClusterView, { type: word, name }: TargetWord): boolean {
  if (name === undefined) return false;
  const resolution = view.catalog.resolveWord(word);
  const type = resolution.known
    ? resolution.types.find(({ group, kind }) => group === '' && kind === 'Node')
    : undefined;
  if (type === undefined || view.graph.find(type, '', name) !== undefined) return false;
  return view.podsOn(name).next().done !== true;
}
