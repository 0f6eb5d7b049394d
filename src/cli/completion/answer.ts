/** What is offered at the cursor, in cobra's terms. */

import type { Io } from '../runtime/io.ts';
import type { Services } from '../runtime/services.ts';

/** Directives of cobra that are in use (completions.go); they add up. */
export const NO_SPACE = 2;
export const NO_FILES = 4;
export const FILES = 0;

export interface CompletionContext {
  readonly io: Io;
  readonly services: Services;
}

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export interface CompletionAnswer {
  /** Not yet narrowed to what begins as the typed word does. */
  readonly candidates: readonly Candidate[];
  readonly directive: number;
}

export const none: CompletionAnswer = { candidates: [], directive: NO_FILES };

export function offer(candidates: readonly Candidate[]): CompletionAnswer {
  return { candidates, directive: NO_FILES };
}

export function words(list: readonly string[]): Candidate[] {
  return list.map(word => ({ word }));
}

/** For the last word of a list with commas, `pods,dep`: behind those before it, and none of them twice. */
export function listed(current: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const before = current.slice(0, current.lastIndexOf(',') + 1);
  if (before === '') return candidates;
  const taken = before.split(',');
  return candidates
    .filter(({ word }) => !taken.includes(word))
    .map(each => ({ ...each, word: before + each.word }));
}
