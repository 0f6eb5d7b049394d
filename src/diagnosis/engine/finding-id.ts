/**
 * What a finding is called from run to run: by code, object and, where one object has several of a code, by what each of
 * them is about. No uid, so that a cluster that was set up anew (a preview environment) has the same ones.
 */
import type { Identity } from '../../graph/node.ts';
import type { OwnerReference } from '../../model/object.ts';
import { objectId } from '../../model/object-id.ts';
import type { FindingDraft } from './finding.ts';

/**
 * The ids of an object's findings, in their order: `OwnerRecreated/ConfigMap/shop/settings#Deployment.apps/api`. What is
 * the same in all of this, as owner references that differ in their uid alone, is counted.
 */
export function findingIds(object: Identity, drafts: readonly FindingDraft[]): string[] {
  const times = new Map<string, number>();
  return drafts.map(({ code, about }) => {
    const id = `${code}/${objectId(object)}${about === undefined ? '' : `#${about}`}`;
    const nth = (times.get(id) ?? 0) + 1;
    times.set(id, nth);
    return nth === 1 ? id : `${id}#${nth}`;
  });
}

/** For `about` of a finding on one of several owner references. */
export function aboutOwner(reference: OwnerReference): string {
  return objectId({ ...reference, namespace: '' });
}
