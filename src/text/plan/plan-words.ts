import type { ChangedObject, Forecast, RecreatedObjects } from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import {
  BuiltInKind,
  counted,
  formatCount,
  type KubeObject,
  objectTitle,
  objectTitleIn,
  showHidden,
  shownName,
  wordForms,
} from '../../model/index.ts';
import { kindOrder, nameWords } from '../terminal/names.ts';

export interface NameOptions {
  /** The namespace to omit. */
  readonly namespace: string;
  readonly all: boolean;
}

const NAMED = 5;

/** Owners' kinds before those they own, such as a definition before its objects. */
export const planOrder = kindOrder.toSpliced(1, 0, 'CustomResourceDefinition');

/** Returns the targets' common namespace, or `''`. */
export function surroundings(targets: readonly Identity[]): string {
  const namespaces = new Set(targets.map(({ namespace }) => namespace));
  const [only = ''] = namespaces;
  return namespaces.size === 1 ? only : '';
}

/** Returns `StatefulSet shop/web` or `3 objects`. */
function targetsTitle(targets: readonly (Identity | KubeObject)[], noun = 'object'): string {
  const [first] = targets;
  return targets.length === 1 && first !== undefined ? objectTitle(first) : counted(targets.length, noun);
}

function plural(kind: string, number: number): string {
  return number === 1 ? kind : wordForms.plural(kind);
}

/** Returns `Pods api-1, api-2 and 3 more`; requires one kind. */
export function namesOf(
  objects: readonly Pick<Identity, 'kind' | 'namespace' | 'name'>[],
  options: NameOptions,
): string {
  const [first] = objects;
  if (first === undefined) return '';
  const shown = options.all ? objects : objects.slice(0, NAMED);
  const names = shown.map(({ namespace, name }) =>
    namespace === '' || namespace === options.namespace
      ? shownName(name)
      : `${shownName(namespace)}/${shownName(name)}`,
  );
  const more = objects.length - shown.length;
  const rest = more > 0 ? ` and ${formatCount(more)} more` : '';
  return `${plural(shownName(first.kind), objects.length)} ${names.join(', ')}${rest}`;
}

/** Returns ` by StatefulSet web` or ` by endpoints-controller`; `''` if unknown. */
export function creatorWords(
  { by, actor }: Pick<RecreatedObjects, 'by' | 'actor'>,
  namespace: string,
): string {
  const creator = by === undefined ? actor : objectTitleIn(by, namespace);
  return creator === undefined ? '' : ` by ${creator}`;
}

export function kindGroups(objects: readonly Identity[], options: NameOptions): string[] {
  return [...Map.groupBy(objects, ({ kind }) => kind)]
    .sort(
      ([a], [b]) => nameWords.kindRank(a, planOrder) - nameWords.kindRank(b, planOrder) || (a < b ? -1 : 1),
    )
    .map(([, group]) => namesOf(group, options));
}

export interface WordGroup {
  readonly objects: readonly Identity[];
  readonly word: string;
}

export function byKind<T extends { readonly object: Identity }>(
  list: readonly T[],
  wordOf: (item: T) => string,
): WordGroup[] {
  const items = list.map(item => ({ object: item.object, word: wordOf(item) }));
  return [...Map.groupBy(items, ({ object, word }) => `${object.kind} ${word}`).values()].map(alike => {
    const [{ word } = { word: '' }] = alike;
    const several = word
      .replace(/^loses its/u, 'lose their')
      .replace(/^(lose|get)s/u, '$1')
      .replace(/^no longer blocks/u, 'no longer block');
    return { objects: alike.map(({ object }) => object), word: alike.length === 1 ? word : several };
  });
}

const podOwners: ReadonlySet<BuiltInKind | undefined> = new Set(['ReplicaSet', 'Job', 'StatefulSet']);

/** Describes an altered object: `loses its owner reference and keeps its 3 pods`. */
export function alterationsIn({ changed, untouched }: Forecast): (change: ChangedObject) => string {
  // This is counted once for all altered objects.
  const pods = untouched.filter(each => BuiltInKind.of(each) === 'Pod').length;
  const alone = changed.filter(({ object }) => podOwners.has(BuiltInKind.of(object))).length === 1;
  return change => alteration(change, alone ? pods : 0);
}

/** `pods`: those left by the only altered owner of pods. */
function alteration(change: ChangedObject, pods: number): string {
  const parts: string[] = [];
  const removed = change.ownerReferencesRemoved.length;
  if (removed === 1) {
    parts.push(change.ownerReferencesLeft === 0 ? 'loses its owner reference' : 'loses an owner reference');
  }
  if (removed > 1) parts.push(`loses ${removed} owner references`);
  if (change.ownerReferencesUnblocked.length > 0) parts.push('no longer blocks the deletion of its owner');
  if (change.ownerReferencesAdded.length > 0)
    parts.push(`gets ${counted(change.ownerReferencesAdded.length, 'owner reference')}`);
  if (change.ownerReferencesAltered.length > 0)
    parts.push(`has ${counted(change.ownerReferencesAltered.length, 'owner reference')} altered`);
  if (change.finalizersRemoved.length > 0)
    parts.push(`loses the finalizer ${change.finalizersRemoved.join(', ')}`);
  if (change.finalizersAdded.length > 0)
    parts.push(`gets the finalizer ${change.finalizersAdded.join(', ')}`);
  if (pods > 0 && removed > 0 && podOwners.has(BuiltInKind.of(change.object))) {
    parts.push(pods === 1 ? 'keeps its pod' : `keeps its ${pods} pods`);
  }
  return parts.map(showHidden).join(' and ');
}

export const countWords = { plural, targets: targetsTitle };
