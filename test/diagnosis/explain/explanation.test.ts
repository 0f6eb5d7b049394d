import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { type Explanation, explain } from '../../../src/diagnosis/explain/explanation.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Uid } from '../../../src/model/object.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { deployment, nodes, pod } from '../../forecast/fixtures.ts';

function explained(view: ClusterView, uid: string): Explanation {
  const node = view.graph.get(uid as Uid);
  if (node === undefined) throw new Error(`no ${uid}`);
  return explain(diagnoseCluster(view, now), node);
}

const summary = (yaml: string, uid: string): string => explained(viewOf(yaml), uid).summary;

/** `Kind name: by because`, a line for each link. */
function chain(view: ClusterView, uid: string): string[] {
  return explained(view, uid).chain.map(({ object, by, finalizer, because }) =>
    [by, finalizer ?? `${object.kind} ${object.name}`, `(${because})`].filter(Boolean).join(' '),
  );
}

function blind(view: ClusterView, kind: string): ClusterView {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no ${kind}`);
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: true, reason: '403' }] }, 0);
  return view;
}

describe('an object that nothing is wrong with', () => {
  test('is there because its controller owns it, up to the root', () => {
    const view = viewOf(nodes + deployment('api', 1));
    expect(explained(view, 'api-h-0').summary).toBe(
      'Pod shop/api-h-0 is not being deleted: ReplicaSet api-h controls it, and it is deleted when its owner is.',
    );
    expect(chain(view, 'api-h-0')).toEqual([
      'Pod api-h-0 (there)',
      'controlled by ReplicaSet api-h (there)',
      'controlled by Deployment api (there)',
    ]);
    expect(explained(view, 'api-h-0').remedies()).toEqual([]);
  });

  test('or nothing owns it', () => {
    expect(summary('- {kind: ConfigMap, name: alone}', 'alone')).toBe(
      'ConfigMap shop/alone is not being deleted, and nothing owns it: the garbage collector leaves it alone.',
    );
  });

  test('or is wrong about its owner, which the first collector overlooks', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: owner, namespace: infra}
- {kind: ConfigMap, name: far, owners: [v1 ConfigMap owner]}`);
    const today = explained(view, 'far').summary;
    view.settings = { ...view.settings, collector: '1.5' };
    expect([today, explained(view, 'far').summary]).toEqual([
      expect.stringContaining('will be deleted when the collector next looks at it'),
      'ConfigMap shop/far is not being deleted: its owner ConfigMap owner is in another namespace, where no owner counts, but the garbage collector of Kubernetes 1.5 does not act on that.',
    ]);
  });

  test('names all owners, and that the last one counts', () => {
    const yaml = `
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b}
- {kind: ConfigMap, name: both, owners: [v1 ConfigMap a, v1 ConfigMap b]}`;
    expect(summary(yaml, 'both')).toBe(
      'ConfigMap shop/both is not being deleted: ConfigMap a owns it, ConfigMap b owns it, and it is deleted when the last of its owners is.',
    );
  });

  test('an owner that cannot be seen is taken to exist, and that is said', () => {
    const view = blind(viewOf('- {kind: ConfigMap, name: kept, owners: [v1 Secret hidden]}'), 'Secret');
    expect(explained(view, 'kept').summary).toBe(
      'ConfigMap shop/kept is not being deleted, as far as can be seen: its owner Secret hidden cannot be seen and is taken to exist, and it is deleted when its owner is.',
    );
  });

  test('goes with its namespace', () => {
    const yaml = `
- {kind: Namespace, name: shop, namespace: "", deletionTimestamp: "2026-11-21T11:59:58Z", spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}
- {kind: ConfigMap, name: alone}`;
    expect(summary(yaml, 'alone')).toBe(
      'ConfigMap shop/alone will be deleted: its namespace shop is being deleted with everything in it.',
    );
  });

  test('a cycle of owners ends the way up', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, owners: [v1 ConfigMap b]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a]}
