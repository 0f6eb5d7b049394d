/** The two shapes of an answer, in one place. */
import type { KubeObject } from '../model/object.ts';
import type { Reason, Refusal, Status, Success } from './api-types.ts';

const none: readonly string[] = Object.freeze([]);

export function success(object: KubeObject, status: Success['status'] = 200): Success {
  return { ok: true, status, object, removed: false, warnings: none };
}

export function refusal(status: Status, reason: Reason, message: string): Refusal {
  return { ok: false, status, reason, message };
}
