/** A run of kubectl for the user, and its outcome. */
import type { Uid } from '../../model/index.ts';

export interface KubectlCall {
  /** Verb such as `describe`, or the name of a user's command. */
  readonly verb: string;
  /** Words after the flags that name the cluster. */
  readonly words: readonly string[];
  /** `pages`: its output is read in a panel; `stream`: likewise, and the panel follows its end; `keys`: kubectl gets the terminal. */
  readonly terminal: 'pages' | 'stream' | 'keys';
}

export type ContainerWish = 'logs' | 'shell';

export type KubectlEnd =
  | { readonly code: number | null; readonly signal: string | null }
  | { readonly failure: string };

export interface Container {
  readonly name: string;
  readonly kind: 'container' | 'init container' | 'sidecar' | 'ephemeral container';
  readonly state: 'running' | 'waiting' | 'ended' | 'not started';
  /** Reason such as `CrashLoopBackOff`; `''` for none. */
  readonly reason: string;
  readonly restarts: number;
  /** The container has run before and has a previous log. */
  readonly ranBefore: boolean;
}

export interface Containers {
  readonly uid: Uid;
  readonly wish: ContainerWish;
  readonly containers: readonly Container[];
}

export interface NoContainers extends Omit<Containers, 'containers'> {
  readonly failure: string;
}
