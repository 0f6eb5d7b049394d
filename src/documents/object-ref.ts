/** ObjectRef: how documents name an object (docs/documents.md). */
import type { Identity } from '../graph/node.ts';
import { shownUid } from '../model/object-id.ts';

export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** Verbatim, not sanitised: a document is for programs, and the printers escape. */
export function objectRef(identity: Identity): ObjectRef {
  const { apiVersion, kind, namespace, name } = identity;
  const uid = shownUid(identity.uid);
  return {
    apiVersion,
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
    ...(uid === '' ? {} : { uid }),
  };
}
