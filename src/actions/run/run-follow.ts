/** Watches the cluster after an action until it is where the forecast said, has gone another way, or time is up. */
import { isBehind } from '../../model/exchange/changes.ts';
import type { Expectation } from '../prepare/expectations.ts';
import { type Comparison, comparisonsOf, type Progress, progressOf } from './follow.ts';
import type { RunPorts } from './ports.ts';

/** What is reached has to hold that long, and departures that come together are told together. */
const SETTLE_MILLISECONDS = 1_000;

export interface Followed {
  readonly outcome: 'reached' | 'departed' | 'unfinished';
  readonly progress: Progress;
  readonly compared: readonly Comparison[];
}

export async function followOn(
  expectations: readonly Expectation[],
  ports: Pick<RunPorts, 'view' | 'now' | 'changed' | 'tell' | 'timeout' | 'signal'>,
): Promise<Followed> {
  const deadline = ports.now() + ports.timeout;
  let told = '';
  let standing: Standing = 'pending';
  let since = ports.now();
  for (;;) {
    const progress: Progress = progressOf(expectations, ports.view);
    const said = JSON.stringify(progress);
    if (said !== told) ports.tell({ event: 'progress', progress });
    told = said;
    const now = ports.now();
    const before: Standing = standing;
    standing = standingOf(progress, isBehind(ports.view.connection));
    if (standing !== before) since = now;
    const compared = (): readonly Comparison[] => comparisonsOf(expectations, ports.view);
    if (standing !== 'pending' && now - since >= SETTLE_MILLISECONDS)
      return { outcome: standing, progress, compared: compared() };
    if (now >= deadline || ports.signal?.aborted === true) {
      const outcome = standing === 'departed' ? 'departed' : 'unfinished';
      return { outcome, progress, compared: compared() };
    }
    const settled = standing === 'pending' ? deadline : since + SETTLE_MILLISECONDS;
    await ports.changed(Math.max(1, Math.min(deadline, settled) - now), ports.signal);
  }
}

type Standing = 'pending' | 'reached' | 'departed';

function standingOf({ pending, departures }: Progress, blind: boolean): Standing {
  if (departures.length > 0) return 'departed';
  // Without a connection nobody knows what else has happened.
  return pending.length > 0 || blind ? 'pending' : 'reached';
}
