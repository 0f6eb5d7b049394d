import { describe, expect, test } from 'vitest';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { now, viewOf } from '../fixtures.ts';

const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
const tolerating = (seconds?: number): string =>
  `tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute${seconds === undefined ? '' : `, tolerationSeconds: ${seconds}`}}]`;

function cluster(pods: string, taint: string): ReturnType<typeof viewOf> {
  return viewOf(`
- {kind: Node, name: node-1, spec: {taints: [${taint}]}, status: {conditions: [{type: Ready, status: "Unknown"}]}}
- {kind: Node, name: node-2, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Namespace, name: shop, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
${pods}`);
}

function pod(name: string, node: string, more: string): string {
  return `- {kind: Pod, name: ${name}, spec: {nodeName: ${node}, terminationGracePeriodSeconds: 30, containers: [{name: main}], ${more}}, status: {phase: Running}}\n`;
}

const unreachable = (seconds: number): string =>
  `{key: node.kubernetes.io/unreachable, effect: NoExecute, timeAdded: "${ago(seconds)}"}`;

/** `name @seconds` of every DELETE of the taint eviction controller. */
function evictions(plan: Forecast): string[] {
  return plan
    .steps()
    .filter(({ actor, verb }) => actor === 'taint-eviction-controller' && verb === 'delete')
    .map(({ object, at }) => `${object.name} @${(at - now) / 1000}`);
}

describe('if nobody acts', () => {
  test('pods leave a node that has been unreachable for two minutes when their time is over', () => {
    const pods =
      pod('usual', 'node-1', tolerating(300)) +
      pod('patient', 'node-1', tolerating(3600)) +
      pod('daemon', 'node-1', tolerating()) +
      pod('elsewhere', 'node-2', tolerating(300));
    const plan = forecast(cluster(pods, unreachable(120)), { verb: 'none' }, { now });
    expect(evictions(plan)).toEqual(['usual @180', 'patient @3480']);
    expect(plan.terminating.map(({ object }) => object.name)).toEqual(['patient', 'usual']);
    expect(plan.outcome).toBe('Stuck');
    expect(warningWords.all(plan).join('\n')).toContain('node-1');
  });

  test('nothing is told of taints that evict nobody', () => {
    const pods = pod('daemon', 'node-1', tolerating());
    const plan = forecast(cluster(pods, unreachable(120)), { verb: 'none' }, { now });
    expect(plan.outcome).toBe('NoChange');
    expect(plan.steps()).toEqual([]);
    expect(warningWords.all(plan)).toEqual([]);
  });
});

describe('a deletion beside evictions', () => {
  test('does not take the blame for them', () => {
    const view = cluster(
      pod('usual', 'node-1', tolerating(300)) + pod('other', 'node-2', ''),
      unreachable(120),
    );
    const [target] = [...view.graph.nodes()].flatMap(({ object }) =>
      object?.name === 'other' ? [object] : [],
    );
    if (target === undefined) throw new Error('no pod');
    const plan = forecast(view, { verb: 'delete', cascade: 'background', targets: [target] }, { now });
    expect(plan.outcome).toBe('Completes');
    expect(plan.terminating.map(({ object, anyway }) => [object.name, anyway])).toEqual([['usual', true]]);
  });
});

describe('a controller manager that starts', () => {
  test('counts from its start', () => {
    const view = cluster(pod('usual', 'node-1', tolerating(300)), unreachable(120));
    expect(evictions(forecast(view, { verb: 'restart' }, { now })).map(each => each.split('.')[0])).toEqual([
      'usual @300',
    ]);
  });
});
