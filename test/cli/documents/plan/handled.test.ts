import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { basisOf } from '../../../../src/cli/documents/basis.ts';
import { planDocument } from '../../../../src/cli/documents/plan/plan-document.ts';
import { printPlan } from '../../../../src/cli/documents/plan/plan-text.ts';
import type { Forecast } from '../../../../src/forecast/plan/forecast-result.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { nodes, operator, planHandled } from '../../../forecast/fixtures.ts';
import { now, viewOf } from '../cluster.ts';
import { schemaOf } from '../schema.ts';

const validate = new Ajv2020({ strict: false }).compile(schemaOf('Plan'));
const info = { source: 'files', context: 'test', namespace: 'shop', serverVersion: undefined } as const;

const held = `${nodes}
- {kind: ConfigMap, name: rec, finalizers: [example.com/drain]}
- {kind: Secret, name: key, owners: [v1 ConfigMap rec rec +b]}
`;

function documentOf(view: ClusterView, targets: string): ReturnType<typeof planDocument> {
  const document = planDocument(basisOf(info, view, now), planHandled(view, targets));
  const valid = validate(JSON.parse(JSON.stringify(document)));
  expect(valid, JSON.stringify(validate.errors)).toBe(true);
  return document;
}

function text(forecast: Forecast): string {
  return [
    ...printPlan(forecast, { wide: false, steps: false, colour: false, ascii: false, width: undefined }),
  ].join('');
}

describe('a plan that depends on a handler', () => {
  const view = viewOf(held + operator(1));

  test('names the handler, and has the end in which it does its work, as its schema says', () => {
    const document = documentOf(view, 'rec');
    expect(document).toMatchObject({
      outcome: 'Depends',
      deleted: [],
      terminating: [
        {
          object: { kind: 'ConfigMap', name: 'rec' },
          handlers: [
            {
              finalizer: 'example.com/drain',
              handler: 'Deployment ops/drain-operator',
              state: 'running',
              evidence: [
                'Deployment ops/drain-operator: 1 of 1 ready, recognised by its label example.com/part',
              ],
            },
          ],
        },
      ],
      ifHandled: {
        deleted: [
          { object: { name: 'rec' }, by: 'user', reason: 'asked for' },
          { object: { name: 'key' }, by: 'garbage-collector' },
        ],
        terminating: [],
      },
    });
    expect(document.then).toMatchObject([
      { object: { name: 'key' }, after: [{ kind: 'ConfigMap', name: 'rec' }] },
    ]);
    expect(Object.keys(document.terminating[0]?.handlers?.[0] ?? {})).toEqual([
      'finalizer',
      'handler',
      'state',
      'evidence',
    ]);
  });

  test('says so in its first sentence, and what is deleted then', () => {
    expect(text(planHandled(view, 'rec'))).toBe(
      `Deleting ConfigMap shop/rec in the background completes if Deployment ops/drain-operator removes example.com/drain: 1 waits for that, 1 more is deleted then.

  deleted      0
  waiting      1  ConfigMap rec waits for finalizer example.com/drain, which its own controller has to remove
  handlers     1  example.com/drain: Deployment ops/drain-operator seems to be the one that removes it, and is running
  then         1  Secret key: deleted

Equivalent: kubectl delete configmap/rec -n shop --cascade=background
`,
    );
  });
});

test('a plan that is stuck says why no handler ends that', () => {
  const view = viewOf(held);
  expect(documentOf(view, 'rec')).toMatchObject({
    outcome: 'Stuck',
    terminating: [{ handlers: [{ state: 'absent' }] }],
  });
  expect(documentOf(view, 'rec')).not.toHaveProperty('ifHandled');
  expect(text(planHandled(view, 'rec'))).toContain(
    '  handlers     1  example.com/drain: nothing in this cluster handles example.com\n',
  );
});
