/**
 * Waits for objects of the same group that name the held one in their spec. Live ones count only if nothing else shows
 * what the controller waits for, since many references are no use.
 */
import { patience } from '../../forecast/index.ts';
import { isDeleting, objectDeletion } from '../../graph/index.ts';
import { type KubeObject, ResourceType, record, text } from '../../model/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Wait } from './edge.ts';

/** Limits on the objects of a group whose fields are read. */
const MOST_DELETED = 50;
const MOST_LIVE = 20;

/** Lists those that are being deleted as well: `spec.clusterRef`, `spec.clusterName`. */
export function deletedReferrers(tracked: TrackedView, object: KubeObject): Wait[] {
  const { group } = object.type;
  if (ResourceType.isOfKubernetes(object.type)) return [];
  const all = tracked.once(`deleted in ${group} of ${object.namespace}`, () =>
    membersOf(tracked, object).filter(isDeleting),
  );
  const waits = all.slice(0, MOST_DELETED).flatMap(each => {
    const field = each.type.kind === object.type.kind ? undefined : fieldNaming(tracked, each, object);
    return field === undefined ? [] : [waitFor(each, `${field}, and is being deleted as well`)];
  });
  const rest = all.length - MOST_DELETED;
  const unread = `${rest} more objects of ${group} are being deleted, which may name it too`;
  return rest <= 0 ? waits : waits.map(each => ({ ...each, evidence: [...each.evidence, unread] }));
}

/** Lists those that aren't being deleted, and that neither own the object nor are owned by it. */
export function liveReferrers(tracked: TrackedView, object: KubeObject): Wait[] {
  const since = objectDeletion.requestedAt(object);
  if (ResourceType.isOfKubernetes(object.type) || !tracked.lasted(since, patience.usual)) return [];
  const owns = (owner: KubeObject, { owners }: KubeObject): boolean =>
    owners.some(({ uid }) => uid === owner.uid);
  return membersOf(tracked, object)
    .filter(each => !isDeleting(each) && each.type.kind !== object.type.kind)
    .filter(each => !owns(object, each) && !owns(each, object))
    .sort((a, b) => Number(mentions(b, object)) - Number(mentions(a, object)))
    .slice(0, MOST_LIVE)
    .flatMap(each => {
      const field = fieldNaming(tracked, each, object);
      return field === undefined ? [] : [waitFor(each, `${field}, and is not being deleted`)];
    });
}

function waitFor(on: KubeObject, where: string): Wait {
  const evidence = [`${on.type.kind} ${on.name} names it in ${where}`];
  return { on, isMissing: false, isReported: false, certainty: 'assumed', evidence };
}

/** Lists the objects of the object's group where references to it may be. */
function membersOf(
  tracked: TrackedView,
  { type: { group, namespaced }, namespace }: KubeObject,
): KubeObject[] {
  const list = (type: ResourceType): Iterable<KubeObject> =>
    namespaced ? tracked.list(type, type.namespaced ? namespace : '') : tracked.all(type);
  return tracked.view.catalog.types
    .filter(each => each.preferred && each.group === group)
    .flatMap(each => [...list(each)]);
}

function mentions({ name, labels }: KubeObject, object: KubeObject): boolean {
  return name.includes(object.name) || labels.includes(object.name);
}

/** Returns the field of a spec that names the object: `spec.owner.resourceName`. */
function fieldNaming(tracked: TrackedView, by: KubeObject, object: KubeObject): string | undefined {
  return fieldIn(tracked.spec(by), object, 'spec');
}

function fieldIn(fields: unknown, object: KubeObject, path: string): string | undefined {
  if (path.split('.').length > DEEPEST) return undefined;
  for (const [key, value] of Object.entries(record(fields)))
    for (const each of [value].flat()) {
      const at = `${path}.${key}`;
      const field = isReference(key, each, object) ? at : fieldIn(each, object, at);
      if (field !== undefined) return field;
    }
  return undefined;
}

function isReference(key: string, value: unknown, { type, name, namespace }: KubeObject): boolean {
  const fields = typeof value === 'string' ? { name: value } : record(value);
  if (fields['name'] !== name) return false;
  if (![namespace, ''].includes(text(fields['namespace']))) return false;
  const kind = type.kind.toLowerCase();
  const given = text(fields['kind']).toLowerCase();
  const shown = kindInField(key, value);
  return given === '' ? key.toLowerCase() === kind || (shown !== '' && kind.endsWith(shown)) : given === kind;
}

/** Depth of a spec that is searched for references. */
export const DEEPEST = 5;

/** Kinds of fields that name an object by their own name: `secretName`, `serviceAccountName`, `clusterRef`. */
const suffixes = /^(.+?)(?:Id)?(?:Ref|Reference|Name|Link)$/u;
const references: readonly string[] = ['name', 'namespace', 'kind', 'apiVersion', 'group', 'apiGroup'];

/** Returns `cluster` for `clusterRef`, and the whole of `pgCluster`, or of `cluster` with a `name` below it. */
export function kindInField(key: string, value: unknown): string {
  const [, of] = suffixes.exec(key) ?? [];
  const keys = Object.keys(record(value));
  const isBare =
    typeof value === 'string'
      ? /[a-z][A-Z]/u.test(key)
      : keys.includes('name') && keys.every(each => references.includes(each));
  return (of ?? (isBare ? key : '')).toLowerCase();
}
