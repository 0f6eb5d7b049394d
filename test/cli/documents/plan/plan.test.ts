import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { basisOf } from '../../../../src/cli/documents/basis.ts';
import type { Plan } from '../../../../src/cli/documents/definitions.ts';
import { planDocument, remedyListDocument } from '../../../../src/cli/documents/plan/plan-document.ts';
import { type PrintPlanOptions, printPlan } from '../../../../src/cli/documents/plan/plan-text.ts';
import { printDocument } from '../../../../src/cli/documents/print/document.ts';
import { TrackedView } from '../../../../src/diagnosis/engine/tracked-view.ts';
import { genericRemedies } from '../../../../src/diagnosis/remedies/generic.ts';
import type { Forecast } from '../../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { deployment, nodes, objectOf, plan, planDelete, pod } from '../../../forecast/fixtures.ts';
import { namespace, node, planTaint, podOn, statefulSet } from '../../../forecast/nodes/fixtures.ts';
import { now, viewOf } from '../cluster.ts';
import { schemaOf } from '../schema.ts';

const validate = new Ajv2020({ strict: false }).compile(schemaOf('Plan'));
const info = { source: 'files', context: 'test', namespace: 'shop', serverVersion: undefined } as const;

const basis = (view: ClusterView) => basisOf(info, view, now);
const look: PrintPlanOptions = { wide: false, steps: false, colour: false, ascii: false, width: undefined };

const held = `${nodes}
- {kind: ConfigMap, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}${pod('web-2', 'v1 ConfigMap web web +b', ', deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]')}`;

const onLostNode =
  namespace +
  node('lost', 'Unknown') +
  statefulSet('db', 'lost') +
  podOn('held', { node: 'lost', more: 'finalizers: [example.com/hold]' }) +
  podOn('stubborn', { node: 'lost', spec: 'tolerations: [{operator: Exists}]' });

