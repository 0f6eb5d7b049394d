import { describe, expect, test } from 'vitest';
import type { Cascade } from '../../../src/forecast/action.ts';
import { Forecast } from '../../../src/forecast/plan/forecast-result.ts';

import { shellLine } from '../../../src/model/text/shell-line.ts';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { nodes, operator, planHandled, pod, titles, viewOf } from '../../forecast/fixtures.ts';

function plan(yaml: string, targets: string, cascade: Cascade = 'background'): Forecast {
  return planHandled(viewOf(nodes + yaml), targets, cascade);
}

/** `example.com/drain: running (Deployment ops/drain-operator)`, of everything that is held. */
function handlers({ terminating }: Pick<Forecast, 'terminating'>): string[] {
  return terminating.flatMap(({ object, handlers }) =>
    handlers.map(each => `${object.name}: ${each.finalizer} ${each.state} (${each.handler})`),
  );
}

const held = `
- {kind: ConfigMap, name: a, finalizers: [example.com/drain]}
- {kind: Secret, name: below, owners: [v1 ConfigMap a a +b]}
`;

describe('what a finalizer of its own holds', () => {
  test('depends on its handler where that runs, and what is deleted then is told', () => {
    const made = plan(held + operator(1), 'a');
    expect(made.outcome).toBe('Depends');
    expect(titles(made.deleted)).toEqual([]);
    expect(titles(made.terminating)).toEqual(['ConfigMap a']);
    expect(handlers(made)).toEqual(['a: example.com/drain running (Deployment ops/drain-operator)']);
    expect(titles(made.ifHandled?.deleted ?? [])).toEqual(['ConfigMap a', 'Secret below']);
    expect(made.ifHandled?.terminating).toEqual([]);
    expect(made.terminating[0]?.handlers[0]?.evidence).toEqual([
      'Deployment ops/drain-operator: 1 of 1 ready, recognised by its label example.com/part',
    ]);
  });

  test('is stuck where nothing of its handler is there, or none of it is ready', () => {
    const absent = plan(held, 'a');
    expect([absent.outcome, absent.ifHandled, ...handlers(absent)]).toEqual([
      'Stuck',
      undefined,
      'a: example.com/drain absent (the controller of example.com/drain)',
    ]);
    const down = plan(held + operator(0), 'a');
    expect([down.outcome, down.ifHandled, ...handlers(down)]).toEqual([
      'Stuck',
      undefined,
      'a: example.com/drain notReady (Deployment ops/drain-operator)',
    ]);
  });

  test('is stuck where one of several handlers is missing, and the others do their work', () => {
    const made = plan(
      `${operator(1)}\n- {kind: ConfigMap, name: a, finalizers: [example.com/drain, other.io/keep]}`,
      'a',
    );
    expect(made.outcome).toBe('Stuck');
    expect(handlers(made)).toEqual([
      'a: example.com/drain running (Deployment ops/drain-operator)',
      'a: other.io/keep absent (the controller of other.io/keep)',
    ]);
    expect(made.ifHandled?.terminating.map(({ finalizers }) => finalizers)).toEqual([['other.io/keep']]);
  });

  test('depends on a controller that is taken to run outside', () => {
    const made = plan(
      '- {kind: Service, name: edge, finalizers: [service.kubernetes.io/load-balancer-cleanup]}',
      'edge',
    );
    expect([made.outcome, ...handlers(made)]).toEqual([
      'Depends',
      "edge: service.kubernetes.io/load-balancer-cleanup outside (the cloud provider's controller manager)",
    ]);
  });

  test('goes on from there: a foreground deletion, and a namespace that empties', () => {
    const foreground = plan(
      `${operator(1)}
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: a, finalizers: [example.com/drain], owners: [v1 ConfigMap top top +b]}`,
      'top',
      'foreground',
    );
    expect(titles(foreground.terminating)).toEqual(['ConfigMap a', 'ConfigMap top']);
    expect(titles(foreground.ifHandled?.deleted ?? [])).toEqual(['ConfigMap a', 'ConfigMap top']);
    const namespace = plan(held + operator(1), 'shop');
    expect([namespace.outcome, titles(namespace.ifHandled?.deleted ?? [])]).toEqual([
      'Depends',
      ['Namespace shop', 'ConfigMap a', 'Secret below'],
    ]);
  });
});

