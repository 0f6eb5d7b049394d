import { expect, test } from 'vitest';
import type { Uid } from '../../../src/model/object.ts';
import { statementJson } from '../../../src/model/said-from-json.ts';
import { readText } from './reading.ts';

const event = (name: string, uid: string, message: string): string => `
---
apiVersion: v1
kind: Event
metadata: {name: ${name}, namespace: shop}
involvedObject: {kind: Pod, name: web, namespace: shop, uid: ${uid}}
type: Warning
reason: FailedKillPod
message: ${message}
count: 2
lastTimestamp: "2026-11-21T11:00:00Z"
`;

test('files tell what events in them say about an object, and nothing of others', async () => {
  const pod = `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop, uid: u-1}
`;
  const { source } = await readText(
    pod + event('a', 'u-1', 'no answer') + event('b', 'u-1', 'no answer') + event('c', 'u-2', 'other'),
  );
  expect(await source.events?.({ namespace: 'shop', uid: 'u-1' as Uid })).toMatchObject([
    { reason: 'FailedKillPod', message: 'no answer', count: 4 },
  ]);
});

test('what is being deleted keeps its status in mind, whatever its kind', async () => {
  const gear = (deleted: string): string => `
apiVersion: example.org/v1
kind: Gear
metadata:
  ${deleted}
  name: g
  uid: u-3
status:
  conditions:
  - message: no power
    reason: Off
    status: "False"
    type: Ready
`;
  const contentOf = ({ source, view }: Awaited<ReturnType<typeof readText>>) =>
    source.content?.(view.graph.get('u-3' as Uid)!.object!);
  const content = contentOf(await readText(gear('deletionTimestamp: "2026-11-21T11:00:00Z"')));
  expect(statementJson.in(content!.json)).toMatchObject([
    { type: 'Ready', status: 'False', message: 'no power' },
  ]);
  expect(contentOf(await readText(gear('generation: 1')))).toBeUndefined();
});
