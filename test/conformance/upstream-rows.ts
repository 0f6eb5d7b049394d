/**
 * The upstream scenarios that tests have to hold the product to, by the numbers that their tests are named with:
 * a letter for the suite, and a number with gaps.
 */

const suites: Readonly<Record<string, readonly number[]>> = {
  // The collector: general, conflicting identities, alternate identities, its graph's dump, integration, end to end.
  G: [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22],
  C: [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17],
  I: [1, 2, 4, 5, 7, 8, 10, 11, 13, 14],
  V: [1, 2, 4, 5, 7, 8, 10, 11],
  T: [1, 2, 4, 5, 7, 8, 10, 11, 13, 14],
  E: [1, 2, 4, 5, 7, 8, 10, 11],
  // PodGC: unit and integration.
  P: [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25],
  Q: [1, 2, 4, 5, 7],
  // The API server's deletions.
  S: [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38],
  // The namespace controller.
  N: [1, 2, 4, 5, 7, 8, 10, 11],
  // Claiming, validation, admission.
  M: [1, 2, 4, 5, 7, 8, 10, 11, 13],
};

export const upstreamRows: readonly string[] = Object.entries(suites).flatMap(([suite, numbers]) =>
  numbers.map(number => `${suite}${number}`),
);