describe('what only begins to be deleted when a handler has done its work', () => {
  const podFirst = `${held}${pod('p', '', ', finalizers: [example.com/drain]')}`;

  test('is held and handled in turn, as where pods hold up the rest of a namespace', () => {
    const made = plan(podFirst + operator(1), 'shop');
    expect(titles(made.terminating)).toEqual(['Namespace shop', 'Pod p']);
    expect([made.outcome, titles(made.ifHandled?.deleted ?? [])]).toEqual([
      'Depends',
      ['Namespace shop', 'ConfigMap a', 'Pod p', 'Secret below'],
    ]);
  });

  test('is held for good where the handler goes only then', () => {
    const outside = `${held}${pod('p', '', ', finalizers: [service.kubernetes.io/load-balancer-cleanup]')}`;
    const made = plan(outside + operator(1, 'shop'), 'shop');
    expect(made.outcome).toBe('Stuck');
    expect(handlers(made)).toEqual([
      "p: service.kubernetes.io/load-balancer-cleanup outside (the cloud provider's controller manager)",
    ]);
    expect(handlers(made.ifHandled ?? { terminating: [] })).toEqual([
      'a: example.com/drain goesToo (Deployment shop/drain-operator)',
    ]);
    expect(made.alarms).toMatchObject([{ code: 'handlerGoesToo', objects: [{ name: 'a' }] }]);
  });
});

