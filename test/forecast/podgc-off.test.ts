import { expect, test } from 'vitest';
import { viewOf } from '../cli/documents/cluster.ts';
import { nodes, plan, titles } from './fixtures.ts';

const manager = (controllers: string): string => `
- {kind: Pod, name: kube-controller-manager-cp, namespace: kube-system, spec: {nodeName: node-1, containers: [{name: manager, command: [kube-controller-manager, "--controllers=${controllers}"]}]}, status: {phase: Running}}`;
const never = `
- {kind: Pod, name: never, deletionTimestamp: "2026-11-21T12:00:30Z", deletionGracePeriodSeconds: 30, spec: {containers: [{name: app}]}, status: {phase: Pending}}`;

test.each([
  ['*', ['Pod never']],
  ['*,-podgc', []],
])('what PodGC deletes goes with --controllers=%s: %j', (controllers, gone) => {
  expect(titles(plan(viewOf(nodes + manager(controllers) + never), 'none').deleted)).toEqual(gone);
});
