import { describe, expect, test } from 'vitest';
import { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { withEffects } from '../../../src/diagnosis/remedies/effects.ts';
import { everyRemedyOf, remediesOf, remedyFor } from '../../../src/diagnosis/remedies/offered.ts';
import type { ApplicableRemedy } from '../../../src/forecast/action.ts';
import { createForecaster } from '../../../src/forecast/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { now, viewOf } from '../../documents/cluster.ts';
import { objectOf } from '../../forecast/fixtures.ts';

const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0';
const held = (name: string, finalizers = 'example.com/drain'): string => `
- {kind: ConfigMap, name: ${name}, ${deleting}, finalizers: [${finalizers}]}`;
const operator = `
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}`;
const FROM_ALL = 'remove-finalizer-from-all/configmap/example.com/drain';

function offered(view: ClusterView, uid: string): string[] {
  return everyRemedyOf(new Diagnosis(view, now), objectOf(view, uid)).map(({ risk, id }) => `${risk} ${id}`);
}

function remedyOf(view: ClusterView, uid: string, id: string): ApplicableRemedy {
  const remedy = remedyFor(new Diagnosis(view, now), objectOf(view, uid), id);
  if (remedy === undefined) throw new Error(`no ${id}`);
  return remedy;
}

function effect(view: ClusterView, uid: string, id: string): string | undefined {
  const forecaster = createForecaster(view, { now, scope: 'action' });
  return withEffects(forecaster, objectOf(view, uid), [remedyOf(view, uid, id)])[0]?.effect;
}

const paths = ({ requests }: ApplicableRemedy): string[] =>
  requests.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));

describe('one finalizer of many objects', () => {
  const live = '\n- {kind: ConfigMap, name: live, finalizers: [example.com/drain]}';
  const three = viewOf(held('a') + held('b', 'example.com/drain, example.org/copy') + held('c') + live);

  test('is removed from each that is being deleted, and no other of its finalizers, the asked one last', () => {
    const remedy = remedyOf(three, 'a', FROM_ALL);
    expect(remedy).toMatchObject({ risk: 'dangerous' });
    expect(remedy.title).toMatch(
      /^remove example\.com\/drain from all 3 configmaps in shop that are being deleted, one after the other/,
    );
    expect(paths(remedy)).toEqual(['b', 'c', 'a']);
    expect(effect(three, 'a', FROM_ALL)).toMatch(
      /^a is deleted, and ConfigMap c with it; ConfigMap b stays, held by example\.org\/copy/,
    );
  });

  test('is offered to whoever asks about one of them', () => {
    expect(offered(three, 'a')).toContain(`dangerous ${FROM_ALL}`);
    expect(remediesOf(new Diagnosis(three, now), objectOf(three, 'a')).map(({ id }) => id)).not.toContain(
      FROM_ALL,
    );
  });

  test('is offered for all of a namespace, and goes by kinds', () => {
    const view = viewOf(`
- {kind: Namespace, name: shop, ${deleting}, spec: {finalizers: [kubernetes]}, status: {phase: Terminating, conditions: [{type: NamespaceContentRemaining, status: "True"}]}}${held('a')}${held('b')}
- {kind: Secret, name: s, ${deleting}, finalizers: [example.com/drain]}`);
    expect(offered(view, 'shop')).toContain(`dangerous ${FROM_ALL}`);
    expect(offered(view, 'shop').filter(each => each.includes('-from-all/'))).toHaveLength(1);
    expect(paths(remedyOf(view, 'shop', FROM_ALL))).toEqual(['a', 'b']);
  });

  test('is not offered where somebody may still remove it', () => {
    const view = viewOf(operator + held('a') + held('b'));
    expect(offered(view, 'a').some(each => each.includes('-from-all/'))).toBe(false);
    expect(remedyFor(new Diagnosis(view, now), objectOf(view, 'a'), FROM_ALL)).toBeUndefined();
  });

  test('goes on with what is left of a run that was cut short', () => {
    const rest = viewOf(held('a'));
    expect(offered(rest, 'a').some(each => each.includes('-from-all/'))).toBe(false);
    expect(paths(remedyOf(rest, 'a', FROM_ALL))).toEqual(['a']);
  });
});

describe('several finalizers of one object', () => {
  const view = viewOf(held('a', 'example.com/drain, service.kubernetes.io/load-balancer-cleanup'));
  const id = 'remove-finalizers/example.com/drain,service.kubernetes.io/load-balancer-cleanup';

  test('go one by one, each with what it costs', () => {
    const remedy = remedyOf(view, 'a', id);
    expect(remedy.title).toMatch(
      /example\.com\/drain: what it protects is left behind; service\.kubernetes\.io\/load-balancer-cleanup: the load balancer is left behind/,
    );
    expect(remedy.requests).toHaveLength(2);
    expect(JSON.stringify(remedy.requests[0]?.body)).toContain('/metadata/finalizers/1');
    expect(JSON.stringify(remedy.requests[1]?.body)).toContain('/metadata/finalizers/0');
    expect(effect(view, 'a', id)).toMatch(/a is deleted/);
  });

  test('are offered together only where there are several', () => {
    expect(offered(viewOf(held('a')), 'a').some(each => each.includes('remove-finalizers/'))).toBe(false);
    const two = viewOf(held('a', 'example.com/drain, example.org/copy'));
    expect(offered(two, 'a')).toContain('dangerous remove-finalizers/example.com/drain,example.org/copy');
  });
});
