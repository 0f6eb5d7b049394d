/** What is said of an owner, a node or dependents that no list holds, before and after a look-up has confirmed it. */
import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import { explain } from '../../../src/diagnosis/explain/explanation.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { LookUp, LookUpAnswer } from '../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../src/model/object.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { objectOf } from '../../forecast/fixtures.ts';
import { findingOn, findingsOn, remediesIn } from '../judged.ts';

function live(yaml: string): ClusterView {
  const view = viewOf(yaml);
  view.settings = { ...view.settings, listsMayLag: true };
  return view;
}

/** Answers everything that is open, again and again until nothing is. */
function answerAll(view: ClusterView, answerTo: (lookUp: LookUp) => LookUpAnswer): ClusterView {
  for (let round = 0; round < 3; round += 1) {
    const open = [...view.absences.unconfirmed(), ...diagnoseCluster(view, now).assumptions()];
    view.apply(
      {
        changes: [],
        lookUps: open.map(lookUp => ({ lookUp, answer: answerTo(lookUp) })),
      },
      0,
    );
  }
  return view;
}

const absent = ({ of }: LookUp): LookUpAnswer =>
  of === 'object' ? { state: 'absent' } : { state: 'dependents', uids: [] };
const forbidden = (): LookUpAnswer => ({ state: 'unknown', reason: 'reading it is forbidden' });

function told({ message, certainty, severity, evidence, chain, brief }: Finding): unknown {
  return { message, certainty, severity, evidence, chain, brief };
}

const gone = `
- {kind: Deployment, name: api, finalizers: [foregroundDeletion], deletionTimestamp: '2026-11-21T11:30:00Z', deletionGracePeriodSeconds: 0}
- {kind: ConfigMap, name: settings}
- {kind: ConfigMap, name: shared}
`;

const cases: readonly (readonly [string, string, string])[] = [
  [
    'PendingCollection',
    'token',
    "- {kind: Secret, name: token, owners: [v1 ConfigMap lost], creationTimestamp: '2026-11-21T11:59:30Z'}",
  ],
  ['CollectionOverdue', 'token', '- {kind: Secret, name: token, owners: [v1 ConfigMap lost]}'],
  ['OwnerRecreated', 'token', `${gone}- {kind: Secret, name: token, owners: [v1 ConfigMap settings former]}`],
  [
    'PartlyDangling',
    'token',
    `${gone}- {kind: Secret, name: token, owners: [v1 ConfigMap lost, v1 ConfigMap shared]}`,
  ],
  [
    'AdoptionBlockedByDanglingController',
    'web-0',
    `
- {kind: ReplicaSet, name: web, spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}}
- {kind: Pod, name: web-0, labels: {app: web}, owners: [apps/v1 ReplicaSet lost lost +c], spec: {containers: [{name: a}]}, status: {phase: Running}}`,
  ],
  [
    'StatefulSetSurvivor',
    'web-0',
    '- {kind: Pod, name: web-0, labels: {statefulset.kubernetes.io/pod-name: web-0}, spec: {containers: [{name: a}]}, status: {phase: Running}}',
  ],
  [
    'PodOnMissingNode',
    'web-0',
    '- {kind: Pod, name: web-0, spec: {nodeName: node-77, containers: [{name: a}]}, status: {phase: Running}}',
  ],
  ['ForegroundStale', 'api', gone],
  [
    'OrphanPending',
    'api',
    "- {kind: Deployment, name: api, finalizers: [orphan], deletionTimestamp: '2026-11-21T11:30:00Z', deletionGracePeriodSeconds: 0}",
  ],
];

describe.each(cases)('%s', (code, uid, yaml) => {
  test('is assumed, says so and offers nothing that changes the cluster until it is confirmed', () => {
    const finding = findingOn(live(yaml), uid, code);
    expect(finding.certainty).toBe('assumed');
    expect(finding.message).toMatch(/ is assumed: .*no look-up has confirmed it yet\.$/u);
    expect(finding.evidence.at(-1)).toMatch(/^not confirmed by a look-up: /u);
    expect(finding.chain.some(({ because }) => because.endsWith('(assumed)'))).toBe(true);
    expect(finding.remedies().flatMap(({ requests }) => requests)).toEqual([]);
  });

  test('is told as ever once a look-up has confirmed it', () => {
    const finding = findingOn(answerAll(live(yaml), absent), uid, code);
    const usual = findingOn(viewOf(yaml), uid, code);
    expect(told(finding)).toEqual(told(usual));
    expect(remediesIn(finding)).toEqual(remediesIn(usual));
  });

  test('stays assumed where it may not be looked up, and says why', () => {
    const finding = findingOn(answerAll(live(yaml), forbidden), uid, code);
    expect(finding.certainty).toBe('assumed');
    expect(finding.message).toContain('a look-up failed (reading it is forbidden).');
    expect(finding.remedies().flatMap(({ requests }) => requests)).toEqual([]);
  });
});

