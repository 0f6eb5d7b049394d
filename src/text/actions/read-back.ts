/** What was found of an object after a request without an answer, as a sentence. */
import type { FreshRead } from '../../actions/run/ports.ts';
import { prose, shownName } from '../../model/text/shown.ts';
import { objectTitle } from '../terminal/names.ts';
import { sanitise } from '../terminal/sanitise.ts';

/** Sanitised, with a full stop. */
export function foundSentence({ object, now }: FreshRead): string {
  const name = objectTitle(object);
  switch (now.is) {
    case 'same':
      return `So far it has had no effect: ${name} was read again and is unchanged (resourceVersion ${sanitise(now.resourceVersion)}).`;
    case 'changed':
      return `${name} was read again: it has changed (resourceVersion ${sanitise(now.resourceVersion)}), isn't newly being deleted, and has ${finalizerWords(now.finalizers)}.`;
    case 'deleting':
      return `${name} was read again: it has been deleting since ${sanitise(now.since)}, with ${finalizerWords(now.finalizers)}.`;
    case 'gone':
      return `${name} was looked for again: it is gone.`;
    case 'replaced':
      return `${name} was read again: another object has its name now (uid ${shownName(now.uid)}).`;
    case 'made':
      return `${name} was looked for: it exists (uid ${shownName(now.uid)}).`;
    case 'absent':
      return `So far it has had no effect: ${name} was looked for and doesn't exist.`;
    case 'unread':
      return `${name} cannot be read to see whether it had an effect: ${sanitise(prose(now.because))}`;
  }
}

function finalizerWords(finalizers: readonly string[]): string {
  if (finalizers.length === 0) return 'no finalizers';
  return `${finalizers.length === 1 ? 'the finalizer' : 'the finalizers'} ${finalizers.map(shownName).join(', ')}`;
}
