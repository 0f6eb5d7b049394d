/**
 * The last thing that happens to a line before it is printed: whatever a name or a message in it could do to a
 * terminal is shown, not done. Each character by itself, so that the words around stay; names that have to be told
 * apart, and messages that have to be read, were made ready where they were put in (`model/text/shown.ts`).
 */
import { showHidden } from '../../model/text/shown.ts';

export function sanitise(text: string): string {
  return showHidden(text);
}
