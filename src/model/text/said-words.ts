import type { Said } from '../said.ts';
import { shownName } from './shown.ts';

/** Returns `Synced=False (ReconcileError)`, `attachError`, `InvalidSpecError`, `event FailedMount`. */
function saidHead({ from, type, status, reason }: Said): string {
  if (from === 'event') return `event ${shownName(reason || type)}`;
  const value = status === '' ? '' : `=${shownName(status)}`;
  return `${shownName(type)}${value}${reason === '' ? '' : ` (${shownName(reason)})`}`;
}

function shortened(message: string, most: number): string {
  if (message.length <= most) return message;
  return `${message.slice(0, most).replace(/\s+\S*$/u, '')} …`;
}

/** The start of a difference between two values: unified (k8s.io/apimachinery pkg/util/diff, v0.36), or of Go's types. */
const difference = /\s+(?:@@ -\d|[&*]?\w*\.[A-Z]\w*\{|A: \S)/u;

/** Cuts off the difference that Kubernetes appends to an error about fields that cannot change. */
export function withoutDifference(message: string): string {
  const [head = ''] = message.split(difference);
  return head;
}

export const saidWords = { head: saidHead, shortened };
