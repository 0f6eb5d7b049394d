/** What an object's status says, from wherever that is cheapest: what is known of it, what a file holds, or one GET. */
import type { Said } from '../model/exchange/said.ts';
import { record } from '../model/json/json.ts';
import { saidBy, saidIn } from '../model/json/said-from-json.ts';
import type { KubeObject } from '../model/object.ts';
import type { JsonObject, Source } from './source.ts';

/** Nothing of another object that took its name. `read` gets the whole object; rejects as that does. */
export async function saidOf(
  source: Pick<Source, 'said'>,
  { facts, uid }: KubeObject,
  read: () => Promise<JsonObject | undefined>,
): Promise<readonly Said[]> {
  if (facts !== undefined && 'conditions' in facts) return saidBy(facts.conditions);
  if (source.said !== undefined) return source.said(uid);
  const json = await read();
  return json !== undefined && record(json['metadata'])['uid'] === uid ? saidIn(json) : [];
}