describe('a handler that is deleted by the same action', () => {
  test.each([
    ['a drain-operator', 'Deployment ops/drain-operator is deleted too', 'ops'],
    ['shop', 'Deployment shop/drain-operator is deleted too', 'shop'],
    ['a ops', 'Deployment ops/drain-operator is deleted too', 'ops'],
  ])('does not count: deleting %s', (targets, loss, namespace) => {
    const made = plan(held + operator(1, namespace), targets);
    expect(made.outcome).toBe('Stuck');
    expect(handlers(made)).toEqual([`a: example.com/drain goesToo (Deployment ${namespace}/drain-operator)`]);
    expect(made.terminating.flatMap(each => each.handlers.flatMap(({ evidence }) => evidence))).toContain(
      loss,
    );
  });

  test.each([
    [
      'a drain-operator',
      'ConfigMap shop/a may never be deleted: Deployment ops/drain-operator is deleted too, so that the removal may come too late (finalizer example.com/drain). Delete ConfigMap shop/a first, wait until it is gone, then delete the rest: kubectl delete configmap/a -n shop --cascade=background && kubectl delete deployment/drain-operator -n ops --cascade=background',
    ],
    [
      'shop ops',
      'ConfigMap shop/a may never be deleted: Deployment ops/drain-operator is deleted too, so that the removal may come too late (finalizer example.com/drain). Delete ConfigMap shop/a first, wait until it is gone, then delete the rest: kubectl delete configmap/a -n shop --cascade=background && kubectl delete namespace/shop namespace/ops --cascade=background',
    ],
  ])(
    'is warned of in front of everything else, with the order that works: deleting %s',
    (targets, warning) => {
      const [first] = warningWords.all(plan(held + operator(1), targets));
      expect(first).toBe(warning);
    },
  );

  test('has all objects of a kind deleted first where all of them need it', () => {
    const several = `
- {kind: ConfigMap, name: a, finalizers: [example.com/drain]}
- {kind: ConfigMap, name: b, finalizers: [example.com/drain]}
`;
    const made = plan(several + operator(1, 'shop'), 'shop');
    const [alarm] = made.alarms;
    expect(alarm?.code === 'handlerGoesToo' && shellLine(alarm.order)).toBe(
      'kubectl delete configmap --all -n shop && kubectl delete namespace/shop --cascade=background',
    );
  });

  test('is told where the handler takes itself away by what it removes', () => {
    const owned = operator(1, 'shop').replace('generation: 1', 'owners: [v1 ConfigMap a a], generation: 1');
    const other = '- {kind: ConfigMap, name: b, finalizers: [example.com/drain]}';
    const told = (targets: string): string[] =>
      warningWords.all(plan(held + owned + other, targets)).filter(each => each.includes('may not all'));
    expect(told('a b')).toEqual([
      '2 objects may not all be deleted (ConfigMap shop/a and ConfigMap shop/b): once their finalizer example.com/drain is removed from some of them, Deployment shop/drain-operator is deleted too, so that the removal may come too late.',
    ]);
    expect(told('a')).toEqual([]);
    expect(told('b')).toEqual([]);
  });

  test('is named where it is not known to run, and has to act on what is deleted only once others have', () => {
    const below = (finalizers: string): string =>
      `- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a], finalizers: [${finalizers}]}\n`;
    const told = (objects: string): string[] =>
      warningWords.all(plan(held + operator(1) + objects, 'a')).filter(each => each.includes('follows from'));
    expect(told(below('service.kubernetes.io/load-balancer-cleanup'))).toEqual([
      "What follows from the work of handlers depends on finalizer service.kubernetes.io/load-balancer-cleanup of ConfigMap shop/b, too: the cloud provider's controller manager removes it, which cannot be seen from here; it is taken to run.",
    ]);
    expect(told(below('example.com/hold'))).toEqual([]);
    expect(told(below('example.com/drain'))).toEqual([]);
    expect(told(below(''))).toEqual([]);
  });

  test('counts as that whether it was ready or not', () => {
    const made = plan(held + operator(0), 'a drain-operator');
    expect(handlers(made)).toEqual(['a: example.com/drain goesToo (Deployment ops/drain-operator)']);
  });

  test('leaves it open where another workload could be the one', () => {
    const made = plan(held + operator(1) + operator(1, 'shop', 'other'), 'a drain-operator');
    expect([made.outcome, Forecast.dependsOnUnknown(made)]).toEqual(['Depends', true]);
  });
});

