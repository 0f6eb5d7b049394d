/** fuse.js as the search's ranker. A module of its own, so that it is loaded with the first search. */
import Fuse from 'fuse.js';
import type { Ranker } from './index.ts';

/** Threshold 0.3 keeps what a person would still call a match; the place within the line doesn't matter. */
export const fuseRanker: Ranker = (lines, query) => {
  const fuse = new Fuse(lines, { includeScore: true, threshold: 0.3, ignoreLocation: true });
  return fuse.search(query).map(({ refIndex, score }) => ({ index: refIndex, score: score ?? 1 }));
};
