/**
 * Kinds that couldn't be listed when the files were written, by what the API server reported of definitions and namespaces
 * that are being deleted: only if an object was stored is it converted, so the kind has objects that the files lack.
 */
import type { KubeObject } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';

/** What the API server answers (apiextensions-apiserver pkg/apiserver/conversion, v0.36). */
const CONVERSION = /conversion webhook for ([^\s,]+), Kind=(\S+) failed/gu;

/** The report for each kind, by `group/Kind`. */
export function unlistableIn(told: Iterable<KubeObject>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { facts, deletionTimestamp } of told) {
    if (facts?.kind !== 'CustomResourceDefinition' && facts?.kind !== 'Namespace') continue;
    if (deletionTimestamp === undefined) continue;
    for (const { status, message } of facts.conditions)
      for (const [, apiVersion = '', kind = ''] of status === 'True' ? message.matchAll(CONVERSION) : [])
        found.set(`${parseApiVersion(apiVersion).group}/${kind}`, prose(message));
  }
  return found;
}
