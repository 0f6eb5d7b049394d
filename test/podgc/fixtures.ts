/** Pods and nodes as PodGC's tests speak of them. */
import type { Condition, NodeFacts, PodFacts, Taint } from '../../src/model/facts/facts.ts';
import type { KubeObject } from '../../src/model/object.ts';
import { type ObjectOptions, object, types } from '../graph/fixtures.ts';

export function pod(
  name: string,
  facts: Partial<PodFacts> = {},
  changes: Partial<ObjectOptions> = {},
): KubeObject {
  return object({
    uid: `uid-${name}`,
    name,
    namespace: 'default',
    type: types.pod,
    generation: 1,
    ...changes,
    facts: {
      kind: 'Pod',
      phase: '',
      reason: '',
      nodeName: '',
      terminationGracePeriodSeconds: 30,
      containers: 1,
      readyContainers: 0,
      restarts: 0,
      containerReason: '',
      claims: [],
      ephemeralVolumes: [],
      nodeSelector: [],
      hasEmptyDir: false,
      schedulingGroup: '',
      tolerations: [],
      managerFlags: [],
      conditions: [],
      ...facts,
    },
  });
}

export function condition(type: string, status: string, changes: Partial<Condition> = {}): Condition {
  return { type, status, reason: '', message: '', since: undefined, ...changes };
}

export function node(name: string, ready: boolean | undefined, taints: readonly Taint[] = []): KubeObject {
  const facts: NodeFacts = {
    kind: 'Node',
    unschedulable: false,
    taints,
    conditions: ready === undefined ? [] : [condition('Ready', ready ? 'True' : 'False')],
  };
  return object({ uid: `uid-${name}`, name, type: types.node, facts });
}
