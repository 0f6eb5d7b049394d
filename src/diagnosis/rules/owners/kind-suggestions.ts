/**
 * What somebody may have meant by an apiVersion and kind that aren't served: `core/v1` for `v1`, a version that was
 * dropped, a resource's name or another case in place of the kind. Only what is served is suggested.
 */

import type { KubeObject, OwnerReference } from '../../../model/object.ts';
import { closestWords } from '../../../model/text/fuzzy.ts';
import { parseApiVersion, type ResourceType } from '../../../model/types/resource-type.ts';
import type { TypeCatalog } from '../../../model/types/type-catalog.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/** Groups whose kinds have moved since (Kubernetes' deprecation guide, v1.16 and v1.22). */
const movedFrom: ReadonlySet<string> = new Set(['extensions', 'core']);

export interface Suggestion {
  readonly type: ResourceType;
  /** The object that the reference means if the type is right: under its name, and under its uid for certain. */
  readonly object: KubeObject | undefined;
  /** The object has the reference's uid, so nothing else can be meant. */
  readonly certain: boolean;
}

/** The likeliest one, or undefined where nothing served is near enough. */
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

/** Nearest first: the same kind in its group, then in any group that it may have moved to, then misspelt ones. */
function candidatesFor(catalog: TypeCatalog, { apiVersion, kind }: OwnerReference): readonly ResourceType[] {
  const { group } = parseApiVersion(apiVersion);
  const preferred = catalog.types.filter(type => type.preferred);
  const near = (types: readonly ResourceType[]): readonly ResourceType[] => {
    const exact = types.filter(type => isNamed(type, kind));
    if (exact.length > 0) return exact;
    const [closest] = closestWords(
      kind,
      types.map(type => type.kind),
      1,
    );
    return types.filter(type => type.kind === closest);
  };
  const inGroup = near(preferred.filter(type => type.group === group));
  if (inGroup.length > 0) return inGroup;
  const sameKind = preferred.filter(type => isNamed(type, kind));
  // The same kind of an unknown group may be something else altogether, unless the group itself is misspelt.
  const groups = new Set(preferred.map(type => type.group));
  const [closestGroup] = movedFrom.has(group) ? [] : closestWords(group, groups, 1);
  return sameKind.filter(
    type =>
      movedFrom.has(group) || group === '' || type.group === closestGroup || isPartOf(group, type.group),
  );
}

/** By kind, plural, singular or short name, in any case. */
function isNamed({ kind, resource, singular, shortNames }: ResourceType, word: string): boolean {
  const lower = word.toLowerCase();
  return [kind.toLowerCase(), resource, singular, ...shortNames].includes(lower);
}

/** `networking` for `networking.k8s.io`. */
function isPartOf(group: string, whole: string): boolean {
  return whole.startsWith(`${group}.`);
}
