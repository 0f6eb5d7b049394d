import type { Said } from '../said.ts';
import { shownName } from './shown.ts';

/** Returns `Synced=False (ReconcileError)`, `attachError`, `InvalidSpecError`, `event FailedMount`. */
export function saidHead({ from, type, status, reason }: Said): string {
  if (from === 'event') return `event ${shownName(reason || type)}`;
  const value = status === '' ? '' : `=${shownName(status)}`;
  return `${shownName(type)}${value}${reason === '' ? '' : ` (${shownName(reason)})`}`;
}

export function shortened(message: string, most: number): string {
  if (message.length <= most) return message;
  return `${message.slice(0, most).replace(/\s+\S*$/u, '')} …`;
}