describe('the Plan document', () => {
  test('follows its schema, with every list printed, in JSON and YAML alike', () => {
    const view = viewOf(nodes + deployment('api', 2));
    for (const forecast of [
      planDelete(view, 'api', 'orphan'),
      planDelete(view, 'api-h-0'),
      plan(view, 'none'),
      plan(viewOf(held), 'none'),
    ]) {
      const document = planDocument(basis(view), forecast);
      const json = JSON.parse([...printDocument(document, 'json')].join('')) as Plan;
      expect(validate(json), JSON.stringify(validate.errors)).toBe(true);
      expect(parse([...printDocument(document, 'yaml')].join(''))).toEqual(json);
    }
  });

  test('has what tools do beside by its schema, and shows no name of theirs as anything else', () => {
    const view = viewOf(nodes + deployment('api', 2));
    const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'a', uid: '' as Uid };
    const hostile = { ...object, name: '\u001b[2Jgone', kind: 'Kind\n' };
    const forecast: Forecast = {
      ...planDelete(view, 'api'),
      logical: [
        {
          object,
          by: 'Tool',
          effect: 'deleted',
          when: 'unknown',
          because: 'so',
          cluster: 'edge',
          part: 'bucket',
        },
        { object: hostile, by: 'Tool \u202e', effect: 'kept', when: undefined, because: 'so\u0007' },
        { object, by: 'Tool', effect: 'recreated', when: 'onRequest', because: 'so', instead: 'leave it' },
      ],
    };
    const printed = [...printDocument(planDocument(basis(view), forecast), 'json')].join('');
    const json = JSON.parse(printed) as Plan;
    expect(validate(json), JSON.stringify(validate.errors)).toBe(true);
    expect(json.logical?.map(({ when, object: { uid } }) => [when, uid])).toEqual([
      ['unknown', undefined],
      [undefined, undefined],
      ['onRequest', undefined],
    ]);
    expect(validate({ ...json, logical: [{ ...json.logical?.[0], certainty: 'exact' }] })).toBe(false);
    const text = [...printPlan(forecast, look)].join('');
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(text + printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/u);
    expect(text).toContain('Tool, perhaps in edge, because so');
    expect(text).toContain('bucket of ConfigMap a');
    expect(text).toContain('Tool, only when asked to, because so');
    expect(text).toContain('instead: leave it');
  });

  test('names as many kinds of effects as fit, and all of them with -o wide', () => {
    const view = viewOf(nodes + deployment('api', 2));
    const logical = Array.from({ length: 14 }, (_, n) => ({
      object: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: `c${n}`, uid: '' as Uid },
      by: `Tool ${n}`,
      effect: 'kept' as const,
      when: undefined,
      because: 'so',
    }));
    const forecast: Forecast = { ...planDelete(view, 'api'), logical };
    expect([...printPlan(forecast, look)].join('')).toContain(
      'and 4 more kinds of effects (-o wide shows them)',
    );
    expect([...printPlan(forecast, { ...look, wide: true })].join('')).toContain('Tool 13');
  });

  test('says what a foreground deletion waits for', () => {
    const view = viewOf(held);
    const document = planDocument(basis(view), plan(view, 'none'));
    expect(document).toMatchObject({
      kind: 'Plan',
      action: { verb: 'none', targets: [] },
      outcome: 'Stuck',
      deleted: [],
      timingDependent: [],
      terminating: [
        {
          object: { kind: 'ConfigMap', name: 'web', namespace: 'shop' },
          finalizers: ['foregroundDeletion'],
          waitingFor: ['Pod web-2, held by finalizer example.com/drain'],
        },
        { object: { kind: 'Pod', name: 'web-2' }, finalizers: ['example.com/drain'] },
      ],
    });
    expect(document).not.toHaveProperty('kubectl');
  });

  test('of an action on a node tells of its pods and volumes, and is the same without them elsewhere', () => {
    const lost = viewOf(onLostNode);
    const document = planDocument(basis(lost), planTaint(lost, 'lost'));
    const json = JSON.parse([...printDocument(document, 'json')].join('')) as Plan;
    expect(validate(json), JSON.stringify(validate.errors)).toBe(true);
    expect(parse([...printDocument(document, 'yaml')].join(''))).toEqual(json);
    expect(json).toMatchObject({
      action: {
        verb: 'taint',
        taint: {
          key: 'node.kubernetes.io/out-of-service',
          value: 'nodeshutdown',
          effect: 'NoExecute',
        },
        targets: [{ kind: 'Node', name: 'lost' }],
      },
      recreated: [{ by: 'StatefulSet shop/db', kind: 'Pod', count: 1, pending: 1 }],
      nodePods: [
        {
          pod: { kind: 'Pod', namespace: 'shop', name: 'db-0' },
          node: 'lost',
          fate: 'Deleted',
          by: 'pod-garbage-collector',
          earliest: '2026-11-21T12:00:00Z',
          latest: '2026-11-21T12:00:20Z',
          heldBy: [],
        },
        {
          pod: { name: 'held' },
          fate: 'Terminating',
          by: 'pod-garbage-collector',
          heldBy: ['example.com/hold'],
        },
        { pod: { name: 'stubborn' }, fate: 'Stays', because: 'tolerates the taint' },
      ],
      freedVolumes: [
        {
          claim: { kind: 'PersistentVolumeClaim', name: 'data-db-0' },
          volume: 'pv-db',
          node: 'lost',
          earliest: '2026-11-21T12:00:00Z',
        },
      ],
      couldRunTwice: [
        { pod: { name: 'db-0' }, node: 'lost', replacedBy: { kind: 'StatefulSet', name: 'db' } },
      ],
    });
    expect(json.nodePods?.[2]).not.toHaveProperty('latest');
    const view = viewOf(nodes + deployment('api', 2));
    const elsewhere = planDocument(basis(view), planDelete(view, 'api'));
    for (const field of ['nodePods', 'freedVolumes', 'couldRunTwice'])
      expect(elsewhere).not.toHaveProperty(field);
  });

  test('marks what happens in any case, and names who makes things anew', () => {
    const view = viewOf(`${nodes}${deployment('api', 1)}
- {kind: ConfigMap, name: stray, owners: [v1 ConfigMap gone]}`);
    const document = planDocument(basis(view), planDelete(view, 'api-h-0'));
    expect(document.deleted).toMatchObject([{ object: { name: 'api-h-0' } }, { anyway: true }]);
    expect(document.deleted[0]).not.toHaveProperty('anyway');
    expect(document.recreated).toEqual([{ by: 'ReplicaSet shop/api-h', kind: 'Pod', count: 1 }]);
  });

  test('remedies carry their requests, and none without a cause', () => {
    const view = viewOf(held);
    const web = objectOf(view, 'web');
    const document = remedyListDocument(
      basis(view),
      [{ ...web.type, ...web }],
      genericRemedies(new TrackedView(view, now), web),
    );
    expect(document.items.map(({ id, risk }) => `${id} ${risk}`)).toEqual([
      'clear-block/pod/web-2 safe',
      'redelete/background caution',
      'redelete/orphan caution',
    ]);
    expect(document.items[0]?.requests).toMatchObject([
      {
        verb: 'PATCH',
        path: '/api/v1/namespaces/shop/pods/web-2',
        contentType: 'application/json-patch+json',
      },
    ]);
    expect(genericRemedies(new TrackedView(view, now), objectOf(view, 'node-1'))).toEqual([]);
    expect(
      genericRemedies(new TrackedView(view, now), objectOf(view, 'web-2')).map(({ id }) => id),
    ).toContain('remove-finalizer/example.com/drain');
  });
});

