/** Finalizers of controllers that aren't there, on objects that live. */
import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { KubeObject, Uid } from '../../../../src/model/object.ts';
import { checkWords } from '../../../../src/text/diagnosis/check-lines.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';
import { diagnose, findings } from '../../subjects.ts';

const carts = `
- {kind: ConfigMap, name: cart, finalizers: [example.com/drain]}
- {kind: Secret, name: basket, finalizers: [example.com/drain]}
- {kind: ConfigMap, name: other, finalizers: [sample.org/copy]}
`;
const operator =
  '- {kind: Deployment, name: example-operator, namespace: tools, spec: {replicas: 1}, status: {readyReplicas: 0}}\n';

describe('a finalizer of a controller that is not there, on an object that lives', () => {
  it('is worth knowing, and one line for all that carry it', () => {
    const found = findings(carts, 'FinalizerHandlerAbsent');
    expect(found.map(({ id, severity }) => `${severity} ${id}`)).toEqual([
      'info FinalizerHandlerAbsent/Secret/shop/basket#example.com/drain',
      'info FinalizerHandlerAbsent/ConfigMap/shop/cart#example.com/drain',
      'info FinalizerHandlerAbsent/ConfigMap/shop/other#sample.org/copy',
    ]);
    const { listed, folds } = checkWords.foldAlike(found, 0);
    expect(listed.map(({ object }) => object.name)).toEqual(['other']);
    expect(folds.map(({ text }) => text)).toEqual([
      '2 × FinalizerHandlerAbsent, about Secret and ConfigMap: example.com/drain stays on each of them when it is deleted, because nothing in this cluster handles example.com (each with -o wide)',
    ]);
  });

  it('offers no request: the command that it shows tries one', () => {
    const [finding] = findings(carts, 'FinalizerHandlerAbsent');
    const remedies = finding?.remedies() ?? [];
    expect(remedies.map(({ id, risk, requests }) => `${risk} ${id} ${requests.length}`)).toEqual([
      'safe bring-back-controller/example.com/drain 0',
      'caution remove-before-deletion/example.com/drain 0',
    ]);
    expect(remedies.at(-1)?.kubectl[0]?.words.at(-1)).toBe('--dry-run=server');
  });

  it('is not told of where something of the controller is there, or cannot be seen', () => {
    const owners = (yaml: string, blind: readonly string[] = []): readonly string[] =>
      diagnose(yaml, blind)
        .filter(({ code }) => code === 'FinalizerHandlerAbsent')
        .map(({ object }) => object.name);
    expect(owners(carts + operator)).toEqual(['other']);
    for (const blind of [
      'deployments.apps',
      'daemonsets.apps',
      'statefulsets.apps',
      'validatingwebhookconfigurations.admissionregistration.k8s.io',
    ])
      expect(owners(carts, [blind])).toEqual([]);
  });

  it('comes when the controller goes, and goes when that comes back', () => {
    const view = viewOf(carts + operator);
    const diagnosis = diagnoseCluster(view, now);
    const codes = (): readonly string[] => diagnosis.of('cart' as Uid).map(({ code }) => code);
    expect(codes()).toEqual([]);
    const deployment = view.graph.get('example-operator' as Uid)?.object as KubeObject;
    const { uid, type } = deployment;
    diagnosis.apply(view.apply({ changes: [{ op: 'delete', uid, type }] }, now), now);
    expect(codes()).toEqual(['FinalizerHandlerAbsent']);
    diagnosis.apply(view.apply({ changes: [{ op: 'upsert', object: deployment }] }, now), now);
    expect(codes()).toEqual([]);
  });
});
