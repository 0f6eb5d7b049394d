/**
 * Validates metadata like the API server (apimachinery pkg/api/validation/objectmeta.go and
 * pkg/apis/meta/v1/validation, v0.36); kubectl validates against the same types before it sends anything.
 */
import {
  isRecord,
  type JsonRecord,
  parseApiVersion,
  type ResourceType,
  record,
  text,
  textEscapes,
  type YamlPath,
} from '../../model/index.ts';
import { builtInType } from '../built-in-types.ts';

export interface MetadataFault {
  readonly path: YamlPath;
  /** For a sentence: `metadata.finalizers is not a list`. */
  readonly what: string;
}

const REQUIRED_OF_OWNER = ['apiVersion', 'kind', 'name', 'uid'] as const;
const ownerFields = new Set<string>([...REQUIRED_OF_OWNER, 'controller', 'blockOwnerDeletion']);
const texts = ['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion'] as const;
const times = ['creationTimestamp', 'deletionTimestamp'] as const;
const numbers = ['generation', 'deletionGracePeriodSeconds'] as const;
const fields = new Set<string>([
  ...texts,
  ...times,
  ...numbers,
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'managedFields',
]);
/** Kinds named like a part of a URL (rbac and apiregistration validation, v1.36). */
const pathNamed = new Set(['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']);
/** Finalizers allowed without a group (pkg/apis/core/validation ValidateFinalizerName, v1.36). */
const bareFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
const MAX_ANNOTATION_BYTES = 256 * 1024;

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u;
const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/u;

/** Checks for fields that only a server writes: it has admitted the object. */
function isStored(metadata: JsonRecord): boolean {
  return (
    ['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'].some(
      field => text(metadata[field]) !== '',
    ) || Array.isArray(metadata['managedFields'])
  );
}

/** Returns the first fault. Stored objects are checked less: rules were laxer once, and dumps mask uids. */
export function metadataFault(json: JsonRecord): MetadataFault | undefined {
  const { metadata } = json;
  if (metadata === undefined || metadata === null) return undefined;
  if (!isRecord(metadata)) return { path: ['metadata'], what: 'metadata is not a mapping' };
  const stored = isStored(metadata);
  return new Check(json, metadata, stored).first();
}

class Check {
  readonly #json: JsonRecord;
  readonly #metadata: JsonRecord;
  readonly #stored: boolean;

  constructor(json: JsonRecord, metadata: JsonRecord, stored: boolean) {
    this.#json = json;
    this.#metadata = metadata;
    this.#stored = stored;
  }

