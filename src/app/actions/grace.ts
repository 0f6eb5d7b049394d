/** Grace period of pods chosen with `g` and `f`, like `--grace-period` and `--force` of kubectl. */
import type { KubeObject } from '../../model/index.ts';
import { type Span, timeText } from '../../text/index.ts';
import type { GraceChoice } from '../state/action-dialog.ts';

/** In seconds. Without force kubectl makes 1 of 0, so that a kubelet confirms the pod's end (delete.go, v1.36). */
const PERIODS = [undefined, 1, 30, 60] as const;

export const graceKeys: Readonly<Record<string, string>> = { g: 'grace', f: 'force' };

/** Returns undefined without a pod: other objects have no grace period. */
export function graceOf(
  targets: readonly KubeObject[],
  seconds: number | undefined,
): GraceChoice | undefined {
  return targets.some(({ type }) => type.kind === 'Pod' && type.group === '') ? { seconds } : undefined;
}

export function nextGrace(seconds: number | undefined, how: string): number | undefined {
  if (how === 'force') return seconds === 0 ? undefined : 0;
  const at = PERIODS.findIndex(each => each === seconds);
  return PERIODS[(at + 1) % PERIODS.length];
}

export function graceWords({ seconds }: GraceChoice): Span {
  if (seconds === undefined) return { text: 'Grace period of each pod as it is (g, f).', style: 'muted' };
  if (seconds > 0)
    return { text: `Grace period of the pods: ${timeText.duration(seconds * 1000)} (g, f).`, style: 'info' };
  return {
    text: 'By force, without a grace period: a pod is removed at once, and may still run on its node (f).',
    style: 'warning',
  };
}
