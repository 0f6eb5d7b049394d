/** How findings name objects and lists of them. */
import type { Identity } from '../../graph/node.ts';
import type { KubeObject } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';

type Named = KubeObject | Pick<Identity, 'kind' | 'namespace' | 'name'>;

/** `Pod shop/web-2`, `PersistentVolume pv-1`. */
export function findingTitle(object: Named): string {
  return titleIn(object, '');
}

/** `Pod web-2` where the namespace is the one around it, `Pod shop/web-2` where it isn't. */
export function titleIn(object: Named, surroundingNamespace: string): string {
  const kind = 'kind' in object ? object.kind : object.type.kind;
  const around = object.namespace === surroundingNamespace;
  const place = around || object.namespace === '' ? '' : `${shownName(object.namespace)}/`;
  return `${shownName(kind)} ${place}${shownName(object.name)}`;
}

const NAMED = 5;

/** `web-0`, `web-0 and web-1`, `web-0, web-1, web-2, web-3, web-4 and 12 more`. */
export function enumerated(words: readonly string[]): string {
  const shown = words.slice(0, NAMED);
  const more = words.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${more.toLocaleString('en-US')} more`;
  const last = shown.at(-1);
  return shown.length < 2 ? (last ?? '') : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/** `Pod web-0`, `Pods web-0 and web-1`; all of one kind. */
export function kindAndNames(objects: readonly KubeObject[]): string {
  const [first] = objects;
  if (first === undefined) return '';
  const kind = shownName(first.type.kind);
  return `${objects.length === 1 ? kind : `${kind}s`} ${enumerated(objects.map(({ name }) => shownName(name)))}`;
}

/** `1 pod`, `12,431 pods`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
