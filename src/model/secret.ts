/** Hides a Secret's values, also in annotations: they hold copies under any key, so only known ones are shown. */

import { type JsonRecord, list, record } from './json/json.ts';
import { credentials } from './text/credentials.ts';

/** - `hidden`: keys stay, with a mark in place of their values. `removed`: neither stays. */
export type Concealment = 'hidden' | 'removed';

/** Annotations that hold a name, a uid or a switch; no digest, because a short password can be guessed from one. */
const harmless: ReadonlySet<string> = new Set([
  // ServiceAccount of a token (ServiceAccountNameKey and ServiceAccountUIDKey in core/v1/types.go, v1.36).
  'kubernetes.io/service-account.name',
  'kubernetes.io/service-account.uid',
  // Certificate and issuer by name (cert-manager, pkg/apis/certmanager/v1/types.go, v1.19).
  'cert-manager.io/certificate-name',
  'cert-manager.io/issuer-name',
  'cert-manager.io/issuer-kind',
  'cert-manager.io/issuer-group',
  // Release by name, and if uninstalling it keeps the object (Helm, pkg/action/validate.go, v3.19).
  'meta.helm.sh/release-name',
  'meta.helm.sh/release-namespace',
  'helm.sh/resource-policy',
  // Application and object by name (Argo CD, common/common.go, v3.2).
  'argocd.argoproj.io/tracking-id',
  // Object by name; the copy is in kapp.k14s.io/original (kapp, pkg/kapp/resources/identity_annotation.go).
  'kapp.k14s.io/identity',
  // Set and owner by name; the copy is in objectset.rio.cattle.io/applied (Rancher wrangler, pkg/apply).
  'objectset.rio.cattle.io/id',
  'objectset.rio.cattle.io/owner-gvk',
  'objectset.rio.cattle.io/owner-name',
  'objectset.rio.cattle.io/owner-namespace',
]);

/** Fields of a Secret without secret values; every other field counts as secret. */
const open: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'type', 'immutable']);

/** Levels that are searched and shown. The API server accepts at most 10,000. */
const DEEPEST = 500;

/** Matches every group, because a kind called `Secret` is meant to be one. */
function isSecret({ kind }: { readonly kind?: unknown }): boolean {
  return kind === 'Secret';
}

function holdsSecretData(json: JsonRecord): boolean {
  return Object.entries(json).some(([key, value]) => !open.has(key) && !isEmpty(value));
}

function secretAnnotations(json: JsonRecord): string[] {
  return Object.keys(record(record(json['metadata'])['annotations'])).filter(key => !harmless.has(key));
}

function withoutSecretData(json: JsonRecord, how: Concealment): JsonRecord {
  const shown = Object.entries(json).flatMap(([key, value]) => {
    if (key === 'metadata') return [[key, withoutCopies(record(value), how)] as const];
    if (open.has(key)) return [[key, value] as const];
    // The length of a value can also give it away.
    return how === 'removed' || isEmpty(value) ? [] : [[key, hidden(value)] as const];
  });
  return Object.fromEntries(shown);
}

/** Hides a Secret's values, also if it is nested in another object, whose annotations may then hold a copy. */
function withoutSecrets(json: JsonRecord, how: Concealment): JsonRecord {
  if (isSecret(json)) return withoutSecretData(json, how);
  const inside = new Inside(how);
  const { metadata, ...rest } = json;
  const shown = record(inside.shown(rest, 0));
  if (metadata === undefined) return shown;
  const annotations = record(record(metadata)['annotations']);
  const copies = inside.found || Object.values(annotations).some(isManifestOfSecret);
  return { ...shown, metadata: copies ? withoutCopies(record(metadata), how) : metadata };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  );
}

function hidden(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return credentials.mark;
  return Object.fromEntries(Object.keys(value).map(key => [key, credentials.mark]));
}

function withoutCopies({ annotations, ...rest }: JsonRecord, how: Concealment): JsonRecord {
  if (annotations === undefined) return rest;
  const kept = Object.entries(record(annotations)).flatMap(([key, value]) =>
    harmless.has(key) ? [[key, value] as const] : how === 'hidden' ? [[key, credentials.mark] as const] : [],
  );
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}

class Inside {
  found = false;
  readonly #how: Concealment;

  constructor(how: Concealment) {
    this.#how = how;
  }

  shown(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return credentials.mark;
    if (Array.isArray(value)) return list(value).map(each => this.shown(each, depth + 1));
    const fields = record(value);
    if (isManifest(fields)) {
      this.found = true;
      return withoutSecretData(fields, this.#how);
    }
    return Object.fromEntries(
      Object.entries(fields).map(([key, each]) => [key, this.shown(each, depth + 1)]),
    );
  }
}

/** Excludes mere references to a Secret. */
function isManifest(fields: JsonRecord): boolean {
  return isSecret(fields) && ['metadata', 'data', 'stringData'].some(key => key in fields);
}

/** Recognises an annotation with an applied manifest as JSON. */
function isManifestOfSecret(value: unknown): boolean {
  if (typeof value !== 'string' || !value.includes('Secret') || !/^\s*[[{]/u.test(value)) return false;
  try {
    const inside = new Inside('removed');
    const parsed: unknown = JSON.parse(value);
    inside.shown(parsed, 0);
    return inside.found;
  } catch {
    return false;
  }
}

export const secretValues = {
  isSecret,
  isIn: holdsSecretData,
  annotations: secretAnnotations,
  hiddenIn: withoutSecretData,
  hiddenBelow: withoutSecrets,
};
