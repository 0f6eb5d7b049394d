/**
 * What is asked of a cluster for the PodGC view alone: when nodes went, and who runs the controllers. Estimates are
 * better for it, so that nothing is told where no answer comes.
 */
import { managerLease, type Source } from '../../source/source.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Message } from '../state/messages.ts';

export interface PodGcSignsContext {
  readonly source: Source;
  readonly cluster: ClusterModel;
}

/** The answer is told only while the same cluster is on the screen: `current` is what is there then. */
export async function askPodGcSigns(
  sign: 'removals' | 'manager',
  current: () => PodGcSignsContext | undefined,
  tell: (message: Message) => void,
): Promise<void> {
  const asked = current();
  if (asked === undefined) return;
  const message = await (sign === 'removals' ? removals(asked) : manager(asked));
  if (message !== undefined && current()?.source === asked.source) tell(message);
}

async function removals({ source }: PodGcSignsContext): Promise<Message | undefined> {
  const gone = await source.nodeRemovals?.().catch(() => undefined);
  return gone && { type: 'removals', removals: gone };
}

async function manager({ source, cluster }: PodGcSignsContext): Promise<Message> {
  return { type: 'manager', lease: await managerLease(source, cluster.view.catalog) };
}