- {kind: ConfigMap, name: c, owners: [v1 ConfigMap a]}`);
    expect(chain(view, 'c')).toEqual([
      'ConfigMap c (there)',
      'owned by ConfigMap a (there)',
      'owned by ConfigMap b (there)',
      'owned by ConfigMap a (here a cycle of owners closes)',
    ]);
  });
});

describe('a deletion that gets on', () => {
  const deleting = (more: string): string =>
    nodes +
    pod('p', '', `, deletionTimestamp: "2026-11-21T12:00:20Z", deletionGracePeriodSeconds: 30${more}`);

  test('of a pod waits for its kubelet', () => {
    expect(summary(deleting(''), 'p')).toBe(
      'Pod shop/p is being deleted: its containers are in their grace period, and it stays until the kubelet of node-1 says that they have stopped.',
    );
  });

  test('of a pod with a finalizer waits for both, the kubelet first', () => {
    expect(summary(deleting(', finalizers: [example.com/drain]'), 'p')).toBe(
      'Pod shop/p is being deleted: its containers are in their grace period, and it stays until the kubelet of node-1 says that they have stopped, and then until example.com/drain is removed.',
    );
  });

  test('in the foreground names what it waits for', () => {
    const yaml = `${nodes}
- {kind: ConfigMap, name: web, deletionTimestamp: "2026-11-21T11:59:58Z", finalizers: [foregroundDeletion]}${pod('web-0', 'v1 ConfigMap web web +b', ', deletionTimestamp: "2026-11-21T12:00:28Z", deletionGracePeriodSeconds: 30')}`;
    expect(summary(yaml, 'web')).toBe(
      'ConfigMap shop/web is being deleted in the foreground and waits until Pod web-0 is deleted first.',
    );
    expect(chain(viewOf(yaml), 'web').slice(0, 2)).toEqual([
      'ConfigMap web (deleting in the foreground)',
      'blocked by Pod web-0 (deleting, blockOwnerDeletion: true)',
    ]);
  });
});

describe('an owner that is only heard of', () => {
  const stray = '- {kind: ConfigMap, name: stray, owners: [v1 Secret gone]}';

  test('does not exist, and what refers to it is named', () => {
    expect(summary(stray, 'gone')).toBe(
      "Secret shop/gone doesn't exist; ConfigMap stray still refers to it as owner.",
    );
  });

  test('may exist where its kind cannot be seen', () => {
    expect(explained(blind(viewOf(stray), 'Secret'), 'gone').summary).toBe(
      'Secret shop/gone cannot be seen, because its kind cannot be listed, so it may exist; ConfigMap stray still refers to it as owner.',
    );
  });

  test('may exist where its kind is not served', () => {
    const yaml = '- {kind: ConfigMap, name: stray, owners: [example.com/v1 Widget gone]}';
    expect(summary(yaml, 'gone')).toBe(
      "Widget shop/gone is of a kind that the API server doesn't serve (example.com/v1 Widget), so it is unknown whether it exists; ConfigMap stray still refers to it as owner.",
    );
  });

  test('of a cluster-scoped kind has no namespace', () => {
    const yaml = '- {kind: ConfigMap, name: stray, owners: [v1 Node gone]}';
    expect(summary(yaml, 'gone')).toMatch(/^Node gone doesn't exist;/u);
  });
});

describe('an object with findings', () => {
  test('is explained by the worst of them', () => {
    const yaml = '- {kind: ClusterRole, name: all, namespace: "", owners: [v1 ConfigMap gone]}';
    const { summary: told, telling, findings } = explained(viewOf(yaml), 'all');
    expect(telling?.code).toBe('NamespacedOwnerOfClusterScoped');
    expect(told).toBe(findings[0]?.message);
  });

  test('but not by what is merely worth knowing', () => {
    const yaml = `${nodes}
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: partly, owners: [v1 ConfigMap a, v1 ConfigMap gone]}`;
    const { summary: told, telling, findings } = explained(viewOf(yaml), 'partly');
    expect(findings.map(({ code }) => code)).toEqual(['PartlyDangling']);
    expect(telling).toBeUndefined();
    expect(told).toMatch(
      /^ConfigMap shop\/partly stays: ConfigMap a owns it\. .*ConfigMap gone doesn't exist\.$/u,
    );
  });
});
