/**
 * What an object is called apart from its uid, in one word for programs: in ids of findings and of nodes. And uids for
 * objects that have none, manifests that never were in a cluster: they identify within one run, and are never shown.
 */
import type { KubeObject, Uid } from './object.ts';
import { shownName } from './text/shown.ts';
import { groupResource, parseApiVersion, type ResourceType } from './types/resource-type.ts';

interface Coordinates {
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for what is in none. */
  readonly namespace: string;
  readonly name: string;
}

/** `Pod/shop/web-0`, `Namespace/shop`, `Deployment.apps/shop/api`: without version, as an object may be read at several. */
export function objectId({ kind, apiVersion, namespace, name }: Coordinates): string {
  const { group } = parseApiVersion(apiVersion);
  const type = group === '' ? kind : `${kind}.${group}`;
  return [type, ...(namespace === '' ? [] : [namespace]), name].map(part).join('/');
}

/** No `#`, which sets off whatever stands behind such an id. */
function part(text: string): string {
  return shownName(text).replaceAll('#', '%23');
}

const PREFIX = 'without-uid:';

/** The same for the same coordinates; `namespace` is `''` for cluster-scoped types. */
export function syntheticUid(
  type: Pick<ResourceType, 'group' | 'resource'>,
  namespace: string,
  name: string,
): Uid {
  // Branded here: the one place besides from-json.ts where uids come into being.
  return `${PREFIX}${groupResource(type)}/${namespace}/${name}` as Uid;
}

/** A uid as it may be shown: `''` for one that was made here. */
export function shownUid(uid: string): string {
  return isSyntheticUid(uid) ? '' : uid;
}

/** Whether a uid was made here, and so is to be left out wherever uids are shown. */
export function isSyntheticUid(uid: string): boolean {
  return uid.startsWith(PREFIX);
}

const maskWord =
  /^[^a-z0-9]*(?:redacted|masked|removed|hidden|omitted|saniti[sz]ed|anonymi[sz]ed|scrubbed|censored|obfuscated|placeholder|unknown|none|null|nil|u?uid|string)[^a-z0-9]*$/iu;
const uuidShape = /^.{8}-.{4}-.{4}-.{4}-.{12}$/u;

/** Whether something stands in place of a uid: `REDACTED`, zeros, `xxxxxxxx-…`. It identifies nothing. */
export function isMaskedUid(uid: string): boolean {
  const bare = uid.replaceAll('-', '');
  return (
    maskWord.test(uid) ||
    /^(?:0*|[x*#?.]*|f{8,})$/iu.test(bare) ||
    /^[<{[($]/u.test(uid) ||
    (uuidShape.test(uid) && /[x*#?]{4}/iu.test(bare))
  );
}

/** Whether no server has stored the object: a manifest that has nothing in it that only a server writes. */
export function wasNeverApplied(object: KubeObject): boolean {
  return (
    isSyntheticUid(object.uid) &&
    object.resourceVersion === '' &&
    object.creationTimestamp === 0 &&
    object.deletionTimestamp === undefined
  );
}