describe('the text of a plan', () => {
  const text = (view: ClusterView, more: Partial<PrintPlanOptions> = {}): string =>
    [...printPlan(planDelete(view, 'api', 'orphan'), { ...look, ...more })].join('');

  test('has the answer and its counts first, then the objects, then the command', () => {
    expect(
      text(viewOf(nodes + deployment('api', 3))),
    ).toBe(`Deleting Deployment shop/api and orphaning what it owns: 1 object is deleted, 1 is altered, 3 keep running.

  deleted      1  Deployment api
  altered      1  ReplicaSet api-h loses its owner reference and keeps its 3 pods
  stuck        0
  untouched    3  Pods api-h-0, api-h-1, api-h-2

  ! A ReplicaSet without a Deployment keeps recreating its pods. To stop them, delete the ReplicaSet.

Equivalent: kubectl delete deployment/api -n shop --cascade=orphan
`);
  });

  test('is never wider than the terminal', () => {
    const lines = text(viewOf(nodes + deployment('api', 3)), { width: 60 }).split('\n');
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(60);
    expect(lines.join(' ').replace(/\s+/gu, ' ')).toContain('keeps its 3 pods');
  });

  test('narrates the steps when asked to', () => {
    const view = viewOf(nodes + deployment('api', 1));
    const told = [...printPlan(planDelete(view, 'api'), { ...look, steps: true })].join('');
    expect(told).toContain('1    +0s  user deletes Deployment shop/api: asked for');
    expect(told).toMatch(/\+30s {2}kubelet deletes Pod shop\/api-h-0: its containers have stopped/);
  });

  test('names what is stuck and the one thing that it waits for', () => {
    const told = [...printPlan(plan(viewOf(held), 'none'), look)].join('');
    expect(told).toContain('If no user acts: 2 stay terminating.');
    expect(told).toContain(
      'stuck        2  ConfigMap shop/web waits for Pod web-2, held by finalizer example.com/drain',
    );
  });

  test('of an action on a node says when its pods go, what holds them, and what could run twice, in 80 columns', () => {
    const view = viewOf(onLostNode);
    const told = [...printPlan(planTaint(view, 'lost'), { ...look, width: 80 })].join('');
    expect(Math.max(...told.split('\n').map(line => line.length))).toBeLessThanOrEqual(80);
    const [deleted] = told.split('\n\n  !');
    expect(deleted).toBe(
      `Tainting Node lost out-of-service gets stuck: 1 object is deleted, 1 stays
terminating, 1 is recreated.

  deleted      1  Pod shop/db-0
  stuck        1  Pod shop/held waits for finalizer example.com/hold, which its
                  own controller has to remove
  recreated    1  Pod by StatefulSet shop/db, Pending
  run twice    1  Pod shop/db-0: StatefulSet shop/db recreates it, and lost is
                  not ready: if its machine is cut off and not powered off, the
                  old containers run on for an unknown time
  its pods     3  Pod shop/db-0 is deleted within 20 s: evicted for the taint,
                  then deleted by force by PodGC, because the node is out of
                  service and not ready
                  Pod shop/held stays, held by example.com/hold: evicted for the
                  taint, then deleted by force by PodGC, because the node is out
                  of service and not ready
                  Pod shop/stubborn stays: tolerates the taint
  volumes      1  PersistentVolumeClaim shop/data-db-0: detached by the
                  attach/detach controller as soon as the pod has ended, without
                  waiting for an unmount, because the node is out of service`,
    );
  });

  test('says right below the answer that a node is Ready, and only there', () => {
    const view = viewOf(onLostNode.replace('"Unknown"', '"True"'));
    const told = [...printPlan(planTaint(view, 'lost'), look)].join('');
    expect(told.split('\n')[1]).toMatch(/^ {2}! Node lost is Ready, so its machine runs\./u);
    expect(told.split('is Ready, so')).toHaveLength(2);
  });

  test.each([
    [0, 'within 20 s'],
    [60, 'in 60 to 80 s'],
    [170, 'in 170 s to 3 min'],
    [600, 'in about 10 min'],
  ])('tells when pods go that tolerate the taint for %i s', (seconds, words) => {
    const toleration = `{key: node.kubernetes.io/out-of-service, operator: Exists, tolerationSeconds: ${seconds}}`;
    const patient = podOn('patient', { node: 'lost', spec: `tolerations: [${toleration}]` });
    const view = viewOf(namespace + node('lost', 'Unknown') + patient);
    const told = [...printPlan(planTaint(view, 'lost'), look)].join('');
    expect(told).toContain(`Pod shop/patient is deleted ${words}: evicted for the taint`);
  });

  test('tells at once what a node with finished pods loses at once, and names the node of each of several', () => {
    const finished = ['a', 'b'].map(name => podOn(name, { node: `${name}-node`, phase: 'Succeeded' }));
    const view = viewOf(
      namespace + node('a-node', 'Unknown') + node('b-node', 'Unknown') + finished.join(''),
    );
    const told = [...printPlan(planTaint(view, 'a-node b-node'), look)].join('');
    expect(told).toMatch(/^Tainting 2 nodes out-of-service: 2 objects are deleted\./u);
    expect(told).toContain(
      '  pods         2  Pod shop/a on a-node is deleted at once: evicted for the taint\n',
    );
  });

  test('says the same of many pods once', () => {
    const pods = ['a', 'b', 'c'].map(name => podOn(name, { node: 'lost' })).join('');
    const view = viewOf(namespace + node('lost', 'Unknown') + pods);
    const told = [...printPlan(planDelete(view, 'lost'), look)].join('');
    expect(told).toContain(
      'its pods     3  Pods shop/a, shop/b, shop/c are deleted in 40 to 80 s: deleted by force by PodGC, because the node is gone\n',
    );
  });
});
