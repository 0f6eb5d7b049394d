/** Reads why the API server refuses an update that only removes a finalizer or an owner reference. */
import { prose, saidWords, withoutDifference } from '../../model/index.ts';
import { type Gatekeeper, namesOf } from './gatekeepers.ts';

export interface InvalidUpdate {
  /** Those that may have changed the object on the way; empty if the object itself is invalid. */
  readonly by: readonly Gatekeeper[];
  /** A clause on the update: `the mutating webhook a.example.com changes affinity in it, which the API server refuses: …` */
  readonly words: string;
}

/** Messages of Kubernetes' validation (v0.36) about fields that never change. */
const immutable =
  /may not change fields|is immutable|updates to .* are forbidden|may not be (?:changed|updated)|cannot be (?:changed|updated)/isu;

/** The first field of a difference that only one side has. */
const changed = /(?:^|\s)[+-]\s*"?([A-Z]\w*)"?:/u;

const WORDS = 200;

/** Reads a 422 answer; undefined if it isn't one. `gatekeepers`: those that were asked. */
export function invalidUpdateIn(said: string, gatekeepers: readonly Gatekeeper[]): InvalidUpdate | undefined {
  const [, words] = /\bis invalid: (.*)$/su.exec(said) ?? [];
  if (words === undefined) return undefined;
  const head = withoutDifference(words);
  const reason = /pod updates may not change fields/u.test(head)
    ? "a pod's spec cannot be changed"
    : saidWords.shortened(prose(head), WORDS).replace(/[.:]$/u, '');
  if (!immutable.test(head))
    return {
      by: [],
      words: `the API server refuses every update of it as it is: ${reason}`,
    };
  const by = gatekeepers.filter(({ isMutating }) => isMutating);
  const [, field] = changed.exec(words.slice(head.length)) ?? [];
  const who = by.length === 0 ? 'a mutating webhook or policy' : namesOf(by);
  const verb = by.length > 1 ? 'change' : 'changes';
  return {
    by,
    words: `${who} ${verb} ${field === undefined ? 'more' : lowerFirst(field)} in it, which the API server refuses: ${reason}`,
  };
}

function lowerFirst(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}
