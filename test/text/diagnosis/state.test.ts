import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Certainty, Verdict } from '../../../src/collector/verdict.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { objectStateText, stateWords } from '../../../src/text/diagnosis/state.ts';
import { Glyphs } from '../../../src/text/terminal/glyphs.ts';
import { widgets } from '../../kube/follow.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

function state(yaml: string, verdict: Verdict = 'None', certainty: Certainty = 'exact'): string {
  const json = parse(yaml) as JsonRecord & { kind: string };
  const type = json.kind === 'Widget' ? widgets : builtInTypes.find(each => each.kind === json.kind);
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

describe('custom resources', () => {
  const custom = (status: string, generation = 2): string =>
    state(`{kind: Widget, metadata: {generation: ${generation}}, status: ${status}}`);
  const ready = (status: string, reason = '') => `{type: Ready, status: "${status}", reason: "${reason}"}`;

  test.each([
    [`{conditions: [${ready('True', 'Ok')}]}`, 'Ready'],
    [`{conditions: [${ready('False', 'NoDisk')}], phase: Provisioning}`, 'not Ready: NoDisk'],
    [`{conditions: [${ready('False')}], phase: Provisioning}`, 'not Ready: Provisioning'],
    [`{conditions: [${ready('Unknown', 'Running')}]}`, 'Ready unknown: Running'],
    [
      `{conditions: [{type: Stalled, status: "True", reason: BadUrl}, ${ready('False', 'x')}]}`,
      'Stalled: BadUrl',
    ],
    [`{conditions: [${ready('Unknown')}, {type: Reconciling, status: "True"}]}`, 'Reconciling'],
    ['{conditions: [{type: Synced, status: "False", reason: Denied}]}', 'not Synced: Denied'],
    ['{conditions: [{type: Degraded, status: "True", reason: Down}]}', 'Degraded: Down'],
    ['{conditions: [{type: Degraded, status: "False"}, {type: Available, status: "True"}]}', 'Available'],
    ['{conditions: [{type: Paused, status: "False"}]}', ''],
    ['{phase: Running}', 'Running'],
    ['{state: pending}', 'pending'],
    ['{}', ''],
    ['{conditions: 7, phase: [x], observedGeneration: many}', ''],
  ])('%s is %j', (status, text) => {
    expect(custom(status)).toBe(text);
  });

  test('a status of another generation says nothing about this one', () => {
    const settled = `{observedGeneration: 2, conditions: [${ready('True')}]}`;
    expect(custom(settled, 2)).toBe('Ready');
    expect(custom(settled, 3)).toBe('generation 3 not observed yet');
    expect(custom('{conditions: [{type: Ready, status: "True", observedGeneration: 1}]}', 2)).toBe(
      'generation 2 not observed yet',
    );
  });

  test('a reason can neither write to the terminal nor show a credential', () => {
    expect(custom(`{conditions: [${ready('False', 'a\\u001b[31mb')}]}`)).toBe('not Ready: ab');
    expect(custom(`{conditions: [${ready('False', 'password=hunter2')}]}`)).toBe(
      'not Ready: password=(hidden)',
    );
  });

  test('the collector outranks it', () => {
    const failing = `{kind: Widget, status: {conditions: [${ready('False')}]}}`;
    expect(state(failing, 'DeleteBackground')).toBe('✗ will be collected');
  });
});
