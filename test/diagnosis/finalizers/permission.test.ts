/** Finalizers whose controller is there and may not remove them, as the API server says when it is asked. */
import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { LookUp, LookUpAnswer } from '../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../src/model/object.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';

const held = `
- {kind: ConfigMap, name: cart, finalizers: [example.com/drain], deletionTimestamp: '2026-11-21T11:30:00Z', deletionGracePeriodSeconds: 0}
- {kind: ConfigMap, name: basket, finalizers: [example.com/drain], deletionTimestamp: '2026-11-21T11:30:00Z', deletionGracePeriodSeconds: 0}
`;
const operator = (name: string, account: string): string =>
  `- {kind: Deployment, name: ${name}, namespace: tools, labels: {example.com/part: ${name}}, spec: {replicas: 1, template: {spec: {serviceAccountName: ${account}}}}, status: {replicas: 1, readyReplicas: 1}}\n`;

function live(yaml: string): ClusterView {
  const view = viewOf(yaml);
  view.settings = { ...view.settings, listsMayLag: true };
  return view;
}

/** What is asked until nothing is open, with one answer for each user. */
function ask(view: ClusterView, answerTo: (user: string, name: string) => LookUpAnswer['state']): LookUp[] {
  const asked = new Map<string, LookUp>();
  for (let round = 0; round < 6; round += 1) {
    const open = [...diagnoseCluster(view, now).assumptions()].filter(
      each => each.of === 'permission' && !view.absences.isAnswered(each),
    );
    for (const each of open) asked.set(`${each.user} ${each.name}`, each);
    const lookUps = open.map(lookUp => {
      const state = answerTo(lookUp.user ?? '', lookUp.name);
      const answer = (state === 'unknown' ? { state, reason: '403' } : { state }) as LookUpAnswer;
      return { lookUp, answer };
    });
    view.apply({ changes: [], lookUps }, 0);
  }
  return [...asked.values()];
}

function on(view: ClusterView, name: string): readonly Finding[] {
  return diagnoseCluster(view, now).of(name as Uid);
}

const drainer = 'system:serviceaccount:tools:drainer';

