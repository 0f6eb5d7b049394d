/** What surrounds every action: the cluster opened and closed, Ctrl-C heeded, one reader of answers. */

import type { CommandContext } from '../../runtime/command.ts';
import { Interrupted } from '../../runtime/errors.ts';
import { Prompter } from './ask.ts';
import type { ActOptions } from './options.ts';
import { type ActSession, openForActing } from './session.ts';

export interface ActionCommandContext {
  readonly acting: ActSession;
  readonly asker: Prompter;
  /** Aborted with an `Interrupted`. */
  readonly signal: AbortSignal;
  /** From here on an interruption is heeded; before, it ends the process, in the middle of a forecast as well. */
  readonly heed: () => void;
  /** Rejects with an `Interrupted` at the second Ctrl-C. */
  readonly impatient: Promise<never>;
}

/**
 * Runs `inside` with the cluster read. Once it heeds interruptions, the first Ctrl-C aborts the signal, so that a
 * request under way is waited for and the journal says how it ended; at the second one `impatient` rejects, for nobody
 * waits any more.
 */
export async function withCluster(
  command: CommandContext,
  { verb }: ActOptions,
  inside: (around: ActionCommandContext) => Promise<number>,
): Promise<number> {
  const acting = await openForActing(verb, command);
  const controller = new AbortController();
  const { signal } = controller;
  const impatient = Promise.withResolvers<never>();
  // Who isn't waiting for it needn't know.
  impatient.promise.catch(() => {});
  let stopListening: (() => void) | undefined;
  const heed = (): void => {
    stopListening ??= command.io.onInterrupt(name => {
      const interrupted = new Interrupted(name);
      if (signal.aborted) impatient.reject(interrupted);
      controller.abort(interrupted);
    });
  };
  const asker = new Prompter(command.io, signal, heed);
  try {
    return await inside({ acting, asker, signal, heed, impatient: impatient.promise });
  } finally {
    stopListening?.();
    asker.close();
    await acting.session.close();
  }
}
