import { type Branch, branches, type CollectorStep } from '../../collector/index.ts';
import type { Identity } from '../../graph/index.ts';
import { parseApiVersion, type ResourceType, SimilarWord, type TypeCatalog } from '../../model/index.ts';

export type Breakpoint = (step: CollectorStep) => boolean;

export interface UnknownBreakpoint {
  readonly suggestions: readonly string[];
}

/** Accepts `pod/web-0`, `pod/shop/web-0` in one namespace, `pods`, or a decision such as `DeleteBackground`. */
export function parseBreakpoint(words: string, catalog: TypeCatalog): Breakpoint | UnknownBreakpoint {
  const [word = '', ...place] = words.trim().split('/');
  const branch = place.length === 0 ? branchOf(word) : undefined;
  if (branch !== undefined) return step => step.branches.includes(branch);
  const found = catalog.resolveWord(word);
  if (!found.known || place.length > 2 || place.includes('')) {
    const near = SimilarWord.closest(word.toLowerCase(), [...byLowerCase.keys()]);
    const decisions = near.flatMap(each => byLowerCase.get(each) ?? []);
    return { suggestions: [...decisions, ...(found.known ? [] : found.suggestions)] };
  }
  const name = place.at(-1);
  const namespace = place.length === 2 ? place[0] : undefined;
  const isMeant = (object: Identity): boolean =>
    found.types.some(type => isOfType(object, type)) &&
    (name === undefined || object.name === name) &&
    (namespace === undefined || object.namespace === namespace);
  return ({ work, requests }) =>
    ('object' in work && isMeant(work.object)) || requests.some(({ object }) => isMeant(object));
}

const byLowerCase: ReadonlyMap<string, Branch> = new Map(
  branches.map(branch => [branch.toLowerCase(), branch]),
);

function branchOf(word: string): Branch | undefined {
  return byLowerCase.get(word.toLowerCase());
}

function isOfType({ apiVersion, kind }: Identity, type: ResourceType): boolean {
  return kind === type.kind && parseApiVersion(apiVersion).group === type.group;
}