  first(): MetadataFault | undefined {
    for (const fault of this.#faults()) return fault;
    return undefined;
  }

  *#faults(): Iterable<MetadataFault> {
    yield* this.#scalars();
    yield* this.#pairs('labels');
    yield* this.#pairs('annotations');
    yield* this.#finalizers();
    yield* this.#owners();
    if (this.#stored) return;
    yield* this.#names();
    const { managedFields } = this.#metadata;
    if (isThere(managedFields) && !Array.isArray(managedFields)) yield notA(['managedFields'], 'a list');
    for (const field of Object.keys(this.#metadata))
      if (!fields.has(field)) yield fault([field], 'is no field of metadata');
  }

  *#scalars(): Iterable<MetadataFault> {
    for (const field of [...texts, ...times]) {
      const value = this.#metadata[field];
      if (!isThere(value) || typeof value === 'string') continue;
      const quoted = typeof value === 'object' ? '' : ': put it in quotes';
      yield fault([field], `is not text${quoted}`);
    }
    if (this.#stored) return;
    for (const field of times) {
      const value = this.#metadata[field];
      if (typeof value === 'string' && Number.isNaN(Date.parse(value))) yield notA([field], 'a time');
    }
    for (const field of numbers) {
      const value = this.#metadata[field];
      if (isThere(value) && !Number.isSafeInteger(value)) yield notA([field], 'a whole number');
    }
    const { generation } = this.#metadata;
    if (typeof generation === 'number' && generation < 0) yield fault(['generation'], 'is negative');
  }

  *#pairs(field: 'labels' | 'annotations'): Iterable<MetadataFault> {
    const value = this.#metadata[field];
    if (!isThere(value)) return;
    if (!isRecord(value)) {
      yield notA([field], 'a mapping');
      return;
    }
    for (const [key, each] of Object.entries(value)) {
      // kubectl drops null entries.
      if (!isThere(each)) continue;
      if (typeof each !== 'string')
        yield fault([field, key], `is not text${typeof each === 'object' ? '' : ': put it in quotes'}`);
      if (this.#stored) continue;
      const odd = oddQualifiedName(field === 'annotations' ? key.toLowerCase() : key);
      if (odd !== undefined) yield fault([field, key], `has a key that is not allowed: ${odd}`);
      if (field === 'labels' && typeof each === 'string' && !isLabelValue(each))
        yield fault([field, key], `is not a label value: ${LABEL_VALUE}`);
    }
    if (field === 'annotations' && !this.#stored && sizeOf(value) > MAX_ANNOTATION_BYTES)
      yield fault([field], 'is larger than 256 KiB');
  }

  *#finalizers(): Iterable<MetadataFault> {
    const { finalizers } = this.#metadata;
    if (!isThere(finalizers)) return;
    if (!Array.isArray(finalizers)) {
      yield notA(['finalizers'], 'a list');
      return;
    }
    for (const [index, each] of finalizers.entries()) {
      const path = ['finalizers', index];
      if (typeof each !== 'string') yield fault(path, 'is not text');
      else if (!this.#stored) {
        const odd = oddQualifiedName(each);
        if (odd !== undefined) yield fault(path, `is not a finalizer: ${odd}`);
        else if (!each.includes('/') && !bareFinalizers.has(each) && this.#type() !== undefined)
          yield fault(path, 'is not a finalizer: it needs a domain, such as example.com/name');
      }
    }
    if (!this.#stored && finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
      yield fault(['finalizers'], 'has both orphan and foregroundDeletion');
  }

  *#owners(): Iterable<MetadataFault> {
    const { ownerReferences } = this.#metadata;
    if (!isThere(ownerReferences)) return;
    if (!Array.isArray(ownerReferences)) {
      yield notA(['ownerReferences'], 'a list');
      return;
    }
    for (const [index, each] of ownerReferences.entries()) {
      const path = ['ownerReferences', index];
      if (isRecord(each)) yield* this.#owner(each, path);
      else yield notA(path, 'a mapping');
    }
    const controllers = ownerReferences.filter(each => record(each)['controller'] === true);
    if (!this.#stored && controllers.length > 1)
      yield fault(['ownerReferences'], 'has more than one controller');
  }

  *#owner(owner: JsonRecord, path: YamlPath): Iterable<MetadataFault> {
    for (const field of REQUIRED_OF_OWNER) {
      const value = owner[field];
      // Dumps mask uids in various ways.
      if (this.#stored && field === 'uid' && (!isThere(value) || typeof value !== 'object')) continue;
      if (!isThere(value)) yield fault(path, `has no ${field}`);
      else if (typeof value !== 'string')
        yield fault([...path, field], `is not text${typeof value === 'object' ? '' : ': put it in quotes'}`);
      else if (value === '') yield fault([...path, field], 'is empty');
    }
    for (const field of ['controller', 'blockOwnerDeletion']) {
      const value = owner[field];
      if (isThere(value) && typeof value !== 'boolean') yield fault([...path, field], 'is not true or false');
    }
    if (this.#stored) return;
    const apiVersion = text(owner['apiVersion']);
    const { version } = parseApiVersion(apiVersion);
    if (version === '' || apiVersion.split('/').length > 2)
      yield fault([...path, 'apiVersion'], 'is not an API version');
    if (apiVersion === 'v1' && owner['kind'] === 'Event')
      yield fault([...path, 'kind'], 'is Event, which cannot own anything');
    for (const field of Object.keys(owner))
      if (!ownerFields.has(field)) yield fault([...path, field], 'is no field of an owner reference');
  }

  *#names(): Iterable<MetadataFault> {
    const namespace = text(this.#metadata['namespace']);
    if (namespace !== '' && !isLabel(namespace) && this.#type()?.namespaced !== false)
      yield fault(['namespace'], `is not a namespace: ${DNS_LABEL}`);
    for (const field of ['name', 'generateName'] as const) {
      const value = text(this.#metadata[field]);
      // A generated name may end in a dash, because more follows.
      const name = field === 'generateName' ? value.replace(/-$/u, 'a') : value;
      const odd = name === '' ? undefined : this.#oddName(name);
      if (odd !== undefined) yield fault([field], `is not a name for this kind: ${odd}`);
    }
  }

  #type(): ResourceType | undefined {
    const { apiVersion, kind } = this.#json;
    return builtInType(text(apiVersion), text(kind));
  }

  #oddName(name: string): string | undefined {
    const kind = text(this.#json['kind']);
    const { group } = parseApiVersion(text(this.#json['apiVersion']));
    if (kind === '') return undefined;
    if (/^\.{1,2}$|[/%]/u.test(name)) return 'a name cannot have a slash or a percent sign in it';
    if (pathNamed.has(kind) && group === 'rbac.authorization.k8s.io') return undefined;
    if (group === '' && (kind === 'Namespace' || kind === 'Service'))
      return isLabel(name) ? undefined : DNS_LABEL;
    return name.length <= 253 && SUBDOMAIN.test(name) ? undefined : DNS_SUBDOMAIN;
  }
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function fault(path: YamlPath, problem: string): MetadataFault {
  return { path: ['metadata', ...path], what: `${written(path)} ${problem}` };
}

function notA(path: YamlPath, type: string): MetadataFault {
  return fault(path, `is not ${type}`);
}

/** `metadata.ownerReferences[0].uid`, `metadata.labels["a b"]`. */
function written(path: YamlPath): string {
  return path.reduce<string>(
    (before, part) =>
      typeof part === 'number'
        ? `${before}[${part}]`
        : /^\w+$/u.test(part)
          ? `${before}.${part}`
          : `${before}[${textEscapes.json(part)}]`,
    'metadata',
  );
}

const DNS_LABEL = 'use at most 63 lower-case letters, digits and dashes';
const DNS_SUBDOMAIN = 'use at most 253 lower-case letters, digits, dashes and dots';
const LABEL_VALUE = 'use at most 63 letters, digits, dashes, underscores and dots';

function isLabel(value: string): boolean {
  return value.length <= 63 && LABEL.test(value);
}

function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= 63 && NAME_PART.test(value));
}

/** Checks for a qualified name, `example.com/name` or `name` (pkg/util/validation IsQualifiedName, v0.36). */
function oddQualifiedName(value: string): string | undefined {
  const parts = value.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2) return 'it has more than one slash';
  if (parts.length === 2) {
    const domain = parts[0] ?? '';
    if (domain.length > 253 || !SUBDOMAIN.test(domain)) return 'the part before the slash is not a domain';
  }
  return name.length <= 63 && NAME_PART.test(name) ? undefined : LABEL_VALUE;
}

function sizeOf(annotations: JsonRecord): number {
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(text(value));
  return size;
}
