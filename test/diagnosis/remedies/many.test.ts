import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import { remediesForMany } from '../../../src/diagnosis/offers/remedies-for-many.ts';
import { remedyEffects } from '../../../src/diagnosis/offers/remedy-effects.ts';
import type { ApplicableRemedy } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { TypeStatus } from '../../../src/model/exchange/changes.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { objectOf } from '../../forecast/fixtures.ts';

const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0';
const held = (name: string, finalizers = 'example.com/drain'): string => `
- {kind: ConfigMap, name: ${name}, ${deleting}, finalizers: [${finalizers}]}`;
const operator = `
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}`;
const FROM_ALL = 'remove-finalizer-from-all/configmap/example.com/drain';

function offered(view: ClusterView, uid: string): string[] {
  return offeredRemedies
    .every(diagnoseCluster(view, now), objectOf(view, uid))
    .map(({ risk, id }) => `${risk} ${id}`);
}

function remedyOf(view: ClusterView, uid: string, id: string): ApplicableRemedy {
  const remedy = offeredRemedies.byId(diagnoseCluster(view, now), objectOf(view, uid), id);
  if (remedy === undefined) throw new Error(`no ${id}`);
  return remedy;
}

function effect(view: ClusterView, uid: string, id: string): string | undefined {
  const forecaster = Forecaster.create(view, { now, scope: 'action' });
  return remedyEffects.added(forecaster, objectOf(view, uid), [remedyOf(view, uid, id)])[0]?.effect;
}

function builtIn(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no ${kind}`);
  return type;
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

  test('names the object if it is removed from one', () => {
    const view = viewOf(`${held('a')}\n- {kind: ConfigMap, name: b}`);
    const diagnosis = diagnoseCluster(view, now);
    const [remedy] = remediesForMany.forChosen(diagnosis, [objectOf(view, 'a'), objectOf(view, 'b')]);
    expect(remedy?.title).toMatch(/^remove example\.com\/drain from ConfigMap a: /u);
  });

  test('is offered to whoever asks about one of them', () => {
    expect(offered(three, 'a')).toContain(`dangerous ${FROM_ALL}`);
    expect(
      offeredRemedies.of(diagnoseCluster(three, now), objectOf(three, 'a')).map(({ id }) => id),
    ).not.toContain(FROM_ALL);
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
    expect(offeredRemedies.byId(diagnoseCluster(view, now), objectOf(view, 'a'), FROM_ALL)).toBeUndefined();
  });

  test('goes on with what is left of a run that was cut short', () => {
    const rest = viewOf(held('a'));
    expect(offered(rest, 'a').some(each => each.includes('-from-all/'))).toBe(false);
    expect(paths(remedyOf(rest, 'a', FROM_ALL))).toEqual(['a']);
  });
});

describe('one kind of bad reference of many objects', () => {
  const rs = (name: string, owner: string, more = ''): string => `
- {kind: ReplicaSet, name: ${name}, spec: {replicas: 1, selector: {matchLabels: {app: ${name}}}}, owners: [${owner} +c${more}]}`;
  const recreated = viewOf(`
- {kind: Deployment, name: api, uid: api-2, spec: {replicas: 1, selector: {matchLabels: {app: api}}}}
- {kind: Deployment, name: web, uid: web-2, spec: {replicas: 1, selector: {matchLabels: {app: web}}}}
${rs('api-1', 'apps/v1 Deployment api api-old')}${rs('web-1', 'apps/v1 Deployment web web-old')}
${rs('fine', 'apps/v1 Deployment web web-2')}${rs('other', 'apps/v1 DaemonSet lost lost')}`);
  const PRUNE = 'prune-reference-from-all/replicaset/Absent/apps/v1/Deployment';
  const REPAIR = 'repair-reference-from-all/replicaset/Absent/apps/v1/Deployment';

  test('is taken off or repaired as each finding offers it, and nothing else of them is touched', () => {
    for (const id of [PRUNE, REPAIR])
      expect(paths(remedyOf(recreated, 'api-1', id))).toEqual(['web-1', 'api-1']);
    const { requests } = remedyOf(recreated, 'api-1', REPAIR);
    const alone = ['web', 'api'].map(
      name => remedyOf(recreated, `${name}-1`, `repair-reference/${name}-old`).requests[0],
    );
    expect(requests).toEqual(alone);
    expect(offered(recreated, 'api-1').filter(each => each.includes('-from-all/'))).toEqual([
      `safe ${REPAIR}`,
      `caution ${PRUNE}`,
    ]);
  });

  test('is told in a title that says how many, where, and what becomes of them', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, owners: [example.com/v1 Widget w w]}
- {kind: ConfigMap, name: b, owners: [example.com/v1 Widget x x]}
- {kind: ConfigMap, name: c, owners: [example.com/v1 Gadget x x]}`);
    const id = 'prune-reference-from-all/configmap/Unresolvable/example.com/v1/Widget';
    expect(remedyOf(view, 'a', id).title).toBe(
      "remove references to example.com/v1 Widget, which isn't served, from all 2 configmaps in shop, one after the other: each then stays until a user deletes it",
    );
    expect(effect(view, 'a', id)).toBe('a and ConfigMap b stay without an owner');
    expect(paths(remedyOf(view, 'c', id))).toEqual(['a', 'b']);
  });

  test('is not offered where an owner may be there', () => {
    const view = viewOf(rs('a', 'apps/v1 Deployment lost lost') + rs('b', 'apps/v1 Deployment lost lost'));
    const type = builtIn('Deployment');
    const blind: TypeStatus = { type, state: 'blind', reason: 'forbidden', count: 0, facts: true };
    view.apply({ changes: [], statuses: [blind] }, now);
    expect(offered(view, 'a').some(each => each.includes('-from-all/'))).toBe(false);
    expect(offeredRemedies.byId(diagnoseCluster(view, now), objectOf(view, 'a'), PRUNE)).toBeUndefined();
  });

  test('leaves alone what is wrong in another way, and two references of one uid', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: real}
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap wrong real]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap wrong real]}
- {kind: ConfigMap, name: c, owners: [v1 ConfigMap gone gone]}
- {kind: ConfigMap, name: d, owners: [v1 ConfigMap wrong real, v1 ConfigMap real real]}`);
    const id = 'repair-reference-from-all/configmap/Mismatched/v1/ConfigMap';
    expect(paths(remedyOf(view, 'a', id))).toEqual(['b', 'a']);
  });
});

describe('objects that somebody has chosen', () => {
  const view = viewOf(`${held('a')}${held('b')}${held('c')}
