/** The order in which remedies are offered. Apart, because it is needed before forecasts are made and after. */
import type { Risk } from '../../forecast/action.ts';

const risks: readonly Risk[] = ['safe', 'caution', 'dangerous'];

/** Safest first, otherwise in the order they come in. */
export function bySafety<R extends { readonly risk: Risk }>(remedies: readonly R[]): R[] {
  return remedies.toSorted(compareRisk);
}

/** Negative where the first is safer. */
export function compareRisk(a: { readonly risk: Risk }, b: { readonly risk: Risk }): number {
  return risks.indexOf(a.risk) - risks.indexOf(b.risk);
}
