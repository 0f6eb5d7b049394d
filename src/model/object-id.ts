/** Ids of objects for programs, and stand-in uids, valid for one run, for manifests that never were in a cluster. */
import type { KubeObject, Uid } from './object.ts';
import { shownName } from './text/shown.ts';
import { parseApiVersion, ResourceType } from './types/resource-type.ts';

interface Coordinates {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns `Pod/shop/web-0`, `Deployment.apps/shop/api`, without a version: an object can be read at several. */
function objectId({ kind, apiVersion, namespace, name }: Coordinates): string {
  const { group } = parseApiVersion(apiVersion);
  const type = group === '' ? kind : `${kind}.${group}`;
  return [type, ...(namespace === '' ? [] : [namespace]), name].map(part).join('/');
}

/** Escapes `#`, which separates an id from a suffix. */
function part(text: string): string {
  return shownName(text).replaceAll('#', '%23');
}

const PREFIX = 'without-uid:';

/** Makes one uid per coordinates; `namespace` is `''` for cluster-scoped types. */
function syntheticUid(type: Pick<ResourceType, 'group' | 'resource'>, namespace: string, name: string): Uid {
  // Uids are branded only here and in object-json.ts.
  return `${PREFIX}${ResourceType.groupResource(type)}/${namespace}/${name}` as Uid;
}

function shownUid(uid: string): string {
  return isSyntheticUid(uid) ? '' : uid;
}

function isSyntheticUid(uid: string): boolean {
  return uid.startsWith(PREFIX);
}

const maskWord =
  /^[^a-z0-9]*(?:redacted|masked|removed|hidden|omitted|saniti[sz]ed|anonymi[sz]ed|scrubbed|censored|obfuscated|placeholder|unknown|none|null|nil|u?uid|string)[^a-z0-9]*$/iu;
const uuidShape = /^.{8}-.{4}-.{4}-.{4}-.{12}$/u;

/** Recognises `REDACTED`, zeros, `xxxxxxxx-…`: placeholders that identify nothing. */
function isMaskedUid(uid: string): boolean {
  const bare = uid.replaceAll('-', '');
  return (
    maskWord.test(uid) ||
    /^(?:0*|[x*#?.]*|f{8,})$/iu.test(bare) ||
    /^[<{[($]/u.test(uid) ||
    (uuidShape.test(uid) && /[x*#?]{4}/iu.test(bare))
  );
}

/** Reports whether no server has stored the object: it has no field that only a server writes. */
function wasNeverApplied(object: KubeObject): boolean {
  return (
    isSyntheticUid(object.uid) &&
    object.resourceVersion === '' &&
    object.creationTimestamp === 0 &&
    object.deletionTimestamp === undefined
  );
}

export const objectIds = {
  shown: shownUid,
  isSynthetic: isSyntheticUid,
  of: objectId,
  isMasked: isMaskedUid,
  wasNeverApplied,
  synthetic: syntheticUid,
};
