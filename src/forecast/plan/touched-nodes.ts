/** The nodes that an action takes away or taints: what runs on them is what the plan of such an action is about. */

import { nodeFacts } from '../../model/facts/object-facts.ts';
import type { KubeObject } from '../../model/object.ts';
import type { LoggedRequest } from '../../simulation/api/types.ts';
import type { Run } from '../run.ts';
import type { Ends } from './outcome.ts';

export interface TouchedNode {
  readonly before: KubeObject;
  /** Undefined where it is gone at the end. */
  readonly after: KubeObject | undefined;
  /** It stays, with a taint that it didn't have. */
  readonly tainted: boolean;
  /** When that happens, in virtual milliseconds since the epoch. */
  readonly at: number;
}

/** Nodes that are gone at the end or have a taint that they lacked, in the order of their names. */
export function touchedNodes(ends: Ends, { log }: Run): TouchedNode[] {
  const found: TouchedNode[] = [];
  for (const { before, after } of ends.values()) {
    if (before === undefined || before.type.group !== '' || before.type.kind !== 'Node') continue;
    const tainted = after !== undefined;
    const request = log.find(each => isTheOne(each, before, tainted));
    if (request !== undefined) found.push({ before, after, tainted, at: request.at });
  }
  return found.sort((a, b) => (a.before.name < b.before.name ? -1 : 1));
}

function isTheOne({ before, after }: LoggedRequest, { uid }: KubeObject, tainted: boolean): boolean {
  if (before?.uid !== uid) return false;
  return tainted ? after !== undefined && gainsTaint(before, after) : after === undefined;
}

function gainsTaint(before: KubeObject, after: KubeObject): boolean {
  const had = nodeFacts(before)?.taints ?? [];
  const has = nodeFacts(after)?.taints ?? [];
  return has.some(({ key, effect }) => !had.some(each => each.key === key && each.effect === effect));
}
