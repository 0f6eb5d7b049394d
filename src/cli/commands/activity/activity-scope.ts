import { type ActivityFilter, ActivityKind } from '../../../activity/index.ts';
import type { ClusterView } from '../../../graph/index.ts';
import { parseApiVersion, SimilarWord } from '../../../model/index.ts';
import { UsageError } from '../../runtime/errors.ts';
import { knownTypes, type TargetQuery } from '../../targets/targets.ts';

/** Throws a `UsageError` for an unknown name of `--what`; case doesn't matter. */
export function kindsOf(lists: readonly string[] | undefined): ReadonlySet<ActivityKind> | undefined {
  if (lists === undefined) return undefined;
  const names = lists
    .flatMap(list => list.split(','))
    .map(name => name.trim())
    .filter(name => name !== '');
  if (names.length === 0) throw new UsageError('--what needs a kind, such as Collected.');
  return new Set(names.map(kindOf));
}

function kindOf(name: string): ActivityKind {
  const wanted = name.toLowerCase();
  const found = ActivityKind.all.find(kind => kind.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const lower = ActivityKind.all.map(kind => kind.toLowerCase());
  const near = SimilarWord.closest(wanted, lower);
  const kinds = ActivityKind.all.filter(kind => near.includes(kind.toLowerCase()));
  const hint =
    kinds.length > 0 ? `Did you mean ${kinds.join(', ')}?` : `There are ${ActivityKind.all.join(', ')}.`;
  throw new UsageError(`--what: no kind of entry ${JSON.stringify(name)}. ${hint}`);
}

/** Matches by name, as targets may be gone or yet to come. Throws a `UsageError` for an unserved type. */
export function activityFilter(
  view: ClusterView,
  { words }: TargetQuery,
  namespace: string | undefined,
): ActivityFilter {
  if (words.length === 0) return { namespace };
  const wanted = words.map(({ type, name }) => {
    const types = knownTypes(view.catalog, type);
    if (types === undefined)
      throw new UsageError(`the server doesn't have a resource type ${JSON.stringify(type)}`);
    return { types, name };
  });
  return {
    namespace: undefined,
    means: object =>
      wanted.some(
        ({ types, name }) =>
          (name === undefined || name === object.name) &&
          types.some(
            ({ kind, group, namespaced }) =>
              kind === object.kind &&
              group === parseApiVersion(object.apiVersion).group &&
              (!namespaced || namespace === undefined || namespace === object.namespace),
          ),
      ),
  };
}
