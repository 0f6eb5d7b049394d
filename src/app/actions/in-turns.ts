/**
 * Makes forecasts in slices, so that keys wait for one slice only. A forecast is of one moment: batches wait for it,
 * and a change of the view by other means, such as a playing recording, restarts it.
 */
import type { ClusterView } from '../../graph/index.ts';
import { Sliced } from '../../model/index.ts';
import type { Ports } from '../background/ports.ts';
import { SlicedWork } from '../background/sliced-work.ts';

export interface Turns {
  readonly ports: Pick<Ports, 'now' | 'soon'>;
  readonly view: Pick<ClusterView, 'revision'>;
  /** Holds back changes until the returned function is called; undefined if the source has no changes. */
  readonly still: (() => Promise<() => void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds that batches wait for a forecast in short slices. */
const HELD_MS = 1_000;
/** Milliseconds per slice once `HELD_MS` has passed; short enough to handle keys in between. */
const LONG_SLICE_MS = 25;
/** Maximum number of restarts; the last run has no pauses, so that it ends. */
const MOST_ANEW = 3;

/**
 * Runs the work in slices. When this resolves, the view is as the work saw it until the caller yields. Rejects with the
 * work's error or the signal's reason.
 */
export async function inTurns<T>(begin: () => Sliced<T>, turns: Turns): Promise<T> {
  const { ports, still, signal } = turns;
  // Waiting input goes first.
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
        if (begun > MOST_ANEW) resolve(Sliced.atOnce(work));
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
