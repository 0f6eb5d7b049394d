import {
  counted,
  enumerated,
  type KubeObject,
  type OwnerReference,
  shownName,
  textEscapes,
} from '../../model/index.ts';

/** Names the first kind and counts the rest: `pods`, `pods and 3 more kinds`. */
export function someKinds([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} and ${counted(more.length, 'more kind')}`;
}

export function ownerTitle(reference: OwnerReference): string {
  const { kind, name } = textEscapes.asShown(reference);
  return `${kind} ${name}`;
}

/** `Pod web-0`, `Pods web-0 and web-1`; the objects must be of one kind. */
export function kindAndNames(objects: readonly KubeObject[]): string {
  const [first] = objects;
  if (first === undefined) return '';
  const kind = shownName(first.type.kind);
  return `${objects.length === 1 ? kind : `${kind}s`} ${enumerated(objects.map(({ name }) => shownName(name)))}`;
}
