import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Certainty, Verdict } from '../../../src/collector/verdict.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { objectStateText, stateWords } from '../../../src/text/diagnosis/state.ts';
import { Glyphs } from '../../../src/text/terminal/glyphs.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

function state(yaml: string, verdict: Verdict = 'None', certainty: Certainty = 'exact'): string {
  const json = parse(yaml) as JsonRecord & { kind: string };
  const type = builtInTypes.find(each => each.kind === json.kind);
  if (type === undefined) throw new Error(`no type ${json.kind}`);
  const object = objectJson.read(type, { ...json, metadata: { name: 'x', uid: 'u', ...record(json) } });
  if (object === undefined) throw new Error('no object');
  return stateWords.line(objectStateText(object, { verdict, certainty }, now), Glyphs.unicode);
}

function record(json: JsonRecord): object {
  return (json['metadata'] ?? {}) as object;
}

describe('pods', () => {
  test.each([
    ['{phase: Running, containerStatuses: [{ready: true}]}', 'Running'],
    ['{phase: Running, containerStatuses: [{ready: false}]}', 'Running 0/1'],
    [
      '{phase: Running, containerStatuses: [{ready: false, state: {waiting: {reason: CrashLoopBackOff}}}]}',
      'CrashLoopBackOff 0/1',
    ],
    [
      '{phase: Pending, containerStatuses: [{state: {waiting: {reason: ImagePullBackOff}}}]}',
      'ImagePullBackOff',
    ],
    ['{phase: Pending}', 'Pending'],
    ['{phase: Succeeded, containerStatuses: [{state: {terminated: {reason: Completed}}}]}', 'Completed'],
    ['{phase: Failed, reason: Evicted}', 'Evicted'],
  ])('%s is %s', (status, text) => {
    expect(state(`{kind: Pod, spec: {containers: [{name: a}]}, status: ${status}}`)).toBe(text);
  });

  test('a deleting pod is terminating until its grace period is over, and held by finalizers after that', () => {
    const pod = (deletion: string) =>
      `{kind: Pod, metadata: {deletionTimestamp: "${deletion}", deletionGracePeriodSeconds: 30, finalizers: [example.com/drain]}}`;
    expect(state(pod('2026-11-21T12:00:20Z'))).toBe('terminating');
    expect(state(pod('2026-11-21T11:59:00Z'))).toBe('⚠ held: example.com/drain');
  });
});

describe('deletion', () => {
  const deleting = (finalizers: string) =>
    `{kind: StatefulSet, metadata: {deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [${finalizers}]}, spec: {replicas: 3}}`;

  test('tells what it waits for and for how long', () => {
    expect(state(deleting('foregroundDeletion'))).toBe('⚠ foreground, 12m');
    expect(state(deleting('orphan'))).toBe('⚠ orphaning, 12m');
    expect(state(deleting('a/b, c/d'))).toBe('⚠ held: a/b, c/d');
    expect(state(deleting('foregroundDeletion, a/b'))).toBe('⚠ foreground, 12m, held: a/b');
  });

  test('counts a pod from when it was asked for, a grace period before its timestamp', () => {
    const pod =
      '{kind: Pod, metadata: {deletionTimestamp: "2026-11-21T12:00:30Z", deletionGracePeriodSeconds: 60, finalizers: [foregroundDeletion]}}';
    expect(state(pod)).toBe('⚠ foreground, 30s');
  });

  test('a finalizer cannot write to the terminal', () => {
    expect(state(deleting('"a/\\u001b[31mb"'))).toBe('⚠ held: a/%1B[31mb');
  });
});

describe('what the collector is about to do outranks how the object runs', () => {
  const deployment = '{kind: Deployment, spec: {replicas: 3}, status: {readyReplicas: 3}}';
  test.each([
    ['None', '3/3'],
    ['DeleteBackground', '✗ will be collected'],
    ['DeleteOrphan', '✗ will be collected, dependents kept'],
    ['PruneReferences', '⚠ 3/3, has dead owner references'],
    ['NeverCollected', '⚠ never collected'],
    ['RetryForever', '⚠ owner kind not served'],
  ] as const)('%s: %s', (verdict, text) => {
    expect(state(deployment, verdict)).toBe(text);
  });
});

test('what rests on something unseen or unconfirmed says that it is assumed', () => {
  const deployment = '{kind: Deployment, spec: {replicas: 3}, status: {readyReplicas: 3}}';
  expect(state(deployment, 'DeleteBackground', 'assumed')).toBe('✗ will be collected (assumed)');
  expect(state(deployment, 'PruneReferences', 'assumed')).toBe('⚠ 3/3, has dead owner references (assumed)');
  expect(state(deployment, 'None', 'assumed')).toBe('3/3');
  expect(stateWords.line(stateWords.ghost('Absent', 'exact'), Glyphs.unicode)).toBe('✗ gone');
  expect(stateWords.line(stateWords.ghost('Absent', 'assumed'), Glyphs.unicode)).toBe('? gone (assumed)');
  expect(stateWords.line(stateWords.ghost('Solid', 'exact'), Glyphs.unicode)).toBe('? there, not listed yet');
});

test.each([
  ['{kind: Job, spec: {completions: 3}, status: {succeeded: 1, failed: 2}}', '1/3, 2 failed'],
  ['{kind: Job, status: {succeeded: 1, conditions: [{type: Complete, status: "True"}]}}', 'Complete 1/1'],
  ['{kind: CronJob, spec: {suspend: true}}', 'suspended'],
  ['{kind: DaemonSet, status: {desiredNumberScheduled: 3, numberReady: 2}}', '2/3'],
  [
    '{kind: Node, spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: "True"}]}}',
    'Ready,SchedulingDisabled',
  ],
  ['{kind: Node, status: {conditions: [{type: Ready, status: Unknown}]}}', 'NotReady'],
  ['{kind: PersistentVolumeClaim, status: {phase: Bound}}', 'Bound'],
  [
    '{kind: APIService, status: {conditions: [{type: Available, status: "False", reason: MissingEndpoints}]}}',
    'not available: MissingEndpoints',
  ],
  ['{kind: ConfigMap}', ''],
])('%s is %j', (yaml, text) => {
  expect(state(yaml)).toBe(text);
});
