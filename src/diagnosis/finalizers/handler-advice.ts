/** What to do about the controller that should remove a finalizer: advice, since nobody can do it from here. */
import type { KubeObject } from '../../model/object.ts';
import type { Advice, OfferedRemedy } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { findingTitle } from '../engine/words.ts';
import { advice } from '../remedies/advice.ts';
import { removeFinalizer } from '../remedies/finalizers.ts';
import { type Handler } from './handler.ts';

export function handlerAdvice({ presence, name, workloads, entry, finalizer }: Handler): Advice {
  const [workload] = workloads;
  const who = workload === undefined ? name : findingTitle(workload);
  switch (presence) {
    case 'absent':
      return advice(
        'bring-back-controller',
        `bring ${name} back: it finishes, and everything follows`,
        'safe',
      );
    case 'unhealthy':
      return advice(
        'restore-controller',
        workload === undefined
          ? `see that ${name} runs: it finishes, and everything follows`
          : `get ${who} ready again: it finishes, and everything follows`,
        'safe',
      );
    case 'present':
    case 'unknown':
      return workload === undefined && entry === undefined
        ? advice(
            'find-controller',
            `find out what handles ${finalizer}, with permission to list what cannot be seen here: it removes it by itself`,
            'safe',
          )
        : advice(
            'see-controller',
            `see in the log of ${who} what it waits for: it removes ${finalizer} by itself`,
            'safe',
          );
  }
}

/** Removing the finalizer by hand, with what that costs. `undefined` where the object doesn't carry it in its metadata. */
export function removal(
  tracked: TrackedView,
  object: KubeObject,
  { finalizer, entry }: Handler,
): OfferedRemedy[] {
  if (!object.finalizers.includes(finalizer)) return [];
  const cost = entry?.cost ?? 'what it protects is left behind';
  return [
    removeFinalizer(tracked, object, finalizer, {
      risk: 'dangerous',
      title: `remove ${finalizer} from ${object.name}: ${cost}`,
    }),
  ];
}
