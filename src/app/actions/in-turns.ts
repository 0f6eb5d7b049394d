/**
 * Forecasts in turns with everything else on the screen: a key waits for one slice, and never for a forecast. A forecast
 * is of one moment, so the cluster's view stands still meanwhile: batches wait, and are taken over before the next forecast
 * begins. What changes the view all the same, such as a recording that plays, has the forecast begin anew. Either way it
 * is one of before or of after, and never a mixture.
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import { atOnce, type Sliced } from '../../model/slices.ts';
import type { Ports } from '../session/ports.ts';
import { SlicedWork } from '../session/sliced-work.ts';

export interface Turns {
  readonly ports: Pick<Ports, 'now' | 'soon'>;
  readonly view: Pick<ClusterView, 'revision'>;
  /** Has changes wait until what it resolves with is called; undefined where they don't come by themselves. */
  readonly still: (() => Promise<() => void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How long batches wait for a forecast whose turns are short. */
const HELD_MS = 1_000;
/** From then on more is done in a turn, so that batches don't wait much longer; a key still comes between two. */
const LONG_SLICE_MS = 25;
/** So often it begins anew; then it is done without a pause, because it would never end otherwise. */
const MOST_ANEW = 3;

/**
 * Does the work, which begins when it is its turn. The view is as the work has seen it when this resolves, until whoever
 * awaits it lets others go on. Rejects with what the work throws and, once the signal is aborted, with its reason: then
 * nothing goes on.
 */
export async function inTurns<T>(begin: () => Sliced<T>, turns: Turns): Promise<T> {
  const { ports, still, signal } = turns;
  // What waits to be read goes first.
  await new Promise<void>(resolve => ports.soon(resolve));
  signal?.throwIfAborted();
  const release = await still?.();
  try {
    signal?.throwIfAborted();
    return await worked(begin, turns);
  } finally {
    release?.();
  }
}

function worked<T>(begin: () => Sliced<T>, { ports, view, signal }: Turns): Promise<T> {
  return new Promise((resolve, reject) => {
    const slices = new SlicedWork(ports);
    const longFrom = ports.now() + HELD_MS;
    let work = begin();
    let { revision } = view;
    let begun = 0;
    const stop = (): void => {
      slices.stop();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', stop, { once: true });
    const step = (): boolean => {
      try {
        if (view.revision !== revision) {
          begun += 1;
          ({ revision } = view);
          work = begin();
        }
        if (begun > MOST_ANEW) resolve(atOnce(work));
        else {
          const { done, value } = work.next();
          if (done !== true) return false;
          resolve(value);
        }
      } catch (error) {
        reject(error as Error);
      }
      signal?.removeEventListener('abort', stop);
      return true;
    };
    slices.start(step, () => (ports.now() < longFrom ? undefined : LONG_SLICE_MS));
  });
}
