/** Words that only the cluster knows: types, and names of one type. Given up after a moment. */

import { ClusterView } from '../../graph/cluster-view.ts';
import { isMonitored, type ResourceType } from '../../model/resource-type.ts';
import type { NameSource } from '../../source/name-source.ts';
import type { Deps } from '../deps.ts';
import { type Flags, sourceFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { openSource, scopeOf } from '../session.ts';
import type { Candidate } from './complete.ts';

// Longer than this nobody waits for a Tab.
const PATIENCE_MILLISECONDS = 3000;

export interface ClusterWords {
  readonly types: readonly Candidate[];
  /** Names of objects of the asked type in the namespace of the flags. */
  readonly names: readonly string[];
}

/** Reads just enough: the types, or where `typeWord` is given the names of that one's objects. */
export async function clusterWords(
  flags: Flags,
  io: Io,
  deps: Deps,
  typeWord: string | undefined,
): Promise<ClusterWords> {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MILLISECONDS);
  try {
    if (flags.demo !== undefined || flags.filename !== undefined || deps.openNames === undefined)
      return await fromSource(flags, { io, deps, typeWord, signal: patience.signal });
    const source = await deps.openNames(sourceFlags(flags), io);
    try {
      return await fromNames(source, flags, { typeWord, signal: patience.signal });
    } finally {
      await source.close();
    }
  } finally {
    clearTimeout(timer);
  }
}

interface Wanted {
  readonly typeWord: string | undefined;
  readonly signal: AbortSignal;
}

/** Of a live cluster, in few requests. */
async function fromNames(
  source: NameSource,
  flags: Flags,
  { typeWord, signal }: Wanted,
): Promise<ClusterWords> {
  const tooLong = new Promise<ClusterWords>(resolve => {
    signal.addEventListener('abort', () => setImmediate(resolve, { types: [], names: [] }));
  });
  const namespace = flags.allNamespaces === true ? undefined : (flags.namespace ?? source.namespace);
  const words = async (): Promise<ClusterWords> =>
    typeWord === undefined
      ? { types: typeWords(await source.types()), names: [] }
      : { types: [], names: await source.names(typeWord, namespace, signal) };
  return Promise.race([words(), tooLong]);
}

/** Of what is read as a whole anyway: files and scenarios. */
async function fromSource(
  flags: Flags,
  { io, deps, typeWord, signal }: Wanted & { readonly io: Io; readonly deps: Deps },
): Promise<ClusterWords> {
  const source = await openSource(flags, io, deps);
  const view = new ClusterView();
  try {
    const tooLong = new Promise<void>(resolve => {
      signal.addEventListener('abort', () => resolve());
    });
    let wanted: readonly ResourceType[] = [];
    let listed: () => void = () => {};
    const ready = new Promise<void>(resolve => {
      listed = resolve;
    });
    const started = source.start(batch => {
      view.apply(batch);
      if (typeWord === undefined) return;
      const resolution = view.catalog.resolveWord(typeWord);
      wanted = resolution.known ? resolution.types : [];
      if (view.catalog.types.length > 0 && wanted.every(type => !listing(view, type))) listed();
    });
    await Promise.race([started, tooLong]);
    if (typeWord !== undefined) await Promise.race([ready, source.graphComplete, tooLong]);
    const namespace = scopeOf(flags, source);
    const names = new Set<string>();
    for (const type of wanted)
      for (const { identity } of view.graph.ofType(type))
        if (namespace === undefined || !type.namespaced || identity.namespace === namespace)
          names.add(identity.name);
    return { types: typeWords(view.catalog.types), names: [...names].sort() };
  } finally {
    await source.close();
  }
}

function typeWords(types: readonly ResourceType[]): Candidate[] {
  return types
    .filter(isMonitored)
    .map(type => ({ word: type.resource, description: `${type.apiVersion} ${type.kind}` }))
    .sort((a, b) => (a.word < b.word ? -1 : 1));
}

/** Nothing is known of its list yet, or it is under way. */
function listing(view: ClusterView, type: ResourceType): boolean {
  const status = view.statusOf(type);
  return status === undefined ? isMonitored(type) : status.state === 'listing';
}
