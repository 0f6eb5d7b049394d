/** Comparing and naming the identities that nodes and owner references go by (docs/kubernetes.md §1.1, §1.4). */
import type { OwnerReference } from '../model/object.ts';
import type { Identity } from './node.ts';

/** Whether a reference and an identity name the same coordinates: apiVersion, kind, name and uid. */
export function matchesCoordinates(
  reference: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>,
  identity: Identity,
): boolean {
  return (
    reference.uid === identity.uid &&
    reference.name === identity.name &&
    reference.kind === identity.kind &&
    reference.apiVersion === identity.apiVersion
  );
}

export function sameIdentity(a: Identity, b: Identity): boolean {
  return a === b || (a.namespace === b.namespace && matchesCoordinates(a, b));
}

/** The identity that a reference claims for its owner, placed in the namespace of the referring object. */
export function claimedIdentity(reference: OwnerReference, namespace: string): Identity {
  return {
    apiVersion: reference.apiVersion,
    kind: reference.kind,
    namespace,
    name: reference.name,
    uid: reference.uid,
  };
}

/**
 * Order of two strings by their UTF-8 bytes, as Go compares them. JavaScript compares UTF-16 units, which
 * puts surrogate pairs before U+E000..U+FFFF; names in owner references are not validated.
 */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) {
      const xIsHigh = x >= 0xd800 && x <= 0xdfff;
      const yIsHigh = y >= 0xd800 && y <= 0xdfff;
      return xIsHigh === yIsHigh ? x - y : xIsHigh ? 1 : -1;
    }
  }
  return a.length - b.length;
}

/** The collector's order of identities: kind, apiVersion, namespace, name, uid (graph_builder.go, v1.36). */
export function compareIdentities(a: Identity, b: Identity): number {
  return (
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.apiVersion, b.apiVersion) ||
    compareBytes(a.namespace, b.namespace) ||
    compareBytes(a.name, b.name) ||
    compareBytes(a.uid, b.uid)
  );
}

/** An identity as it stands in the collector's logs and events. */
export function describeIdentity(identity: Identity): string {
  const { apiVersion, kind, namespace, name, uid } = identity;
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}
