/** A node as PodGC's rules see it, and since when: what decides about every pod that is bound to it. */

import { isNodeReady, type KubeObject, nodeFacts } from '../../model/object.ts';
import { hasOutOfServiceTaint } from '../passes/passes.ts';
import type { Interval } from './cycle-times.ts';

export type NodeCondition =
  /** Its kubelet reports, so it has the last word on its pods. */
  | 'Ready'
  | 'NotReady'
  /** Not ready and tainted out of service. */
  | 'OutOfService'
  /** Tainted out of service, and ready all the same. */
  | 'TaintedButReady'
  /** There is no such Node object. */
  | 'Missing';

export interface NodeRecord {
  readonly name: string;
  /** Undefined where it is missing. */
  readonly node: KubeObject | undefined;
  readonly state: NodeCondition;
  /** When this state began, as far as anybody can tell. */
  readonly since: Interval;
  /** Whether its beginning was watched. */
  readonly seen: boolean;
}

export function nodeCondition(node: KubeObject): NodeCondition {
  const ready = isNodeReady(node);
  if (hasOutOfServiceTaint(node)) return ready ? 'TaintedButReady' : 'OutOfService';
  return ready ? 'Ready' : 'NotReady';
}

/** When the state that a node is found in began at the earliest, by what the node says of itself. */
export function beganAtEarliest(node: KubeObject): number {
  const ready = nodeFacts(node)?.conditions.find(({ type }) => type === 'Ready');
  return ready?.since ?? node.creationTimestamp;
}
