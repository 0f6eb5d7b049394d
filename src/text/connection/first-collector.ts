/** What is said of a simulated cluster that has the first collector, wherever it is shown. */
export const FIRST_COLLECTOR =
  "The garbage collector and the deletions here are those of Kubernetes 1.5 (docs/vintage.md). Nothing is diagnosed: findings are about what today's collector does.";
