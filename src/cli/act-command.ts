/** What surrounds every action: the cluster opened and closed, Ctrl-C heeded, one reader of answers. */
import { Asker } from './act-ask.ts';
import type { ActOptions } from './act-options.ts';
import { type ActSession, openForActing } from './act-session.ts';
import type { Command } from './command.ts';
import { Interrupted } from './errors.ts';

export interface Around {
  readonly acting: ActSession;
  readonly asker: Asker;
  readonly signal: AbortSignal;
}

/**
 * Runs `inside` with the cluster read. The first Ctrl-C aborts the signal, so that a request under way is waited
 * for and the journal says how it ended; at the second one nobody waits any more: `Interrupted`.
 */
export async function withCluster(
  command: Command,
  { verb }: ActOptions,
  inside: (around: Around) => Promise<number>,
): Promise<number> {
  const acting = await openForActing(verb, command);
  const controller = new AbortController();
  const asker = new Asker(command.io, controller.signal);
  let stopListening = (): void => {};
  const impatient = new Promise<never>((_, reject) => {
    stopListening = command.io.onInterrupt(() => {
      if (controller.signal.aborted) reject(new Interrupted('interrupted'));
      controller.abort();
    });
  });
  try {
    return await Promise.race([inside({ acting, asker, signal: controller.signal }), impatient]);
  } finally {
    stopListening();
    asker.close();
    await acting.session.close();
  }
}
