/** A baseline's effect on findings, in sanitised sentences. */
import { counted, enumerated, showHidden } from '../../../model/index.ts';

interface Entry {
  readonly id: string;
  readonly reason: string;
  readonly expires: string;
}

export interface BaselineFacts {
  readonly file: string;
  readonly known: readonly { readonly entry: Entry }[];
  readonly expired: readonly { readonly entry: Entry }[];
  readonly worse: readonly { readonly entry: Entry }[];
  readonly unmatched: readonly Entry[];
}

const NAMED = 3;

/** Puts findings that count again first. `isComplete`: everything in scope could be seen. */
export function baselineSentences(facts: BaselineFacts, isComplete: boolean): readonly string[] {
  const file = showHidden(facts.file);
  const expired = [...new Set(facts.expired.map(({ entry }) => entry))];
  const worse = [...new Set(facts.worse.map(({ entry }) => entry))];
  const { known, unmatched } = facts;
  const sentences: string[] = [];
  if (expired.length > 0)
    sentences.push(
      `${entries(expired)} of ${file} ${expired.length === 1 ? 'has' : 'have'} expired, so ${counted(facts.expired.length, 'finding counts', 'findings count')} again: ${some(expired, ({ id, expires, reason }) => `${id} (${expires}: ${reason})`)}.`,
    );
  if (worse.length > 0)
    sentences.push(
      `${counted(facts.worse.length, 'finding is', 'findings are')} worse than ${file} says, and ${facts.worse.length === 1 ? 'counts' : 'count'}: ${some(worse, ({ id }) => id)}.`,
    );
  if (known.length > 0)
    sentences.push(`${counted(known.length, 'known finding is', 'known findings are')} left out by ${file}.`);
  if (unmatched.length > 0)
    sentences.push(
      `${entries(unmatched)} of ${file} ${unmatched.length === 1 ? 'matches' : 'match'} nothing ${isComplete ? 'any more' : 'that could be seen'}: ${some(unmatched, ({ id }) => id)}.${isComplete ? ` Remove ${unmatched.length === 1 ? 'it' : 'them'}.` : ''}`,
    );
  return sentences;
}

function entries(list: readonly Entry[]): string {
  return counted(list.length, 'entry', 'entries');
}

function some(list: readonly Entry[], words: (entry: Entry) => string): string {
  return enumerated(
    list.map(each => showHidden(words(each)).replaceAll(/\s+/gu, ' ')),
    NAMED,
  );
}
