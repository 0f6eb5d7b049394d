export const FIRST_COLLECTOR =
  "The garbage collector and the deletions here are those of Kubernetes 1.5 (docs/collector.md). What diagnoses and explains knows today's alone: there are no findings, and the reasons in Activity may not be its own.";
