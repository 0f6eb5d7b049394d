/** What has to be known before "nothing" is an answer: neither a mistyped name nor a missing permission may get it. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { closestWords } from '../../model/text/fuzzy.ts';
import { prose, shownName } from '../../model/text/shown.ts';
import { isMonitored, type ResourceType } from '../../model/types/resource-type.ts';
import type { CommandContext } from '../runtime/command.ts';
import { EXIT_DONE, EXIT_FOUND, UsageError } from '../runtime/errors.ts';
import { say } from '../runtime/say.ts';
import type { ClusterSession } from './session.ts';

/**
 * Throws a `UsageError` where no kind in the scope could be listed, and where the namespace isn't there. Files are a
 * scope by themselves: they seldom hold all kinds, nor the Namespace of what is in them.
 */
export function requireKnownScope({ view, source }: ClusterSession, namespace: string | undefined): void {
  if (source.info.source === 'files') return;
  requireSight(view, namespace);
  if (namespace !== undefined) requireNamespace(view, namespace);
}

function requireSight(view: ClusterView, namespace: string | undefined): void {
  const wanted = view.catalog.types.filter(
    type => isMonitored(type) && (namespace === undefined || type.namespaced),
  );
  const [first] = wanted;
  // Nothing was asked for.
  if (view.scope?.namespaces.length === 0) return;
  if (first === undefined || wanted.some(type => isSeen(view, type, namespace))) return;
  const where = namespace === undefined ? 'this cluster' : `namespace ${shownName(namespace)}`;
  const reason = view.statusOf(first)?.reason ?? 'no reason given';
  throw new UsageError(
    `nothing in ${where} can be seen: none of ${wanted.length} kinds can be listed (${prose(reason)}). Ask for permission to list and watch them${namespace === undefined ? ', or name a namespace with -n' : ''}.`,
  );
}

/** Whether objects of the type are known in the namespace, or will be. */
function isSeen(view: ClusterView, type: ResourceType, namespace: string | undefined): boolean {
  const visibility = view.visibility(type);
  if (visibility !== 'partial') return visibility !== 'blind';
  const { namespaces = [] } = view.statusOf(type) ?? {};
  return namespace === undefined ? namespaces.length > 0 : namespaces.includes(namespace);
}

/** Where all namespaces could be listed, this is none of them, and nothing is in it. */
function requireNamespace(view: ClusterView, namespace: string): void {
  const type = view.catalog.resolveKind('v1', 'Namespace');
  // In a scope the others are only read where this one is missing.
  if (type === undefined || view.find(type, '', namespace) !== undefined || !view.seesAll(type)) return;
  const there = [...view.graph.ofType(type)].map(({ identity }) => identity.name);
  if (there.length === 0 || there.includes(namespace)) return;
  for (const { identity, virtual } of view.graph.nodes())
    if (!virtual && identity.namespace === namespace) return;
  const near = closestWords(namespace, there);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map(shownName).join(', ')}?`
      : '`kubectl get namespaces` lists them.';
  throw new UsageError(`namespace ${JSON.stringify(namespace)} not found. ${hint}`);
}

/**
 * Returns the exit code; `namespace` is undefined for all. As in kubectl get, --ignore-not-found silences the sentence; a
 * document needs none.
 */
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
