import { describe, expect, test } from 'vitest';
import { createForecaster } from '../../src/forecast/forecaster.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import { nodes, now, objectOf, plan, planDelete, pod, titles, viewOf } from './fixtures.ts';

/** A view in which objects of this kind can't be listed. */
function withoutSight(view: ClusterView, apiVersion: string, kind: string): ClusterView {
  const type = view.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) throw new Error(`no ${kind}`);
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: false, reason: '403' }] });
  return view;
}

describe('owners that can’t be seen are taken to exist', () => {
  test('by every name that a reference has for them', () => {
    const view = withoutSight(
      viewOf(`
- {kind: Service, name: top}
- {kind: Secret, name: a, owners: [v1 Service top, v1 ConfigMap one x]}
- {kind: Secret, name: b, owners: [v1 Service top, v1 ConfigMap other x]}`),
      'v1',
      'ConfigMap',
    );
    for (const forecast of [
      planDelete(view, 'top'),
      createForecaster(view, { now, scope: 'action' }).forecast({
        verb: 'delete',
        cascade: 'background',
        targets: [objectOf(view, 'top')],
      }),
    ]) {
      expect(titles(forecast.deleted)).toEqual(['Service top']);
      expect(titles(forecast.changed)).toEqual(['Secret a', 'Secret b']);
      const warnings = forecast.warnings.join('\n');
      expect(warnings).toContain(
        "Secret shop/a is taken to be held by its owner ConfigMap one, which can't be seen.",
      );
    }
    expect(plan(view, 'restart').deleted).toEqual([]);
  });

  test('and may make anew what is deleted below them', () => {
    const view = withoutSight(
      viewOf(`${nodes}${pod('api-h-0', 'apps/v1 ReplicaSet api-h api-h +c +b')}`),
      'apps/v1',
      'ReplicaSet',
    );
    const forecast = planDelete(view, 'api-h-0');
    expect(titles(forecast.deleted)).toEqual(['Pod api-h-0']);
    expect(forecast.warnings.join('\n')).toContain('ReplicaSet api-h may create Pod shop/api-h-0 anew');
  });
});
