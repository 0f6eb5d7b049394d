/** What somebody gets who has the terminal in place of the screen, and how it went. */
import type { KubectlEnd } from '../../app/kubectl/calls.ts';

export interface Borrowed {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts where the screen is left meanwhile: then whatever runs is ended. */
  readonly left: AbortSignal;
}

export interface Ran {
  readonly end: KubectlEnd;
  /** Somebody has read it: in a pager, which they left. */
  readonly isRead: boolean;
}
