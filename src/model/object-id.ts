/** What an object is called apart from its uid, in one word for programs: in ids of findings and of nodes. */

import { shownName } from './text/shown.ts';
import { parseApiVersion } from './types/resource-type.ts';

interface Coordinates {
  readonly apiVersion: string;
  readonly kind: string;
  /** `''` for what is in none. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * `Pod/shop/web-0`, `Namespace/shop`, `Deployment.apps/shop/api`. The version of the API isn't in it, because one object
 * may be read at several.
 */
export function objectId({ kind, apiVersion, namespace, name }: Coordinates): string {
  const { group } = parseApiVersion(apiVersion);
  const type = group === '' ? kind : `${kind}.${group}`;
  return [type, ...(namespace === '' ? [] : [namespace]), name].map(part).join('/');
}

/** No `#`, which sets off whatever stands behind such an id. */
function part(text: string): string {
  return shownName(text).replaceAll('#', '%23');
}
