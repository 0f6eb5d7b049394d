/** When a node went, as the cluster remembers it. Times in milliseconds since the epoch. */
export interface NodeRemoval {
  /** Of the removals that are remembered the first and the last one; the same where there was one. */
  readonly first: number;
  readonly last: number;
}
