/**
 * JSON Patches on the simulated API server: the fields of an object that remedies change, as the document that
 * the real one patches. Operations and refusals as evanphx/json-patch does them there (apiserver
 * pkg/endpoints/handlers/patch.go, v0.36: any operation that fails is answered with 422).
 */
import type { Facts } from '../../model/facts/facts.ts';
import { objectFromJson, taintFromJson } from '../../model/json/from-json.ts';
import { type JsonRecord, list, record, text } from '../../model/json/json.ts';
import { taintToJson } from '../../model/json/to-json.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ObjectKey } from './store.ts';
import type { ApiAnswer, ApiClient, ObjectChange, WriteOptions } from './types.ts';

export type Operation =
  | { readonly op: 'test' | 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** The answer that the API server gives to this patch of the object; only what it changes is written. */
export function tryPatch(
  api: ApiClient,
  object: ObjectKey,
  operations: readonly Operation[],
  options: WriteOptions = {},
): ApiAnswer {
  const found = api.get(object);
  if (!found.ok) return found;
  const patched = applyOperations(documentOf(found.object), operations);
  if (typeof patched === 'string') {
    return { ok: false, status: 422, reason: 'Invalid', message: patched };
  }
  return api.patch(object, changeTo(found.object, patched), options);
}

/** As much of the object's JSON as remedies touch. */
function documentOf(object: KubeObject): JsonRecord {
  const { name, uid, resourceVersion, finalizers, owners, facts } = object;
  const metadata = {
    name,
    uid,
    resourceVersion,
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(owners.length === 0 ? {} : { ownerReferences: owners }),
  };
  // Through text, so that fields which are undefined are left out and nothing is shared.
  return record(JSON.parse(JSON.stringify({ metadata, spec: specOf(facts) })));
}

function specOf(facts: Facts | undefined): JsonRecord {
  if (facts?.kind === 'Node')
    return facts.taints.length === 0 ? {} : { taints: facts.taints.map(taintToJson) };
  if (facts?.kind !== 'Workload' || facts.claimsWhenDeleted === '') return {};
  const { claimsWhenDeleted: whenDeleted, claimsWhenScaled: whenScaled } = facts;
  return { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } };
}

function changeTo(before: KubeObject, document: JsonRecord): ObjectChange {
  const after = objectFromJson(before.type, document);
  const spec = record(document['spec']);
  return {
    owners: after?.owners ?? [],
    finalizers: after?.finalizers ?? [],
    ...(before.facts === undefined ? {} : { facts: factsWith(before.facts, spec) }),
  };
}

function factsWith(facts: Facts, spec: JsonRecord): Facts {
  if (facts.kind === 'Node') {
    const taints = list(spec['taints']).map(taintFromJson);
    return { ...facts, taints };
  }
  if (facts.kind !== 'Workload' || facts.claimsWhenDeleted === '') return facts;
  const policy = record(spec['persistentVolumeClaimRetentionPolicy']);
  return {
    ...facts,
    claimsWhenDeleted: text(policy['whenDeleted']),
    claimsWhenScaled: text(policy['whenScaled']),
  };
}

/** The patched document, or what is wrong with an operation. The document given stays as it is. */
export function applyOperations(document: unknown, operations: readonly Operation[]): JsonRecord | string {
  let result: unknown = document;
  for (const operation of operations) {
    const keys = operation.path.split('/').slice(1).map(unescaped);
    try {
      result = applied(result, keys, operation);
    } catch (error) {
      if (!(error instanceof PatchRefused)) throw error;
      return `the server rejected our request due to an error in our request: ${operation.op} ${operation.path}: ${error.message}`;
    }
  }
  return record(result);
}

class PatchRefused extends Error {}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function applied(value: unknown, keys: readonly string[], operation: Operation): unknown {
  const [key, ...rest] = keys;
  if (key === undefined) throw new PatchRefused('it has no path');
  if (Array.isArray(value)) return appliedToList(value, { key, rest, operation });
  if (typeof value !== 'object' || value === null) throw new PatchRefused('there is no such field');
  const fields = record(value);
  if (rest.length > 0) return { ...fields, [key]: applied(fields[key], rest, operation) };
  const exists = Object.hasOwn(fields, key);
  if (operation.op === 'test') {
    tested(fields[key], operation.value);
    return value;
  }
  if (operation.op !== 'add' && !exists) throw new PatchRefused('there is no such field');
  if (operation.op !== 'remove') return { ...fields, [key]: operation.value };
  const { [key]: _, ...others } = fields;
  return others;
}

interface ListStep {
  readonly key: string;
  readonly rest: readonly string[];
  readonly operation: Operation;
}

function appliedToList(items: readonly unknown[], { key, rest, operation }: ListStep): unknown {
  if (rest.length === 0 && operation.op === 'add' && key === '-') return [...items, operation.value];
  const index = /^(?:0|[1-9]\d*)$/u.test(key) ? Number(key) : -1;
  const inserts = rest.length === 0 && operation.op === 'add' && index === items.length;
  if (index < 0 || (index >= items.length && !inserts)) throw new PatchRefused('there is no such element');
  if (rest.length > 0) return items.with(index, applied(items[index], rest, operation));
  switch (operation.op) {
    case 'test':
      tested(items[index], operation.value);
      return items;
    case 'replace':
      return items.with(index, operation.value);
    case 'add':
      return items.toSpliced(index, 0, operation.value);
    case 'remove':
      return items.toSpliced(index, 1);
  }
}

function tested(actual: unknown, wanted: unknown): void {
  if (!equal(actual, wanted)) throw new PatchRefused('the value is another');
}

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // A field that is undefined isn't sent.
  const [x, y] = [a, b].map(each => Object.entries(each).filter(([, value]) => value !== undefined));
  const others = new Map<string, unknown>(y);
  return (
    x?.length === others.size && x.every(([key, value]) => others.has(key) && equal(value, others.get(key)))
  );
}
