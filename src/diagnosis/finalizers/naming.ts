/** Reads which objects an object names, in its labels, fields or finalizers, as the finalizer catalogue describes it. */
import {
  FinalizerEntry,
  type JsonRecord,
  joinApiVersion,
  type KubeObject,
  Labels,
  type Naming,
  parseApiVersion,
  type ResourceType,
  record,
  text,
} from '../../model/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { belongsTo } from './domain.ts';

export interface NamedObject {
  readonly name: string;
  /** `''` if not given. */
  readonly namespace: string;
  /** Set if a reference gives it. */
  readonly kind: string;
  /** Set if the reference's kind is known. */
  readonly type: ResourceType | undefined;
}

/** An object, with a finalizer that it has. */
export interface Held {
  readonly object: KubeObject;
  readonly finalizer: string;
}

/** Empty if the place has no value, or cannot be seen. */
export function namesIn(
  tracked: TrackedView,
  { object, finalizer }: Held,
  { label, field, finalizer: before = '', written }: Naming,
): readonly NamedObject[] {
  const values =
    label !== undefined
      ? [Labels.value(object.labels, label)]
      : field !== undefined
        ? valuesAt(tracked, object, field)
        : [textAfter(finalizer, before)];
  return values.flatMap(value => {
    const named = typeof value === 'object' ? referenceIn(tracked, object, record(value)) : text(value);
    const { name, ...rest } = typeof named === 'string' ? { ...nowhere, name: named } : named;
    return name === '' ? [] : [{ ...rest, name: written?.replaceAll('{name}', name) ?? name }];
  });
}

const nowhere = { namespace: '', kind: '', type: undefined } as const;

function textAfter(finalizer: string, text: string): string | undefined {
  const at = finalizer.lastIndexOf(text);
  return at < 0 ? undefined : finalizer.slice(at + text.length);
}

/** Returns the values at a path of an object's fields, each element of a list. */
export function valuesAt(tracked: TrackedView, object: KubeObject, path: string): readonly unknown[] {
  if (path === 'metadata.name') return [object.name];
  const json = tracked.content(object)?.json;
  return json === undefined ? [] : valuesIn(json, path.split('.'));
}

/** Like `valuesAt`, for a JSON value and a split path, which counts from `at` on. */
export function valuesIn(value: unknown, path: readonly string[], at = 0): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap(each => valuesIn(each, path, at));
  const key = path[at];
  if (key === undefined) return [value];
  const fields = record(value);
  if (!key.includes('*')) return valuesIn(fields[key], path, at + 1);
  const fits = FinalizerEntry.matcher(key);
  return Object.keys(fields)
    .filter(fits)
    .flatMap(each => valuesIn(fields[each], path, at + 1));
}

/** Reads a name and, if given, the kind that a reference has: `{kind: Issuer, name: letsencrypt}`. */
export function referenceIn(tracked: TrackedView, object: KubeObject, fields: JsonRecord): NamedObject {
  const name = text(fields['name']) || text(record(fields['resourceRef'])['name']);
  const namespace = text(fields['namespace']);
  const kind = text(fields['kind']);
  if (kind === '') return { ...nowhere, name, namespace };
  const apiVersion = text(fields['apiVersion']);
  const { group } = apiVersion === '' ? { group: '' } : parseApiVersion(apiVersion);
  const named = text(fields['group'] ?? fields['apiGroup']) || group;
  const own = object.type.group;
  const type =
    tracked.type(apiVersion, kind) ??
    tracked.type(joinApiVersion(named || own, text(fields['version'])), kind) ??
    typeOfKind(tracked, kind, [named || own, '']) ??
    (named === '' ? siblingOfKind(tracked, kind, own) : undefined);
  return { name, namespace, kind, type };
}

/** Finds a kind in the first group that serves it. */
function typeOfKind(
  { view }: TrackedView,
  kind: string,
  groups: readonly string[],
): ResourceType | undefined {
  const types = view.catalog.types.filter(each => each.preferred && each.kind === kind);
  return groups.flatMap(group => types.find(each => each.group === group) ?? [])[0];
}

/** Finds a kind in another group of a group's project, for a reference that names none. */
function siblingOfKind({ view }: TrackedView, kind: string, own: string): ResourceType | undefined {
  return view.catalog.types.find(each => each.preferred && each.kind === kind && belongsTo(each.group, own));
}

/** Finds the preferred version of `kafkas.kafka.strimzi.io`. */
export function typeNamed({ view }: TrackedView, kind: string): ResourceType | undefined {
  const [resource = '', ...group] = kind.split('.');
  return view.catalog.preferredOf({ group: group.join('.'), resource });
}
