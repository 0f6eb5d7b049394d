import { describe, expect, it } from 'vitest';
import { deleteOwners, mergeOwners } from '../../../src/simulation/api/strategic-merge.ts';
import { object, refTo } from '../../graph/fixtures.ts';

/** `A+` blocks, `A-` doesn't, `A` says nothing. */
function owners(words: string) {
  return words.split(' ').map(word => {
    const reference = refTo(object({ uid: word.charAt(0), name: word.charAt(0) }));
    const sign = word.charAt(1);
    return { ...reference, blockOwnerDeletion: sign === '' ? undefined : sign === '+' };
  });
}

function written(found: ReturnType<typeof owners>): string {
  return found
    .map(({ name, blockOwnerDeletion: blocks }) => `${name}${blocks === undefined ? '' : blocks ? '+' : '-'}`)
    .join(' ');
}

// As kube-apiserver v1.36.3 answered.
describe('a strategic merge patch of owner references', () => {
  it.each([
    ['A+ B+ A', 'A- B-', 'A- A B-'],
    ['A- A B-', 'A- B-', 'A- A B-'],
    ['A+ B A', 'A-', 'A- A B'],
    ['A B+ A+', 'B- A-', 'B- A- A+'],
    ['A+ C B+ A', 'A- B-', 'A- A C B-'],
    ['C B+ A+', 'A- B-', 'C A- B-'],
    ['B+ A+ C+ A', 'B- A- C-', 'B- A- A C-'],
    ['A B+', 'C- B-', 'C- A B-'],
    ['A B A+', 'C', 'C A A+ B'],
  ])('makes of %s with %s: %s', (before, patch, after) => {
    expect(written([...mergeOwners(owners(before), owners(patch))])).toBe(after);
  });

  it.each([
    ['A B A+ C', 'C', 'A A+ B'],
    ['A B A+ C B+', 'C', 'A A+ B B+'],
    ['A B A+ C', 'A', 'B C'],
    ['A B A+', 'C', 'A A+ B'],
  ])('leaves of %s without %s: %s', (before, uid, after) => {
    expect(written([...deleteOwners(owners(before), each => each === uid)])).toBe(after);
  });
});
