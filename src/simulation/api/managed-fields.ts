/**
 * Derives managed fields from logged requests, on demand. Each writer holds the fields that it set last; fields set by
 * the API server, such as finalizers of a deletion, have no writer (structured-merge-diff merge/update.go, and
 * apimachinery pkg/util/managedfields/internal, v0.36). Only lists with named elements are split.
 */

import {
  isoTime,
  type JsonRecord,
  type KubeObject,
  list,
  record,
  text,
  type Uid,
} from '../../model/index.ts';
import type { LoggedRequest } from './api-client.ts';

/** Managers outside kube-controller-manager: the start of the user agent. */
const programs: Readonly<Record<string, string>> = {
  kubelet: 'kubelet',
  'default-scheduler': 'kube-scheduler',
  'crd-cleanup': 'kube-apiserver',
  'kubectl-gc-tree': 'kubectl-gc-tree',
};
const CONTROLLERS = 'kube-controller-manager';
/** Managers of kubectl by verb (kubectl pkg/cmd, v0.36). */
const kubectl: Readonly<Record<string, string>> = {
  create: 'kubectl-create',
  update: 'kubectl-replace',
  patch: 'kubectl-patch',
};

export type LoggedWrite = Pick<LoggedRequest, 'actor' | 'verb' | 'at' | 'subresource' | 'before' | 'after'>;

interface Writer {
  readonly manager: string;
  readonly subresource: string;
  at: number;
  readonly held: Set<string>;
}

/** Reads `requests` in order, which may concern other objects too. Empty if no request made the object. */
export function managedFields(
  uid: Uid,
  requests: Iterable<LoggedWrite>,
  jsonOf: (object: KubeObject) => JsonRecord,
): readonly JsonRecord[] {
  const writers = new Map<string, Writer>();
  let known: ReadonlyMap<string, string> = new Map();
  let apiVersion = '';
  for (const request of requests) {
    const { verb, subresource, at, after } = request;
    if (after?.uid !== uid) continue;
    const json = jsonOf(after);
    const fields = fieldsOf(json);
    const before = known;
    known = fields;
    apiVersion = after.type.apiVersion;
    // A deletion only marks, and a binding is another object, so neither has managers.
    if (verb === 'delete' || verb === 'deletecollection' || subresource === 'binding') continue;
    for (const { held } of writers.values())
      for (const path of held) if (!fields.has(path)) held.delete(path);
    const sent = verb === 'create' ? fieldsOf(asSent(json)) : fields;
    for (const [path, value] of sent) {
      if (before.get(path) === value) continue;
      const isStatus = path.startsWith(STATUS);
      for (const { held } of writers.values()) held.delete(path);
      const writer = writerOf(writers, managerOf(request), isStatus ? 'status' : (subresource ?? ''));
      writer.held.add(path);
      writer.at = at;
    }
  }
  return [...writers.values()]
    .filter(({ held }) => held.size > 0)
    .sort((a, b) => a.at - b.at)
    .map(({ manager, subresource, at, held }) => ({
      manager,
      operation: 'Update',
      apiVersion,
      time: isoTime(at),
      fieldsType: 'FieldsV1',
      fieldsV1: nested(held),
      ...(subresource === '' ? {} : { subresource }),
    }));
}

/** Finalizers that admission or a kind's rules add after the sender was recorded. */
const admitted: ReadonlySet<unknown> = new Set([
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
]);

/** Returns the parts of a new object that its creator sets (apiserver pkg/endpoints/handlers/create.go, v0.36). */
function asSent(object: JsonRecord): JsonRecord {
  const { status: _unsent, ...json } = object;
  const { finalizers, ...metadata } = record(json['metadata']);
  const own = list(finalizers).filter(each => !admitted.has(each));
  const sent = { ...json, metadata: { ...metadata, ...(own.length === 0 ? {} : { finalizers: own }) } };
  if (json['kind'] !== 'Namespace') return sent;
  const { finalizers: _own, ...spec } = record(json['spec']);
  return { ...sent, spec };
}

function writerOf(writers: Map<string, Writer>, manager: string, subresource: string): Writer {
  const key = `${manager} ${subresource}`;
  const writer = writers.get(key) ?? { manager, subresource, at: 0, held: new Set() };
  writers.set(key, writer);
  return writer;
}

function managerOf({ actor, verb }: LoggedWrite): string {
  if (actor === 'user') return kubectl[verb] ?? 'kubectl';
  return Object.hasOwn(programs, actor) ? (programs[actor] ?? CONTROLLERS) : CONTROLLERS;
}

/** Separates the steps of a path; no name contains it. */
const STEP = '\u0000';
const STATUS = `f:status${STEP}`;
/** Fields without managers (managedfields/internal/stripmeta.go), and those that a deletion sets. */
const unmanaged: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);
/** Merge key of each list; lists not named here are atomic. */
const elementKeys: Readonly<Record<string, string>> = {
  ownerReferences: 'uid',
  conditions: 'type',
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
};
/** Objects that are set as a whole (`structType=atomic`, `mapType=atomic`). */
const atomic: ReadonlySet<string> = new Set(['selector', 'nodeSelector', 'claimRef']);
/** Maps, which have managers in addition to their entries'. */
const maps: ReadonlySet<string> = new Set(['labels', 'annotations', 'data']);

function fieldsOf(json: JsonRecord): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [key, value] of Object.entries(json)) {
    if (key === 'apiVersion' || key === 'kind') continue;
    if (key !== 'metadata') add(fields, '', key, value);
    else
      for (const [name, each] of Object.entries(record(value)))
        if (!unmanaged.has(name)) add(fields, `f:metadata${STEP}`, name, each);
  }
  return fields;
}

function add(fields: Map<string, string>, above: string, key: string, value: unknown): void {
  const path = `${above}f:${key}`;
  if (Array.isArray(value)) return addList(fields, path, key, value);
  const isWhole = typeof value !== 'object' || value === null || atomic.has(key);
  const entries = isWhole ? [] : Object.entries(value);
  if (entries.length === 0) {
    fields.set(path, JSON.stringify(value) ?? '');
    return;
  }
  if (maps.has(key)) fields.set(`${path}${STEP}.`, '');
  for (const [name, each] of entries) add(fields, `${path}${STEP}`, name, each);
}

function addList(fields: Map<string, string>, path: string, key: string, values: readonly unknown[]): void {
  const name = Object.hasOwn(elementKeys, key) ? elementKeys[key] : undefined;
  if (key !== 'finalizers' && name === undefined) {
    fields.set(path, JSON.stringify(values));
    return;
  }
  fields.set(`${path}${STEP}.`, '');
  for (const value of values) {
    if (name === undefined) {
      fields.set(`${path}${STEP}v:${JSON.stringify(value)}`, '');
      continue;
    }
    const element = record(value);
    const at = `${path}${STEP}k:${JSON.stringify({ [name]: text(element[name]) })}`;
    if (key === 'ownerReferences') {
      fields.set(at, JSON.stringify(element));
      continue;
    }
    fields.set(`${at}${STEP}.`, '');
    for (const [field, each] of Object.entries(element)) add(fields, `${at}${STEP}`, field, each);
  }
}

function nested(paths: Iterable<string>): JsonRecord {
  const root: Record<string, unknown> = {};
  for (const path of paths) {
    let at = root;
    for (const step of path.split(STEP)) {
      const below = (at[step] ?? {}) as Record<string, unknown>;
      at[step] = below;
      at = below;
    }
  }
  return root;
}
