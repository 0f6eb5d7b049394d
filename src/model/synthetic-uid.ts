/**
 * Uids for objects that have none: manifests that never were in a cluster. They identify within one run, stand
 * for type, namespace and name, and are never shown as uids.
 */
import type { Uid } from './object.ts';
import { groupResource, type ResourceType } from './types/resource-type.ts';

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
