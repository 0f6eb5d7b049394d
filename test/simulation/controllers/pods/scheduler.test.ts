import { describe, expect, it } from 'vitest';
import type { Taint, Toleration } from '../../../../src/model/facts/facts.ts';
import { podFacts } from '../../../../src/model/object.ts';
import { named, nodeOf, runningPod, world } from '../world.ts';

const dedicated: Taint = { key: 'example.com/dedicated', value: 'db', effect: 'NoSchedule' };
const tolerating: Toleration = {
  key: dedicated.key,
  operator: 'Equal',
  value: 'db',
  effect: '',
  tolerationSeconds: undefined,
};

function boundTo(taints: readonly Taint[], tolerations: readonly Toleration[], ready = true): string {
  const pod = runningPod('a', undefined, {}, { phase: 'Pending', nodeName: '', tolerations });
  const made = world([nodeOf('node-1', ready, taints), nodeOf('node-2', ready, taints), pod], () => []);
  made.start('replay');
  made.run();
  return podFacts(named(made, 'Pod', 'a'))?.nodeName ?? '';
}

describe('the scheduler', () => {
  it('binds a pod to a tainted node where the pod tolerates that', () => {
    expect(boundTo([dedicated], [])).toBe('');
    expect(boundTo([dedicated], [tolerating])).toMatch(/^node-/u);
    expect(boundTo([dedicated, { ...dedicated, key: 'example.com/other' }], [tolerating])).toBe('');
    expect(boundTo([{ ...dedicated, effect: 'PreferNoSchedule' }], [])).toMatch(/^node-/u);
  });

  it('binds none to a node that is not ready, but for pods that tolerate everything', () => {
    expect(boundTo([], [tolerating], false)).toBe('');
    const everything = { ...tolerating, key: '', operator: 'Exists', value: '' };
    expect(boundTo([], [everything], false)).toMatch(/^node-/u);
  });
});
