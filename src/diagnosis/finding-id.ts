/**
 * What a finding is called from run to run: by code, object and, where one object has several of a code, by what each of
 * them is about. No uid, so that a cluster that was set up anew (a preview environment) has the same ones.
 */
import type { Identity } from '../graph/node.ts';
import type { OwnerReference } from '../model/object.ts';
import { parseApiVersion } from '../model/resource-type.ts';
import { shownName } from '../model/shown.ts';
import type { Draft } from './finding.ts';

/**
 * The ids of an object's findings, in their order: `OwnerRecreated/ConfigMap/shop/settings#Deployment.apps/api`. The
 * version of the API isn't in them, because one object may be read at several. What is the same in all of this, as owner
 * references that differ in their uid alone, is counted.
 */
export function findingIds(
  { kind, apiVersion, namespace, name }: Identity,
  drafts: readonly Draft[],
): string[] {
  const object = [qualified(kind, apiVersion), ...(namespace === '' ? [] : [namespace]), name].map(part);
  const times = new Map<string, number>();
  return drafts.map(({ code, about }) => {
    const id = `${code}/${object.join('/')}${about === undefined ? '' : `#${about.map(part).join('/')}`}`;
    const nth = (times.get(id) ?? 0) + 1;
    times.set(id, nth);
    return nth === 1 ? id : `${id}#${nth}`;
  });
}

/** For `about` of a finding on one of several owner references. */
export function aboutOwner({ kind, apiVersion, name }: OwnerReference): readonly string[] {
  return [qualified(kind, apiVersion), name];
}

/** `Deployment.apps`, `Pod`. */
function qualified(kind: string, apiVersion: string): string {
  const { group } = parseApiVersion(apiVersion);
  return group === '' ? kind : `${kind}.${group}`;
}

function part(text: string): string {
  return shownName(text).replaceAll('#', '%23');
}
