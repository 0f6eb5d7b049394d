import { counted, enumerated, shownName } from '../../../model/index.ts';

export function contextTitle(context: string): string {
  return `Context ${shownName(context)}`;
}

/** `why`: sanitised. */
export function failedSentence(why: string): string {
  return `It could not be read: ${why}`;
}

export function contextsSentence(all: number, failed: readonly string[]): string {
  const asked = counted(all, 'context');
  if (failed.length === 0) return `${asked} asked, and all of them answered.`;
  return `${asked} asked. ${enumerated(failed.map(shownName))} could not be read.`;
}