- {kind: Secret, name: s, owners: [example.com/v1 Widget w w]}`);
  const diagnosis = diagnoseCluster(view, now);
  const chosen = ['a', 'b', 's'].map(uid => objectOf(view, uid));

  test('are offered what can be done to each sort of them, and nothing beside is touched', () => {
    const remedies = remediesForMany.forChosen(diagnosis, chosen);
    expect(remedies.map(({ id }) => id)).toEqual([
      FROM_ALL,
      'prune-reference-from-all/secret/Unresolvable/example.com/v1/Widget',
    ]);
    expect(remedies.map(paths)).toEqual([['a', 'b'], ['s']]);
    expect(remedies[0]?.title).toMatch(/^remove example\.com\/drain from all 2 chosen configmaps/);
  });

  test('go by the id of one object where they are of one kind, and by no other that is for one', () => {
    const [a, b] = chosen;
    if (a === undefined || b === undefined) throw new Error('not there');
    expect(offeredRemedies.byId(diagnosis, a, 'remove-finalizer/example.com/drain', [a, b])?.id).toBe(
      FROM_ALL,
    );
    expect(offeredRemedies.byId(diagnosis, a, 'remove-finalizer/example.com/drain', chosen)).toBeUndefined();
    expect(offeredRemedies.byId(diagnosis, a, 'redelete/background', [a, b])).toBeUndefined();
    expect(
      offeredRemedies.byId(diagnosis, a, 'remove-finalizer/example.com/drain', [a])?.requests,
    ).toHaveLength(1);
  });
});

describe('several finalizers of one object', () => {
  const view = viewOf(held('a', 'example.com/drain, service.kubernetes.io/load-balancer-cleanup'));
  const id = 'remove-finalizers/example.com/drain,service.kubernetes.io/load-balancer-cleanup';

  test('go one by one, each with what it costs', () => {
    const remedy = remedyOf(view, 'a', id);
    expect(remedy.title).toMatch(
      /example\.com\/drain: the resources it protects are left behind; service\.kubernetes\.io\/load-balancer-cleanup: the load balancer is left behind/,
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
