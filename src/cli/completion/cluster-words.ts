/** Completes types and names from the cluster, within a short timeout. */

import { ClusterView } from '../../graph/index.ts';
import { ResourceType } from '../../model/index.ts';
import { type NameSource, SourceInfo } from '../../source/index.ts';
import { type Flags, sourceFlags, standingFlag } from '../runtime/flags.ts';
import { openSource, scopeOf } from '../session/session.ts';
import type { Candidate, CompletionContext } from './answer.ts';

const PATIENCE_MILLISECONDS = 3000;

export interface ClusterWords {
  readonly types: readonly Candidate[];
  readonly names: readonly string[];
}

/** Reads types or, with a `typeWord` such as `sts` or `sts,deploy`, the names of their objects. */
export async function clusterWords(
  flags: Flags,
  { io, services }: CompletionContext,
  typeWord?: string,
): Promise<ClusterWords> {
  const typeWords = typeWord?.split(',').filter(word => word !== '');
  const signal = AbortSignal.timeout(PATIENCE_MILLISECONDS);
  if (flags.demo !== undefined || standingFlag(flags) !== undefined || services.openNames === undefined)
    return fromSource(flags, { io, services, typeWords, signal });
  const source = await services.openNames(sourceFlags(flags), io);
  try {
    return await fromNames(source, flags, { typeWords, signal });
  } finally {
    await source.close();
  }
}

interface Wanted {
  readonly typeWords: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

async function fromNames(
  source: NameSource,
  flags: Flags,
  { typeWords, signal }: Wanted,
): Promise<ClusterWords> {
  const tooLong = new Promise<ClusterWords>(resolve => {
    signal.addEventListener('abort', () => setImmediate(resolve, { types: [], names: [] }));
  });
  const namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? source.namespace);
  const words = async (): Promise<ClusterWords> => {
    if (typeWords === undefined) return { types: offered(await source.types()), names: [] };
    const lists = await Promise.all(typeWords.map(word => source.names(word, namespace, signal)));
    return { types: [], names: [...new Set(lists.flat())].sort() };
  };
  return Promise.race([words(), tooLong]);
}

/** Reads files and scenarios, which are loaded as a whole anyway. */
async function fromSource(
  flags: Flags,
  { io, services, typeWords, signal }: Wanted & CompletionContext,
): Promise<ClusterWords> {
  const source = await openSource(flags, io, services);
  const view = new ClusterView();
  try {
    const tooLong = new Promise<void>(resolve => {
      signal.addEventListener('abort', () => resolve());
    });
    let wanted: readonly ResourceType[] = [];
    const { promise: ready, resolve: listed } = Promise.withResolvers<void>();
    const started = source.start(batch => {
      view.apply(batch, SourceInfo.moment(source.info, io.now()));
      if (typeWords === undefined) return;
      wanted = typeWords.flatMap(word => {
        const resolution = view.catalog.resolveWord(word);
        return resolution.known ? resolution.types : [];
      });
      if (view.catalog.types.length > 0 && wanted.every(type => !listing(view, type))) listed();
    });
    await Promise.race([started, tooLong]);
    if (typeWords !== undefined) await Promise.race([ready, source.graphComplete, tooLong]);
    const namespace = scopeOf(flags, source);
    const names = new Set<string>();
    for (const type of wanted)
      for (const { identity } of view.graph.ofType(type))
        if (namespace === undefined || !type.namespaced || identity.namespace === namespace)
          names.add(identity.name);
    return { types: offered(view.catalog.types), names: [...names].sort() };
  } finally {
    await source.close();
  }
}

function offered(types: readonly ResourceType[]): Candidate[] {
  return types
    .filter(ResourceType.isMonitored)
    .map(type => ({ word: type.resource, description: `${type.apiVersion} ${type.kind}` }))
    .sort((a, b) => (a.word < b.word ? -1 : 1));
}

/** Returns true before the type's list has arrived. */
function listing(view: ClusterView, type: ResourceType): boolean {
  const status = view.statusOf(type);
  return status === undefined ? ResourceType.isMonitored(type) : status.state === 'listing';
}
