import type { KubeObject } from '../object.ts';
import { shownName } from './shown.ts';

export interface Named {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Returns `Deployment shop/api`, or `ClusterRole read-all` for a cluster-scoped object. */
export function objectTitle(object: Named | KubeObject): string {
  return objectTitleIn(object, '');
}

/** Omits the namespace if it is the surrounding one: `Pod web-2`, else `Pod shop/web-2`. */
export function objectTitleIn(object: Named | KubeObject, surroundingNamespace: string): string {
  const kind = 'kind' in object ? object.kind : object.type.kind;
  return `${shownName(kind)} ${objectNameIn(object, surroundingNamespace)}`;
}

function objectNameIn(object: Pick<Named, 'namespace' | 'name'>, surroundingNamespace: string): string {
  const around = object.namespace === '' || object.namespace === surroundingNamespace;
  return `${around ? '' : `${shownName(object.namespace)}/`}${shownName(object.name)}`;
}

export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(count)} ${count === 1 ? singular : plural}`;
}

/** Returns `APIServices`, `NetworkPolicies`, `Endpoints`; takes the ending of `resource` if it is the same word. */
function pluralOf(kind: string, resource?: string): string {
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

/** Formats `12,431`. `Intl` would do so too, but loading its data takes 20 ms and 7 MB. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns `web-0`, `web-0 and web-1`, or `web-0, web-1 and 12 more`, naming at most `most`. */
export function enumerated(words: readonly string[], most = 5): string {
  const shown = words.slice(0, most);
  const more = words.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${formatCount(more)} more`;
  const last = shown.at(-1);
  return shown.length < 2 ? (last ?? '') : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

export const wordForms = { capital, plural: pluralOf, nameIn: objectNameIn };
