/** Lists of names in the sentences of findings. */
import type { KubeObject, OwnerReference } from '../../model/object.ts';
import { asShown, shownName } from '../../model/text/shown.ts';
import { counted, formatCount } from '../../model/text/titles.ts';

const NAMED = 5;

/** `web-0`, `web-0 and web-1`, `web-0, web-1, web-2, web-3, web-4 and 12 more`. */
export function enumerated(words: readonly string[]): string {
  const shown = words.slice(0, NAMED);
  const more = words.length - shown.length;
  if (more > 0) return `${shown.join(', ')} and ${formatCount(more)} more`;
  const last = shown.at(-1);
  return shown.length < 2 ? (last ?? '') : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

/** `pods`, `pods and 3 more kinds`: as many as a sentence bears that is about something else. */
export function someKinds([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${counted(more.length, 'more kind')}`;
}

/** `ConfigMap settings`, as the reference says. */
export function ownerTitle(reference: OwnerReference): string {
  const { kind, name } = asShown(reference);
  return `${kind} ${name}`;
}

/** `Pod web-0`, `Pods web-0 and web-1`; all of one kind. */
export function kindAndNames(objects: readonly KubeObject[]): string {
  const [first] = objects;
  if (first === undefined) return '';
  const kind = shownName(first.type.kind);
  return `${objects.length === 1 ? kind : `${kind}s`} ${enumerated(objects.map(({ name }) => shownName(name)))}`;
}
