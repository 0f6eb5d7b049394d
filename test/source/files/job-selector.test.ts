import { expect, test } from 'vitest';
import type { WorkloadFacts } from '../../../src/model/facts/facts.ts';
import type { Uid } from '../../../src/model/object.ts';
import { readText } from './reading.ts';

const job = (spec: string): string => `
apiVersion: batch/v1
kind: Job
metadata: {name: import, namespace: shop, uid: u-1}
spec: ${spec}
`;

async function factsOf(text: string): Promise<WorkloadFacts> {
  const { view } = await readText(text);
  const facts = view.graph.get('u-1' as Uid)?.object?.facts;
  if (facts?.kind !== 'Workload') throw new Error('no Job');
  return facts;
}

test('a Job without a selector gets the one that the API server gives it', async () => {
  const facts = await factsOf(job('{template: {metadata: {labels: {app: import, job-name: mine}}}}'));
  expect(facts.selector).toEqual({
    matchLabels: ['batch.kubernetes.io/controller-uid', 'u-1'],
    matchExpressions: [],
  });
  expect(facts.templateLabels.join(' ')).toBe(
    'job-name mine batch.kubernetes.io/job-name import controller-uid u-1 batch.kubernetes.io/controller-uid u-1 app import',
  );
});

test('a selector that is there stays, and none is made up for a Job that wants to set it by hand', async () => {
  const own = await factsOf(job('{selector: {matchLabels: {app: x}}}'));
  expect(own.selector).toEqual({ matchLabels: ['app', 'x'], matchExpressions: [] });
  expect((await factsOf(job('{manualSelector: true}'))).selector).toBeUndefined();
});