describe('what a handler needs besides its workload', () => {
  const surroundings = `${operator(1)}
- {kind: ServiceAccount, name: default, namespace: ops}
- {kind: ClusterRole, name: ops-drain-operator, uid: role, namespace: ""}
- {kind: ClusterRoleBinding, name: ops-drain-operator, uid: binding, namespace: ""}
- {kind: RoleBinding, name: drain-operator, uid: here}
- {kind: RoleBinding, name: drain-operator, namespace: ops, uid: elsewhere}
- {kind: Service, name: admission, namespace: ops}
- kind: ValidatingWebhookConfiguration
  name: guard
  namespace: ""
  webhooks:
  - name: guard.example.com
    failurePolicy: Fail
    clientConfig: {service: {namespace: ops, name: admission}}
    rules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps]}]
`;

  test.each([
    ['default', 'ServiceAccount ops/default, as which Deployment ops/drain-operator runs, is deleted too'],
    [
      'binding',
      'ClusterRoleBinding ops-drain-operator, which by its name permits Deployment ops/drain-operator what it does, is deleted too',
    ],
    [
      'here',
      'RoleBinding shop/drain-operator, which by its name permits Deployment ops/drain-operator what it does, is deleted too',
    ],
    [
      'admission',
      'ValidatingWebhookConfiguration guard has every change of it refused then, because the Service ops/admission that must be called is deleted too',
    ],
  ])('is missed where it is deleted too: %s', (uid, loss) => {
    const made = plan(held + surroundings, `a ${uid}`);
    expect([made.outcome, ...handlers(made)]).toEqual([
      'Stuck',
      'a: example.com/drain goesToo (Deployment ops/drain-operator)',
    ]);
    expect(made.terminating[0]?.handlers[0]?.evidence.at(-1)).toBe(loss);
  });

  const granted = `${operator(1)}
- kind: ClusterRole
  name: keeper
  namespace: ""
  rules: [{verbs: [patch], apiGroups: [""], resources: [configmaps]}]
- kind: RoleBinding
  name: tools
  roleRef: {kind: ClusterRole, name: keeper}
  subjects: [{kind: ServiceAccount, namespace: ops, name: default}]
- kind: RoleBinding
  name: drain-operator
  uid: named
  roleRef: {kind: Role, name: leader}
  subjects: [{kind: ServiceAccount, namespace: ops, name: default}]
- {kind: Role, name: leader, rules: [{verbs: ['*'], apiGroups: [coordination.k8s.io], resources: [leases]}]}
`;

  test.each([
    ['tools', 'RoleBinding shop/tools'],
    ['keeper', 'ClusterRole keeper'],
  ])('is missed whatever it is called, where it permits the removal: %s', (uid, title) => {
    const made = plan(held + granted, `a ${uid}`);
    expect([made.outcome, made.terminating[0]?.handlers[0]?.evidence.at(-1)]).toEqual([
      'Stuck',
      `${title}, which permits Deployment ops/drain-operator to change configmaps, is deleted too`,
    ]);
  });

  test.each(['leader', 'named'])('is not missed where it permits something else: %s', uid => {
    expect(plan(held + granted, `a ${uid}`).outcome).toBe('Depends');
  });

  test('is not missed where another binding permits the same', () => {
    const everywhere = `
- kind: ClusterRoleBinding
  name: all
  namespace: ""
  roleRef: {kind: ClusterRole, name: admin}
  subjects: [{kind: Group, name: 'system:serviceaccounts:ops'}]
- {kind: ClusterRole, name: admin, namespace: "", rules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*']}]}
`;
    expect(plan(held + granted + everywhere, 'a tools').outcome).toBe('Depends');
    expect(plan(held + granted + everywhere, 'a all').outcome).toBe('Depends');
    expect(plan(held + granted + everywhere, 'a tools all').outcome).toBe('Stuck');
  });

  test('is not missed where it is what is held itself', () => {
    const itself = granted
      .replace('  name: tools\n', '  name: tools\n  finalizers: [example.com/drain]\n')
      .replace('[configmaps]', '["*"]')
      .replace('apiGroups: [""]', 'apiGroups: ["*"]');
    expect(plan(itself, 'tools').outcome).toBe('Depends');
    expect(plan(held + itself, 'a tools').outcome).toBe('Stuck');
  });

  test.each(['elsewhere', 'guard'])('is not missed where it stands for something else: %s', uid => {
    expect(plan(held + surroundings, `a ${uid}`).outcome).toBe('Depends');
  });

  test('is there again where the action takes away the webhook that has every change refused', () => {
    const stopped = held + surroundings.replace('- {kind: Service, name: admission, namespace: ops}\n', '');
    expect(plan(stopped, 'a').outcome).toBe('Stuck');
    expect(plan(stopped, 'guard a').outcome).toBe('Depends');
  });

  test('is missed where a webhook has every change refused already', () => {
    const made = plan(
      held + surroundings.replace('- {kind: Service, name: admission, namespace: ops}\n', ''),
      'a',
    );
    expect([made.outcome, ...handlers(made)]).toEqual([
      'Stuck',
      'a: example.com/drain notReady (Deployment ops/drain-operator)',
    ]);
    expect(made.terminating[0]?.handlers[0]?.evidence.at(-1)).toBe(
      "ValidatingWebhookConfiguration guard has every change of it refused, because the Service ops/admission that must be called doesn't exist",
    );
  });
});
