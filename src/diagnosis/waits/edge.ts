/** An edge of the graph of waits. Each kind of wait has a file of its own that makes them. */
import type { Certainty } from '../../collector/index.ts';
import type { Identity } from '../../graph/index.ts';
import type { KubeObject, ResourceType, Uid } from '../../model/index.ts';
import type { ChainLink, OfferedRemedy } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';

/** An object waits for another one. */
export interface Wait {
  /** The object to be gone or, if `isMissing`, to come back. */
  readonly on: KubeObject | Identity;
  readonly isMissing: boolean;
  /** True if the object's own statements name it, or the catalogue knows it: two such waits prove a deadlock. */
  readonly isReported: boolean;
  /** `assumed` if a general rule found it. */
  readonly certainty: Certainty;
  readonly evidence: readonly string[];
  /** Required state of `on`; `gone` if omitted. */
  readonly until?: string;
  /** Set if something keeps `on` that isn't a hold on its deletion, as a budget keeps a pod. Links begin with `on`. */
  readonly end?: { readonly links: readonly ChainLink[]; readonly advice: () => readonly OfferedRemedy[] };
}

interface Place {
  readonly type: ResourceType | undefined;
  readonly namespace: string;
  readonly name: string;
}

/** Identifies an object that doesn't exist, in any namespace if none is known; returns undefined if it may exist. */
export function identifyMissing(
  tracked: TrackedView,
  { type, namespace, name }: Place,
): Identity | undefined {
  if (type === undefined || name === '') return undefined;
  const isAnywhere = type.namespaced && namespace === '';
  const isMissing = isAnywhere
    ? tracked.view.seesAll(type) && [...tracked.all(type)].every(each => each.name !== name)
    : tracked.lacks(type, namespace, name);
  if (!isMissing) return undefined;
  const { apiVersion, kind } = type;
  return { apiVersion, kind, namespace, name, uid: '' as Uid };
}

export function isName(word: string): boolean {
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/u.test(word);
}

/** Kinds by their name, plural and singular in lower case; the object's own group wins. */
export function kindNamed(tracked: TrackedView, word: string, group: string): ResourceType | undefined {
  const kinds = tracked.once('kinds by word', () => {
    const byWord = new Map<string, ResourceType[]>();
    for (const type of tracked.view.catalog.types)
      if (type.preferred)
        for (const each of new Set([type.kind.toLowerCase(), type.resource, type.singular]))
          if (each.length > 2) byWord.set(each, [...(byWord.get(each) ?? []), type]);
    return byWord;
  });
  const [plain = ''] = word.toLowerCase().split('.');
  const types = kinds.get(plain) ?? [];
  return types.find(type => type.group === group) ?? types[0];
}
