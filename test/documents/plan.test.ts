import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { genericRemedies } from '../../src/diagnosis/remedies/generic.ts';
import { Scene } from '../../src/diagnosis/scene.ts';
import { basisOf } from '../../src/documents/basis.ts';
import { type PlanDocument, planDocument, remedyListDocument } from '../../src/documents/plan.ts';
import { printDocumentJson, printDocumentYaml } from '../../src/documents/plan-print.ts';
import { type PrintPlanOptions, printPlan } from '../../src/documents/plan-text.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import { deployment, nodes, objectOf, plan, planDelete, pod } from '../forecast/fixtures.ts';
import { now, viewOf } from './cluster.ts';

const schema = JSON.parse(
  readFileSync(new URL('../../src/documents/schema/plan.schema.json', import.meta.url), 'utf8'),
) as object;
const validate = new Ajv2020({ strict: false }).compile(schema);
const info = { source: 'files', context: 'test', namespace: 'shop', serverVersion: undefined } as const;

const basis = (view: ClusterView) => basisOf(info, view, now);
const look: PrintPlanOptions = { wide: false, steps: false, colour: false, ascii: false, width: undefined };

const held = `${nodes}
- {kind: ConfigMap, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}${pod('web-2', 'v1 ConfigMap web web +b', ', deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/drain]')}`;

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
      const json = JSON.parse([...printDocumentJson(document)].join('')) as PlanDocument;
      expect(validate(json), JSON.stringify(validate.errors)).toBe(true);
      expect(parse([...printDocumentYaml(document)].join(''))).toEqual(json);
    }
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
      { ...web.type, ...web },
      genericRemedies(new Scene(view, now), web),
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
    expect(genericRemedies(new Scene(view, now), objectOf(view, 'node-1'))).toEqual([]);
    expect(genericRemedies(new Scene(view, now), objectOf(view, 'web-2')).map(({ id }) => id)).toContain(
      'remove-finalizer/example.com/drain',
    );
  });
});

describe('the text of a plan', () => {
  const text = (view: ClusterView, more: Partial<PrintPlanOptions> = {}): string =>
    [...printPlan(planDelete(view, 'api', 'orphan'), { ...look, ...more })].join('');

  test('has the answer and its counts first, then the objects, then the command', () => {
    expect(
      text(viewOf(nodes + deployment('api', 3))),
    ).toBe(`Deleting Deployment shop/api and orphaning what it owns: 1 object goes, 1 is altered, 3 keep running.

  deleted      1  Deployment api
  altered      1  ReplicaSet api-h loses its owner reference and keeps its 3 pods
  stuck        0
  untouched    3  pods

  ! A ReplicaSet without a Deployment keeps re-creating its pods. To stop them, delete the ReplicaSet.

Equivalent: kubectl delete deployment api -n shop --cascade=orphan
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
    expect(told).toContain('If nobody acts: 2 stay deleting.');
    expect(told).toContain(
      'stuck        2  ConfigMap shop/web waits for Pod web-2, held by finalizer example.com/drain',
    );
  });
});
