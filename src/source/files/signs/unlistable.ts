/** Finds kinds that couldn't be listed, by conditions. Only stored objects are converted, so the kind has objects. */
import type { KubeObject } from '../../../model/object.ts';
import { prose } from '../../../model/text/shown.ts';
import { parseApiVersion } from '../../../model/types/resource-type.ts';

/** Matches the API server's error (apiextensions-apiserver pkg/apiserver/conversion, v0.36). */
const CONVERSION = /conversion webhook for ([^\s,]+), Kind=(\S+) failed/gu;

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
