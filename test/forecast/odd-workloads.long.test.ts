/**
 * Workloads that no API server would store, and others that few people would write: a forecast of them comes to an
 * end, and says of which workload the controllers don't.
 */
import { describe, expect, it } from 'vitest';
import { Forecaster } from '../../src/forecast/compose/forecaster.ts';
import { Random } from '../../src/simulation/runtime/random.ts';
import { warningWords } from '../../src/text/plan/warning-words.ts';
import { NOW } from '../simulation/fixtures.ts';
import { nodes, planDelete, viewOf } from './fixtures.ts';
import { oddWorkloads } from './odd-workloads.ts';
import { viewOf as randomView } from './random-world.ts';

const WORLDS = Number(process.env['ODD_WORKLOADS'] ?? 300);

const setOf = (matching: boolean): string => `
${nodes}
- {kind: ReplicaSet, name: web, generation: 1, spec: {replicas: 2, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: ${matching ? 'web' : 'other'}}}}}}
- {kind: Pod, name: web-1, labels: {app: web}, owners: [apps/v1 ReplicaSet web web +c], spec: {nodeName: node-1}, status: {phase: Running}}
- {kind: Pod, name: web-2, labels: {app: web}, owners: [apps/v1 ReplicaSet web web +c], spec: {nodeName: node-1}, status: {phase: Running}}
`;

const never = 'The forecast never came to rest: something is created and deleted again and again.';

describe('a ReplicaSet whose selector does not match its template', () => {
  it('is said to create pods without end, once the forecast makes it create one', () => {
    const forecast = planDelete(viewOf(setOf(false)), 'web-1');
    expect(forecast.flapping).toMatchObject([{ object: { kind: 'ReplicaSet', name: 'web' }, kind: 'Pod' }]);
    expect(warningWords.all(forecast).filter(each => each.includes('without end'))).toHaveLength(1);
    expect(warningWords.all(forecast)).not.toContain(never);
    expect(forecast.recreated.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(5);
  });

  it('is told from one that matches', () => {
    const forecast = planDelete(viewOf(setOf(true)), 'web-1');
    expect(forecast.flapping).toEqual([]);
    expect(forecast.recreated).toMatchObject([{ by: { name: 'web' }, kind: 'Pod', count: 1 }]);
  });
});

describe('a Deployment whose selector does not match its template', () => {
  const brief = `
${nodes}
- {kind: Deployment, name: web, generation: 1, spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: other}}}}}
- {kind: ReplicaSet, name: web-h, generation: 1, labels: {app: other, pod-template-hash: h}, owners: [apps/v1 Deployment web web +c +b], spec: {replicas: 1, selector: {matchLabels: {app: other}}, template: {metadata: {labels: {app: other}}}}}
`;

  it('gets no other ReplicaSet in place of one that is deleted: the API server refuses it', () => {
    const matching = planDelete(viewOf(brief.replaceAll('other', 'web')), 'web-h');
    expect(matching.recreated).toMatchObject([
      { kind: 'ReplicaSet', count: 1 },
      { kind: 'Pod', count: 1 },
    ]);
    const forecast = planDelete(viewOf(brief), 'web-h');
    expect(forecast.flapping).toEqual([]);
    expect(forecast.deleted).toMatchObject([{ object: { name: 'web-h' } }]);
    expect(forecast.recreated).toEqual([]);
  });
});

it(`of ${WORLDS} random odd worlds every forecast comes to rest or names who never does`, () => {
  let flapping = 0;
  for (let seed = 1; seed <= WORLDS; seed++) {
    const random = new Random(seed);
    const objects = oddWorkloads(random);
    const forecaster = Forecaster.create(randomView(objects), { now: NOW, mostOrders: 2 });
    const namespaced = objects.filter(each => each.namespace !== '');
    const target = namespaced[random.below(namespaced.length)];
    if (target === undefined) continue;
    for (const told of [
      forecaster.forecast({ verb: 'none' }),
      forecaster.forecast({ verb: 'restart' }),
      forecaster.forecast({ verb: 'delete', cascade: 'background', targets: [target] }),
      forecaster.forecast({ verb: 'delete', cascade: 'orphan', targets: [target] }),
    ]) {
      expect(warningWords.all(told), `seed ${seed}, ${told.action.verb}`).not.toContain(never);
      const created = told.recreated.reduce((sum, { count }) => sum + count, 0);
      expect(created, `seed ${seed}, ${told.action.verb}`).toBeLessThan(60);
      flapping += told.flapping.length;
    }
  }
  // Or nothing odd was among them.
  expect(flapping).toBeGreaterThan(0);
});