test('an owner that a look-up has found holds its dependent, though no list holds it', () => {
  const view = answerAll(live('- {kind: Secret, name: token, owners: [v1 ConfigMap late]}'), lookUp => ({
    state: 'found',
    uid: lookUp.uid as Uid,
    foreground: false,
  }));
  expect(findingsOn(view, 'token')).toEqual([]);
  const node = view.graph.get('token' as Uid);
  if (node === undefined) throw new Error('no token');
  const { summary, chain } = explain(diagnoseCluster(view, now), node);
  expect(summary).toContain('ConfigMap late owns it');
  expect(chain.at(-1)).toMatchObject({ by: 'owned by', because: 'there, though no list holds it yet' });
});

test('a node that a look-up has found is not missing', () => {
  const view = answerAll(
    live(
      '- {kind: Pod, name: web-0, spec: {nodeName: node-77, containers: [{name: a}]}, status: {phase: Running}}',
    ),
    () => ({ state: 'found', uid: 'node' as Uid, foreground: false }),
  );
  expect(findingsOn(view, 'web-0')).toEqual([]);
});

test('what is said without a finding says what it assumes, too', () => {
  const view = live(
    "- {kind: Pod, name: web-0, owners: [apps/v1 ReplicaSet web web +c], finalizers: [a/b], deletionTimestamp: '2026-11-21T11:30:00Z', deletionGracePeriodSeconds: 0}",
  );
  const ghost = view.graph.get('web' as Uid);
  if (ghost === undefined) throw new Error('no web');
  const before = explain(diagnoseCluster(view, now), ghost);
  expect(before.summary).toBe(
    "ReplicaSet shop/web doesn't exist; Pod web-0 still refers to it as owner. That ReplicaSet shop/web doesn't exist is assumed: it isn't among what was listed, and no look-up has confirmed it yet.",
  );
  expect(before.assumed).toHaveLength(1);
  answerAll(view, absent);
  const after = explain(diagnoseCluster(view, now), ghost);
  expect(after.summary).toBe("ReplicaSet shop/web doesn't exist; Pod web-0 still refers to it as owner.");
});

test('a reference is not taken off by its id either as long as its owner may exist', () => {
  const yaml = '- {kind: Secret, name: token, owners: [v1 ConfigMap lost]}';
  const view = live(yaml);
  const object = objectOf(view, 'token');
  expect(offeredRemedies.byId(diagnoseCluster(view, now), object, 'prune-reference/lost')).toBeUndefined();
  expect(
    offeredRemedies.every(diagnoseCluster(view, now), object).flatMap(({ requests }) => requests),
  ).toEqual([]);
  answerAll(view, absent);
  expect(offeredRemedies.byId(diagnoseCluster(view, now), object, 'prune-reference/lost')).toMatchObject({
    risk: 'caution',
  });
});

test('taking off the last reference that holds counts as dangerous beside an owner that may exist', () => {
  const yaml =
    '- {kind: ConfigMap, name: there}\n- {kind: Secret, name: token, owners: [v1 ConfigMap there, v1 ConfigMap lost]}';
  const view = live(yaml);
  const object = objectOf(view, 'token');
  expect(offeredRemedies.byId(diagnoseCluster(view, now), object, 'prune-reference/there')).toMatchObject({
    risk: 'dangerous',
  });
});

test('a finding on what cannot be watched is assumed, names the kind, and offers what it would offer', () => {
  const yaml = `
- {kind: ConfigMap, name: settings, finalizers: [example.com/hold], deletionTimestamp: '2026-11-21T11:30:00Z'}
- {kind: ConfigMap, name: shared}
- {kind: Secret, name: token, owners: [v1 ConfigMap shared former]}
`;
  const watched = viewOf(yaml);
  const view = viewOf(yaml);
  const type = view.catalog.resolveKind('v1', 'ConfigMap');
  if (type === undefined) throw new Error('no ConfigMaps');
  view.apply({ changes: [], statuses: [{ type, state: 'synced', count: 1, facts: true, polled: '403' }] }, 0);
  for (const code of ['FinalizerWithoutController', 'OwnerRecreated'] as const) {
    const before = [...diagnoseCluster(watched, now).all()].find(each => each.code === code);
    const finding = [...diagnoseCluster(view, now).all()].find(each => each.code === code);
    expect(before?.certainty).toBe('exact');
    expect(finding?.certainty).toBe('assumed');
    expect(finding?.evidence.at(-1)).toBe('as of up to a minute ago, for want of a watch: configmaps');
    expect(finding?.remedies().map(({ id }) => id)).toEqual(before?.remedies().map(({ id }) => id));
  }
});
