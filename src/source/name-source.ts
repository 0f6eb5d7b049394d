/** The names of types and objects, for whoever wants nothing else of a cluster: completion, which has to be quick. */
import type { ResourceType } from '../model/types/resource-type.ts';

export interface NameSource {
  /** The namespace that the kubeconfig says, or the flags. */
  readonly namespace: string;
  /** What is served, or was a few hours ago. Rejects with a `SourceError`. */
  types(): Promise<readonly ResourceType[]>;
  /**
   * The names of the objects of what `word` names, in a namespace or everywhere; those that have arrived when the signal
   * aborts, and none where the word names too much. Rejects with a `SourceError`.
   */
  names(word: string, namespace: string | undefined, signal: AbortSignal): Promise<readonly string[]>;
  close(): Promise<void>;
}
