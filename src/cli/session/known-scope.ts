/** Checks before answering "nothing" that neither a typo nor a missing permission is the cause. */
import type { ClusterView } from '../../graph/index.ts';
import { prose, ResourceType, SimilarWord, shownName } from '../../model/index.ts';
import type { CommandContext } from '../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND, UsageError } from '../runtime/errors.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

/** Throws a `UsageError` if no kind could be listed, or if the namespace is missing. Files are never refused. */
export function requireKnownScope({ view, source }: ClusterSession, namespace: string | undefined): void {
  if (source.info.source === 'files') return;
  requireSight(view, namespace);
  if (namespace !== undefined) requireNamespace(view, namespace);
}

function requireSight(view: ClusterView, namespace: string | undefined): void {
  const wanted = view.catalog.types.filter(
    type => ResourceType.isMonitored(type) && (namespace === undefined || type.namespaced),
  );
  const [first] = wanted;
  if (view.scope?.namespaces.length === 0) return;
  if (first === undefined || wanted.some(type => isSeen(view, type, namespace))) return;
  const where = namespace === undefined ? 'this cluster' : `namespace ${shownName(namespace)}`;
  const reason = view.statusOf(first)?.reason ?? 'no reason given';
  throw new UsageError(
    `nothing in ${where} can be seen: none of ${wanted.length} kinds can be listed (${prose(reason)}). Ask for permission to list and watch them${namespace === undefined ? ', or name a namespace with -n' : ''}.`,
  );
}

function isSeen(view: ClusterView, type: ResourceType, namespace: string | undefined): boolean {
  const visibility = view.visibility(type);
  if (visibility !== 'partial') return visibility !== 'blind';
  const { namespaces = [] } = view.statusOf(type) ?? {};
  return namespace === undefined ? namespaces.length > 0 : namespaces.includes(namespace);
}

/** Refuses a namespace that is missing from a complete list. */
function requireNamespace(view: ClusterView, namespace: string): void {
  const type = view.catalog.resolveKind('v1', 'Namespace');
  // In a scope, other namespaces are only read if this one is missing.
  if (type === undefined || view.find(type, '', namespace) !== undefined || !view.seesAll(type)) return;
  const there = [...view.graph.ofType(type)].map(({ identity }) => identity.name);
  if (there.length === 0 || there.includes(namespace)) return;
  for (const { identity, virtual } of view.graph.nodes())
    if (!virtual && identity.namespace === namespace) return;
  const near = SimilarWord.closest(namespace, there);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map(shownName).join(', ')}?`
      : '`kubectl get namespaces` lists them.';
  throw new UsageError(`namespace ${JSON.stringify(namespace)} not found. ${hint}`);
}

/** Returns the exit code. --ignore-not-found silences the message, as in kubectl get; documents need none. */
export function nothingSelected({ flags, io }: CommandContext, namespace: string | undefined): number {
  const fails = flags.failOnEmpty === true;
  const where = namespace === undefined ? '' : ` in ${shownName(namespace)} namespace`;
  const isDocument = ['json', 'yaml', 'junit', 'sarif', 'github', 'markdown'].includes(
    flags.output ?? 'text',
  );
  const isSaid = !isDocument && flags.ignoreNotFound !== true;
  if (fails || isSaid) say(io, `No resources found${where}.\n`);
  return fails ? EXIT_FOUND : EXIT_DONE;
}
