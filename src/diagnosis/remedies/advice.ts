/** What has to be done elsewhere, or by a person: it stands among the remedies and cannot be applied. */
import type { Risk } from '../../forecast/action.ts';
import type { Advice } from '../engine/finding.ts';

/** `title` is the whole of it: `bring drain-operator back: it finishes, and everything follows`. */
export function advice(id: string, title: string, risk: Risk): Advice {
  return { id, title, risk, effect: '', requests: [], kubectl: [] };
}
