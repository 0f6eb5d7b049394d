import { describe, expect, test } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { finalizations, finalize } from '../../../src/diagnosis/remedies/finalize.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { objectOf } from '../../forecast/fixtures.ts';

const LONG_AGO = '2026-11-21T11:48:00Z';
const namespace = (finalizers: string, more = '', since = LONG_AGO): string => `
- {kind: Namespace, name: shop, uid: ns, namespace: '', deletionTimestamp: "${since}", spec: {finalizers: [${finalizers}]}, status: {phase: Terminating${more}}}`;
const map = '\n- {kind: ConfigMap, name: left}';

const idsOf = (view: ClusterView): string[] =>
  finalizations(new TrackedView(view, now), objectOf(view, 'ns')).map(({ id, risk }) => `${risk} ${id}`);

describe('taking the finalizer of the namespace controller off', () => {
  const failing = (view: ClusterView): ClusterView => {
    view.apply({ changes: [], failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }] }, now);
    return view;
  };

  test('is possible where nothing is left in the namespace, and dangerous', () => {
    expect(idsOf(viewOf(namespace('kubernetes')))).toEqual(['dangerous finalize/kubernetes']);
  });

  test.each([
    ['something is left in it', viewOf(namespace('kubernetes') + map)],
    ['its controller still works', viewOf(namespace('kubernetes', '', '2026-11-21T11:59:30Z'))],
    [
      'its controller says that something is left',
      viewOf(
        namespace(
          'kubernetes',
          `, conditions: [{type: NamespaceContentRemaining, status: "True", lastTransitionTime: "${LONG_AGO}", message: "Some resources are remaining: widgets.example.com has 1 resource instances"}]`,
        ),
      ),
    ],
    [
      'it is not being deleted',
      viewOf('\n- {kind: Namespace, name: shop, uid: ns, spec: {finalizers: [kubernetes]}}'),
    ],
  ])('is not where %s', (_, view) => {
    expect(idsOf(view)).toEqual([]);
  });

  test('names the API that keeps it, of which something may be left', () => {
    const view = failing(viewOf(namespace('kubernetes')));
    const remedy = finalize(new TrackedView(view, now), objectOf(view, 'ns'), 'kubernetes');
    expect(remedy?.title).toContain('what *.metrics.k8s.io, which cannot be discovered, may have in it');
  });
});

describe('a finalizer of somebody else in the spec', () => {
  const view = viewOf(namespace('kubernetes, example.com/audit') + map);

  test('is taken off whatever is in the namespace, and the others stay', () => {
    const target = objectOf(view, 'ns');
    const remedy = finalize(new TrackedView(view, now), target, 'example.com/audit');
    expect(remedy?.requests[0]?.body).toMatchObject({
      metadata: { uid: 'ns' },
      spec: { finalizers: ['kubernetes'] },
    });
    if (remedy === undefined) return;
    const forecast = Forecaster.create(view, { now }).forecast({ verb: 'unblock', target, remedy });
    // The namespace controller then does what is left to do.
    expect(forecast.outcome).toBe('Completes');
    expect(forecast.deleted.map(({ object }) => object.name)).toEqual(['shop', 'left']);
  });

  test('leaves the namespace to those that it doesn’t take off', () => {
    const two = viewOf(namespace('example.com/audit, example.org/copy'));
    const target = objectOf(two, 'ns');
    const remedy = finalize(new TrackedView(two, now), target, 'example.com/audit');
    if (remedy === undefined) throw new Error('none');
    const forecast = Forecaster.create(two, { now }).forecast({ verb: 'unblock', target, remedy });
    expect(forecast.outcome).toBe('Stuck');
    expect(forecast.changed).toMatchObject([{ finalizersRemoved: ['example.com/audit'] }]);
    expect(forecast.terminating).toMatchObject([{ finalizers: ['example.org/copy'] }]);
  });

  test('is none where the spec has no such finalizer', () => {
    expect(finalize(new TrackedView(view, now), objectOf(view, 'ns'), 'example.com/other')).toBeUndefined();
    expect(finalize(new TrackedView(view, now), objectOf(view, 'left'), 'kubernetes')).toBeUndefined();
  });
});
