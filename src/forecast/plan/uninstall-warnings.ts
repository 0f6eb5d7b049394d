/** Warns of assumptions in a forecast of `helm uninstall`, and of what may go wrong. */
import type { DeleteAction } from '../action.ts';
import type { TerminatingObject, Warning } from './forecast-result.ts';

export function uninstallWarnings(
  { uninstall }: DeleteAction,
  terminating: readonly TerminatingObject[],
): Warning[] {
  if (uninstall === undefined) return [];
  const { hooks, unseen, unmarked } = uninstall;
  const held = new Set(terminating.map(({ object }) => object.uid));
  const waiting = hooks.filter(({ replaces }) => replaces !== undefined && held.has(replaces.uid));
  return [
    ...waiting.map(({ object, event }) => ({ code: 'hookHeld' as const, object, event })),
    ...(hooks.length === 0
      ? []
      : [{ code: 'hooksNotSimulated' as const, hooks: hooks.map(({ object }) => object) }]),
    ...(unseen.length === 0 ? [] : [{ code: 'unseenManifest' as const, objects: unseen }]),
    ...(unmarked.length === 0 ? [] : [{ code: 'unmarkedObjects' as const, objects: unmarked }]),
  ];
}
