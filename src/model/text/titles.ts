/** How people read objects and amounts (`Pod shop/web-2`, `12,431 pods`), also where a sentence begins. */
import type { KubeObject } from '../object.ts';
import { shownName } from './shown.ts';

export interface Named {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `Deployment shop/api`; a cluster-scoped object is `ClusterRole read-all`. */
export function objectTitle(object: Named | KubeObject): string {
  return objectTitleIn(object, '');
}

/** `Pod web-2` where the namespace is the one around it, `Pod shop/web-2` where it isn't. */
export function objectTitleIn(object: Named | KubeObject, surroundingNamespace: string): string {
  const kind = 'kind' in object ? object.kind : object.type.kind;
  return `${shownName(kind)} ${objectNameIn(object, surroundingNamespace)}`;
}

/** The same without the kind: `web-2`, `shop/web-2`. */
export function objectNameIn(
  object: Pick<Named, 'namespace' | 'name'>,
  surroundingNamespace: string,
): string {
  const around = object.namespace === '' || object.namespace === surroundingNamespace;
  return `${around ? '' : `${shownName(object.namespace)}/`}${shownName(object.name)}`;
}

/** `1 object`, `12,431 objects`: a count with its noun, thousands separated as in English. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/**
 * Returns the plural of a kind: `APIServices`, `NetworkPolicies`, `Endpoints`. Takes the ending of the resource
 * (`networkpolicies`) if that is known and is the same word.
 */
export function pluralOf(kind: string, resource?: string): string {
  const lower = kind.toLowerCase();
  if (resource !== undefined) {
    let same = 0;
    while (same < lower.length && lower[same] === resource[same]) same += 1;
    return same < lower.length - 1 ? `${kind} objects` : kind.slice(0, same) + resource.slice(same);
  }
  if (lower.endsWith('endpoints')) return kind;
  if (/[^aeiou]y$/u.test(lower)) return `${kind.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/u.test(lower) ? `${kind}es` : `${kind}s`;
}

/** `12,431`, of a whole number. `Intl` would say the same, and loading its data takes a process 20 ms and 7 MB. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `web-0`, `web-0 and web-1`, `web-0, web-1 and 12 more`: names at most `most` of the words. */
export function enumerated(words: readonly string[], most = 5): string {
  const shown = words.slice(0, most);
  const more = words.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${formatCount(more)} more`;
  const last = shown.at(-1);
  return shown.length < 2 ? (last ?? '') : `${shown.slice(0, -1).join(', ')} and ${last}`;
}
