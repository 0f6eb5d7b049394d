import { describe, expect, it } from 'vitest';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { planDelete, viewOf } from '../fixtures.ts';

const shop = (pod: string, more = ''): string => `
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: Pod, name: held, ${pod} spec: {containers: [{name: main}]}, status: {phase: Pending}}
- {kind: ConfigMap, name: settings}
- {kind: Secret, name: key}${more}`;
const held = shop('finalizers: [example.com/hold],');

/** What a forecast of the namespace's deletion takes of the server for granted. */
function assumed(serverVersion: string | undefined, yaml: string, standsStill = false): string[] {
  const view = viewOf(yaml);
  view.settings = { ...view.settings, serverVersion, standsStill };
  return warningWords.all(planDelete(view, 'shop')).filter(words => words.startsWith('Assumed'));
}

describe('a forecast of a namespace whose pods are held', () => {
  it('names the feature gate that would change it', () => {
    expect(assumed('v1.32.13', held)).toEqual([
      'Assumed: the feature gate OrderedNamespaceDeletion of kube-controller-manager is off, as it is by default in Kubernetes 1.32. If it is on, nothing else in a namespace is deleted while a pod remains in it, and ConfigMap shop/settings and 1 more end otherwise.',
    ]);
    expect(assumed('v1.33.13', held)).toEqual([
      'Assumed: the feature gate OrderedNamespaceDeletion of kube-controller-manager is on, as it is by default in Kubernetes 1.33. If it is off, everything in a namespace is deleted at once, whether pods remain or not, and ConfigMap shop/settings and 1 more end otherwise.',
    ]);
  });

  it('depends on nothing where there is no gate, or it is locked', () => {
    for (const version of ['v1.29.6', 'v1.34.0', 'v1.38.0']) expect(assumed(version, held)).toEqual([]);
  });

  it('depends on nothing where the flags of kube-controller-manager tell', () => {
    const manager = (on: boolean): string => `
- {kind: Pod, name: kube-controller-manager-cp, namespace: kube-system, spec: {containers: [{name: main, command: [kube-controller-manager, --feature-gates=OrderedNamespaceDeletion=${on}]}]}}`;
    for (const on of [true, false])
      expect(assumed('v1.32.13', shop('finalizers: [example.com/hold],', manager(on)))).toEqual([]);
  });

  it('depends on the version where that is not known', () => {
    const words =
      "Assumed, because the server's version is not known: it is Kubernetes 1.33 or newer. Before that, everything in a namespace is deleted at once, whether pods remain or not, and ConfigMap shop/settings and 1 more end otherwise";
    expect(assumed(undefined, held)).toEqual([`${words}.`]);
    expect(assumed(undefined, held, true)).toEqual([`${words}; --server-version says which it is.`]);
  });

  it('depends on nothing where everything goes either way', () => {
    for (const version of ['v1.32.13', 'v1.33.13', undefined]) expect(assumed(version, shop(''))).toEqual([]);
  });
});

describe('a forecast for an owner of a cluster-scoped object', () => {
  const owned = `
- {kind: Namespace, name: shop, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}
- {kind: ConfigMap, name: owner}
- {kind: ClusterRole, name: role, namespace: "", owners: [v1 ConfigMap owner owner]}`;

  it('depends on the version where that is not known, or too old to be simulated', () => {
    expect(assumed(undefined, owned, true)).toEqual([
      "Assumed, because the server's version is not known: it is Kubernetes 1.20 or newer. Before that, such an owner of a cluster-scoped object counted as absent, and ClusterRole role ends otherwise; --server-version says which it is.",
    ]);
    expect(assumed('v1.19.16', owned, true)).toEqual([
      'Assumed, because what 1.19 does is not simulated: it is Kubernetes 1.20 or newer. Before that, such an owner of a cluster-scoped object counted as absent, and ClusterRole role ends otherwise.',
    ]);
    for (const version of ['v1.20.0', 'v1.36.3']) expect(assumed(version, owned)).toEqual([]);
    expect(assumed(undefined, owned.replace('v1 ConfigMap owner owner', ''))).toEqual([]);
  });
});
