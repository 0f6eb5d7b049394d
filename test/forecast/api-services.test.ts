import { describe, expect, it } from 'vitest';
import { deleteObjects } from '../../src/diagnosis/remedies/deletion-remedies.ts';
import { forecast } from '../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import { now, objectOf, planDelete, titles, viewOf, waits } from './fixtures.ts';

const apiService = (version: string, status: string): string => `
- {kind: APIService, name: ${version}.metrics.k8s.io, namespace: '', uid: ${version}, spec: {group: metrics.k8s.io, version: ${version}, service: {namespace: infra, name: metrics}}, status: {conditions: [{type: Available, status: "${status}"}]}}`;

function brokenView(): ClusterView {
  const view = viewOf(`
- {kind: Namespace, name: shop, namespace: '', uid: ns, spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: ConfigMap, name: settings}${apiService('v1', 'True')}${apiService('v1beta1', 'False')}
`);
  // As a cluster tells it: the group, without the version that fails.
  view.apply({ changes: [], failedGroups: [{ resource: '*.metrics.k8s.io', reason: '503' }] }, 0);
  return view;
}

describe('a namespace while an APIService is unavailable', () => {
  it('waits for the discovery of the very version that fails', () => {
    const plan = planDelete(brokenView(), 'ns');
    expect(waits(plan, 'Namespace shop')).toEqual(['the discovery of metrics.k8s.io/v1beta1, which fails']);
  });

  it('goes when the APIService is deleted', () => {
    const view = brokenView();
    const [namespace, service] = [objectOf(view, 'ns'), objectOf(view, 'v1beta1')];
    const remedy = deleteObjects([namespace, service], 'background', {
      risk: 'caution',
      title: 'delete both',
      id: 'both',
    });
    const plan = forecast(view, { verb: 'unblock', target: namespace, remedy }, { now });
    expect(titles(plan.deleted)).toEqual(expect.arrayContaining(['Namespace shop', 'ConfigMap settings']));
    expect(plan.terminating).toEqual([]);
  });
});
