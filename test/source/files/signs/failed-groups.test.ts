import { expect, test } from 'vitest';
import { readText } from '../reading.ts';

const terminating = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, uid: ns, deletionTimestamp: "2026-11-21T08:00:00Z"}
spec: {finalizers: [kubernetes]}
status:
  phase: Terminating
  conditions:
  - {type: NamespaceDeletionDiscoveryFailure, status: "True", reason: DiscoveryFailed, message: "Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale\\u001b[1m GroupVersion discovery: metrics.k8s.io/v1beta1"}
`;

const apiService = (name: string, status: string): string => `
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.${name}}
spec: {group: ${name}, version: v1beta1, service: {namespace: kube-system, name: metrics}}
status: {conditions: [{type: Available, status: "${status}", reason: ServiceNotFound, message: service is not present}]}
`;

async function failed(text: string): Promise<string[]> {
  const { view } = await readText(text);
  return view.failedGroups.map(({ resource, reason }) => `${resource}: ${reason}`);
}

test('an API that a namespace is reported to wait for fails, in words without control characters', async () => {
  expect(await failed(terminating)).toEqual([
    'metrics.k8s.io/v1beta1: stale GroupVersion discovery: metrics.k8s.io/v1beta1',
  ]);
});

test('an APIService in the files says more than a namespace: that it fails, and that it answers again', async () => {
  expect(await failed(terminating + apiService('metrics.k8s.io', 'False'))).toEqual([
    'metrics.k8s.io/v1beta1: service is not present',
  ]);
  expect(await failed(terminating + apiService('metrics.k8s.io', 'True'))).toEqual([]);
});

test('a namespace that lives waits for nothing', async () => {
  expect(await failed(terminating.replace(/, deletionTimestamp: "[^"]*"/u, ''))).toEqual([]);
});