describe('a controller that may not remove its finalizer', () => {
  it('is told of, with the rule that is missing', () => {
    const view = live(held + operator('example', 'drainer'));
    const asked = ask(view, () => 'denied');
    // Of all objects at once, then of each, for which there may be a rule by name.
    expect(asked.map(({ user, namespace, name }) => `${user} ${namespace}/${name}`).sort()).toEqual([
      `${drainer} shop/`,
      `${drainer} shop/basket`,
      `${drainer} shop/cart`,
    ]);
    const [finding] = on(view, 'cart');
    expect(finding).toMatchObject({ code: 'FinalizerHandlerForbidden', severity: 'warning' });
    expect(finding?.message).toBe(
      'ConfigMap shop/cart is stuck: it is held by the finalizer example.com/drain, and Deployment tools/example seems to be the one that removes it, and its ServiceAccount tools/drainer may neither patch nor update configmaps in namespace shop.',
    );
    const [first] = finding?.remedies() ?? [];
    expect(first?.kubectl.map(({ words }) => words.join(' '))).toEqual([
      'kubectl create role drainer-patch-configmaps --verb=patch --verb=update --resource=configmaps -n shop',
      'kubectl create rolebinding drainer-patch-configmaps --role=drainer-patch-configmaps --serviceaccount=tools:drainer -n shop',
    ]);
    // Permissions are asked about again, as they may be granted: each of the two in all namespaces and in its own.
    expect([...diagnoseCluster(view, now).assumptions()]).toHaveLength(4);
  });

  it('is not told of where it may, by one request for all of them', () => {
    const view = live(held + operator('example', 'drainer'));
    expect(ask(view, () => 'allowed')).toHaveLength(1);
    expect(on(view, 'cart').map(({ code }) => code)).toEqual(['TerminatingHeldByFinalizer']);
    expect([...diagnoseCluster(view, now).assumptions()]).toEqual([]);
  });

  it('is not told of where a rule names the object, or nobody may ask', () => {
    const view = live(held + operator('example', 'drainer'));
    ask(view, (_, name) => (name === 'cart' ? 'allowed' : 'denied'));
    expect(on(view, 'cart').map(({ code }) => code)).toEqual(['TerminatingHeldByFinalizer']);
    expect(on(view, 'basket').map(({ code }) => code)).toEqual(['FinalizerHandlerForbidden']);
    const blind = live(held + operator('example', 'drainer'));
    expect(ask(blind, () => 'unknown')).toHaveLength(1);
    const [finding] = on(blind, 'cart');
    expect(finding).toMatchObject({ code: 'TerminatingHeldByFinalizer', certainty: 'exact' });
    expect([...diagnoseCluster(blind, now).assumptions()]).toEqual([]);
  });

  it('is not told of where another workload may be the one, and may', () => {
    const view = live(held + operator('example', 'drainer') + operator('example-hooks', 'hooks'));
    ask(view, user => (user === drainer ? 'denied' : 'allowed'));
    expect(on(view, 'cart').map(({ code }) => code)).toEqual(['TerminatingHeldByFinalizer']);
    const none = live(held + operator('example', 'drainer') + operator('example-hooks', 'hooks'));
    ask(none, () => 'denied');
    expect(on(none, 'cart').map(({ code }) => code)).toEqual(['FinalizerHandlerForbidden']);
  });

  const binding = (role: string): string =>
    `- {kind: ClusterRoleBinding, name: bound, namespace: '', subjects: [{kind: ServiceAccount, name: drainer, namespace: tools}], roleRef: {kind: ClusterRole, name: ${role}, apiGroup: rbac.authorization.k8s.io}}\n`;
  const role = (verbs: string, more = ''): string =>
    `- {kind: ClusterRole, name: drains, namespace: '', rules: [{apiGroups: [''], resources: [configmaps], verbs: [${verbs}]}]${more}}\n`;
  const codesOf = (yaml: string): string[] =>
    on(viewOf(held + operator('example', 'drainer') + yaml), 'cart').map(({ code }) => code);

  it('is found in files by the roles that are bound to it', () => {
    const forbidden = ['FinalizerHandlerForbidden'];
    expect(codesOf(binding('drains') + role('get, list'))).toEqual(forbidden);
    expect(codesOf(binding('gone'))).toEqual(forbidden);
    expect(codesOf(binding('drains').replace('drainer', 'other') + everyone)).toEqual(forbidden);
  });

  const everyone = `- {kind: ClusterRoleBinding, name: 'system:discovery', namespace: '', subjects: [{kind: Group, name: 'system:authenticated'}], roleRef: {kind: ClusterRole, name: 'system:discovery', apiGroup: rbac.authorization.k8s.io}}\n`;

  it('is not found in files that permit it, or that may lack what does', () => {
    const allowed = ['TerminatingHeldByFinalizer'];
    expect(codesOf(binding('drains') + role('get, update'))).toEqual(allowed);
    expect(codesOf(binding('drains') + role("'*'"))).toEqual(allowed);
    // The bindings of this account weren't collected.
    expect(codesOf(binding('drains').replace('drainer', 'other') + role('get'))).toEqual(allowed);
    expect(
      codesOf(
        binding('drains') +
          role('get', ', aggregationRule: {clusterRoleSelectors: [{matchLabels: {drains: "true"}}]}'),
      ),
    ).toEqual(allowed);
  });

  it('asks nothing of files', () => {
    const view = viewOf(held + operator('example', 'drainer'));
    expect([...diagnoseCluster(view, now).assumptions()]).toEqual([]);
    expect(on(view, 'cart').map(({ code }) => code)).toEqual(['TerminatingHeldByFinalizer']);
  });
});
