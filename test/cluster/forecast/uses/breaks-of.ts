/** Breaks that `plan delete` forecasts. */
import { expect } from 'vitest';
import { planOf } from '../ends.ts';

interface Named {
  readonly kind: string;
  readonly name: string;
}

interface Break {
  readonly object: Named;
  readonly user: Named;
  readonly when: string;
  readonly because: string;
  readonly certainty: string;
}

/** Expects that every user can be read. */
export async function breaksOf(
  kubeconfig: string,
  target: string,
  namespace = 'default',
): Promise<readonly Break[]> {
  const { breaks = [], warnings } = await planOf<{
    readonly breaks?: readonly Break[];
    readonly warnings: readonly string[];
  }>(kubeconfig, ['delete', target, '-n', namespace]);
  expect(warnings.filter(each => each.includes('may use'))).toEqual([]);
  return breaks;
}

/** `atOnce: Service web: it has no endpoints` */
export function breakLine({ user, when, because }: Break): string {
  return `${when}: ${user.kind} ${user.name}: ${because}`;
}
