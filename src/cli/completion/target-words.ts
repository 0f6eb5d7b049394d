/** Targets as kubectl writes them: types, several with commas; then names; or `TYPE/NAME`. */

import { isTaint, SHORT_TAINT } from '../commands/plan/taint.ts';
import type { Io } from '../runtime/io.ts';
import type { Services } from '../runtime/services.ts';
import { type CompletionAnswer, listed, NO_FILES, NO_SPACE, none, offer, words } from './answer.ts';
import { clusterWords } from './cluster-words.ts';
import type { TypedLine } from './line.ts';

/** Types, or names once a type is known: `sts/`, `sts w`. */
export async function targetWords(
  line: TypedLine,
  current: string,
  io: Io,
  services: Services,
): Promise<CompletionAnswer> {
  const slash = current.indexOf('/');
  const [first, ...taken] = line.operands;
  if (slash >= 0) {
    const type = current.slice(0, slash);
    // kubectl completes `pods,deploy/`, and then refuses it.
    if (type.includes(',')) return none;
    const { names } = await clusterWords(line.flags, io, services, type);
    return offer(words(names.filter(isOneWord).map(name => `${type}/${name}`)));
  }
  if (first === undefined) {
    const { types } = await clusterWords(line.flags, io, services, undefined);
    return offer(listed(current, types));
  }
  if (first.includes('/')) {
    const { types } = await clusterWords(line.flags, io, services, undefined);
    return { candidates: types.map(({ word }) => ({ word: `${word}/` })), directive: NO_FILES + NO_SPACE };
  }
  const { names } = await clusterWords(line.flags, io, services, first);
  return offer(
    words(
      names.filter(
        name => !taken.includes(name) && isOneWord(name) && (line.isPastFlags || !name.startsWith('-')),
      ),
    ),
  );
}

/** One with a slash would be a target. */
function isOneWord(name: string): boolean {
  return !name.includes('/');
}

/** A node, then more of them or the taint that ends the list. */
export async function taintWords(line: TypedLine, io: Io, services: Services): Promise<CompletionAnswer> {
  if (line.operands.some(isTaint)) return none;
  const taken = new Set(line.operands);
  const { names } = await clusterWords(line.flags, io, services, 'nodes');
  // `nodes NAME...` as kubectl has it, or `node/NAME...`.
  const isSlashed = line.operands[0]?.includes('/') ?? true;
  const nodes = names.map(name => (isSlashed ? `node/${name}` : name)).filter(word => !taken.has(word));
  return offer(words(taken.size === 0 ? nodes : [SHORT_TAINT, ...nodes]));
}
