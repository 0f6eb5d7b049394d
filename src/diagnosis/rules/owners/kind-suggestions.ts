/** Suggests served kinds for a mistaken one: `core/v1` for `v1`, a dropped version, a resource name, wrong case. */

import {
  type KubeObject,
  type OwnerReference,
  parseApiVersion,
  type ResourceType,
  SimilarWord,
  type TypeCatalog,
} from '../../../model/index.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/** Groups whose kinds have moved since (Kubernetes' deprecation guide, v1.16 and v1.22). */
const movedFrom: ReadonlySet<string> = new Set(['extensions', 'core']);

export interface Suggestion {
  readonly type: ResourceType;
  /** The object that the reference means if the type is right, found by uid or by name. */
  readonly object: KubeObject | undefined;
  /** True if the object has the reference's uid, so that no other can be meant. */
  readonly certain: boolean;
}

export function suggestionFor(
  tracked: TrackedView,
  reference: OwnerReference,
  namespace: string,
): Suggestion | undefined {
  const byUid = tracked.node(reference.uid)?.object;
  if (byUid !== undefined) return { type: byUid.type, object: byUid, certain: true };
  const candidates = candidatesFor(tracked.view.catalog, reference);
  let first: Suggestion | undefined;
  for (const type of candidates) {
    const reachable = !type.namespaced || namespace !== '';
    const object = reachable
      ? tracked.find(type, type.namespaced ? namespace : '', reference.name)
      : undefined;
    const suggestion = { type, object, certain: false };
    if (object !== undefined) return suggestion;
    first ??= suggestion;
  }
  return first;
}

/** Sorts the nearest first: the same kind in its group, then in groups it may have moved to, then misspelt ones. */
function candidatesFor(catalog: TypeCatalog, { apiVersion, kind }: OwnerReference): readonly ResourceType[] {
  const { group } = parseApiVersion(apiVersion);
  const preferred = catalog.types.filter(type => type.preferred);
  const near = (types: readonly ResourceType[]): readonly ResourceType[] => {
    const exact = types.filter(type => isNamed(type, kind));
    if (exact.length > 0) return exact;
    const [closest] = SimilarWord.closest(
      kind,
      types.map(type => type.kind),
      1,
    );
    return types.filter(type => type.kind === closest);
  };
  const inGroup = near(preferred.filter(type => type.group === group));
  if (inGroup.length > 0) return inGroup;
  const sameKind = preferred.filter(type => isNamed(type, kind));
  // An equal kind in an unknown group may be unrelated, unless the group itself is misspelt.
  const groups = new Set(preferred.map(type => type.group));
  const [closestGroup] = movedFrom.has(group) ? [] : SimilarWord.closest(group, groups, 1);
  return sameKind.filter(
    type =>
      movedFrom.has(group) || group === '' || type.group === closestGroup || isPartOf(group, type.group),
  );
}

/** Compares kind, plural, singular and short names, ignoring case. */
function isNamed({ kind, resource, singular, shortNames }: ResourceType, word: string): boolean {
  const lower = word.toLowerCase();
  return [kind.toLowerCase(), resource, singular, ...shortNames].includes(lower);
}

function isPartOf(group: string, whole: string): boolean {
  return whole.startsWith(`${group}.`);
}
