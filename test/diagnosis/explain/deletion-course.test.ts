import { expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { explain } from '../../../src/diagnosis/explain/explanation.ts';
import type { Uid } from '../../../src/model/object.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';

const at = (time: string): string => `deletionTimestamp: "2026-11-21T11:${time}:00Z"`;
const held = 'finalizers: [example.com/hold]';
const foreground = 'finalizers: [foregroundDeletion]';

/** By what the object with this uid is being deleted. */
function courseOf(yaml: string, uid = 'it'): readonly string[] {
  const view = viewOf(yaml);
  const node = view.graph.get(uid as Uid);
  if (node === undefined) throw new Error(`no ${uid}`);
  return explain(diagnoseCluster(view, now), node).course;
}

const secret = (more: string): string => `
- {kind: Secret, name: it, uid: it, ${held}, ${more}}`;
const owned = 'owners: [v1 ConfigMap web web +b]';
const config = (more: string): string => `
- {kind: ConfigMap, name: web, uid: web, ${more}}`;

test.each([
  [
    'its owner, in the foreground',
    `${config(`${foreground}, ${at('40')}`)}${secret(`${owned}, ${at('41')}`)}`,
    /^Its owner ConfigMap web is being deleted in the foreground/u,
  ],
  [
    'its owner, which is gone',
    secret(`${owned}, ${at('41')}`),
    /^Its owner ConfigMap web is gone: the garbage collector/u,
  ],
  [
    'its namespace',
    `
- {kind: Namespace, name: shop, namespace: "", ${at('40')}}${secret(at('40'))}`,
    /^Namespace shop is being deleted, and with it everything/u,
  ],
  [
    'its time to live',
    `
- {kind: Job, name: it, uid: it, ${foreground}, ${at('41')}, spec: {ttlSecondsAfterFinished: 60}, status: {conditions: [{type: Complete, status: "True", lastTransitionTime: "2026-11-21T11:30:00Z"}]}}`,
    /^Its ttlSecondsAfterFinished of 60 was over at 2026-11-21T11:31:00Z/u,
  ],
])('names %s', (_, yaml, expected) => {
  expect(courseOf(yaml)).toEqual([expect.stringMatching(expected)]);
});

test.each([
  ['its owner is there', `${config('')}${secret(`${owned}, ${at('41')}`)}`],
  [
    'its owner was deleted later',
    `${config(`${foreground}, ${at('45')}`)}${secret(`${owned}, ${at('41')}`)}`,
  ],
  [
    'another owner keeps it',
    `${config('')}${secret(`owners: [v1 ConfigMap web web, v1 ConfigMap gone gone], ${at('41')}`)}`,
  ],
  [
    'one of its owners that are gone was recreated',
    `${config('').replace('uid: web', 'uid: new')}${secret(`owners: [v1 ConfigMap web web, v1 ConfigMap gone gone], ${at('41')}`)}`,
  ],
  [
    'its namespace was deleted later',
    `
- {kind: Namespace, name: shop, namespace: "", ${at('45')}}${secret(at('40'))}`,
  ],
  ['it is not being deleted', `${config(foreground)}${secret(owned)}`],
  ['nothing owns it', secret(at('41'))],
])('says nothing if %s', (_, yaml) => {
  expect(courseOf(yaml)).toEqual([]);
});
