/** The terminal as lent to a program, and the outcome. */
import type { KubectlEnd } from '../../app/index.ts';

export interface Borrowed {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly left: AbortSignal;
}

export interface Ran {
  readonly end: KubectlEnd;
  /** The user has read the output in a pager and left it. */
  readonly isRead: boolean;
}
