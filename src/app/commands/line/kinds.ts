/** Finds the kinds that a `:` line may name, and their objects. */
import type { GraphNode } from '../../../graph/index.ts';
import { type ResourceType, shownName } from '../../../model/index.ts';
import { matchingItems } from '../../search/node-index.ts';
import type { PickerItem, State } from '../../state/state.ts';

/** Returns the kind that kubectl understands by a word. */
export function kindOf({ cluster }: State, word: string): ResourceType | undefined {
  const found = word === '' ? undefined : cluster?.view.catalog.resolveWord(word);
  return found?.known === true && found.types.length === 1 ? found.types[0] : undefined;
}

export function kindItem({ kind, resource }: ResourceType, word: string, rest: string): PickerItem {
  const what = rest === '' ? resource : `${resource} that contain "${rest}"`;
  return {
    id: rest === '' ? word : `${word} ${rest}`,
    label: `${word} ${rest}`.trim(),
    hint: `${kind}: only ${what}`,
  };
}

const MOST_KINDS = 12;

export function kindItems(state: State, word: string): readonly PickerItem[] {
  const exact = kindOf(state, word);
  const types = state.cluster?.view.catalog.types ?? [];
  const begins = types.filter(
    type => type.preferred && type !== exact && type.verbs.includes('list') && type.resource.startsWith(word),
  );
  return [
    ...(exact === undefined ? [] : [kindItem(exact, word, '')]),
    ...begins.slice(0, MOST_KINDS).map(type => kindItem(type, type.resource, '')),
  ];
}

export function closestKinds(state: State, word: string): readonly PickerItem[] {
  const found = state.cluster?.view.catalog.resolveWord(word);
  if (found === undefined || found.known) return [];
  return found.suggestions.flatMap(each => {
    const kind = kindOf(state, each);
    return kind === undefined ? [] : [kindItem(kind, each, '')];
  });
}

const MOST_NAMES = 200;

/** Offers `deploy api` for each object of the kind whose name matches, those in scope first. */
export function nameItems(
  { cluster }: State,
  kind: ResourceType,
  word: string,
  typed: string,
  between = ' ',
): readonly PickerItem[] {
  if (cluster === undefined) return [];
  const here = new Map<string, PickerItem>();
  const elsewhere = new Map<string, PickerItem>();
  for (const node of cluster.view.graph.nodes()) {
    if (here.size >= MOST_NAMES) break;
    const { object } = node;
    if (object === undefined || !isOf(kind, node) || !object.name.includes(typed)) continue;
    const found = cluster.inScope(node) ? here : elsewhere;
    // A name that has to be escaped can't be typed either.
    if (found.size >= MOST_NAMES || shownName(object.name) !== object.name) continue;
    const hint = object.namespace === '' ? kind.kind : `${kind.kind} in ${shownName(object.namespace)}`;
    found.set(object.name, {
      id: `${word}${between}${object.name}`,
      label: `${word}${between}${object.name}`,
      hint,
    });
  }
  const byLabel = (a: PickerItem, b: PickerItem): number => (a.label < b.label ? -1 : 1);
  const others = [...elsewhere].flatMap(([name, item]) => (here.has(name) ? [] : [item]));
  const found = [...[...here.values()].toSorted(byLabel), ...others.toSorted(byLabel)];
  return matchingItems(found, `${word}${between}${typed}`);
}

export function isOf(kind: ResourceType, { object }: GraphNode): boolean {
  return object?.type.kind === kind.kind && object.type.group === kind.group;
}
