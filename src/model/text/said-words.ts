/** What an object says, as words of a sentence. */
import type { Said } from '../exchange/said.ts';
import { shownName } from './shown.ts';

/** `Synced=False (ReconcileError)`, `attachError`, `InvalidSpecError`, `event FailedMount` */
export function saidHead({ from, type, status, reason }: Said): string {
  if (from === 'event') return `event ${shownName(reason || type)}`;
  const value = status === '' ? '' : `=${shownName(status)}`;
  return `${shownName(type)}${value}${reason === '' ? '' : ` (${shownName(reason)})`}`;
}

/** At most so many characters, cut between words. */
export function shortened(message: string, most: number): string {
  if (message.length <= most) return message;
  return `${message.slice(0, most).replace(/\s+\S*$/u, '')} …`;
}
