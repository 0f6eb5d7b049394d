/** What webhooks and policies do to a forecast: what they stop, what stays then, and what they may stop. */
import { describe, expect, it } from 'vitest';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { operator, planDelete, planHandled, titles, viewOf, waits } from '../fixtures.ts';

const shop =
  '- {kind: Namespace, name: shop, namespace: "", labels: {kubernetes.io/metadata.name: shop}, spec: {finalizers: [kubernetes]}, status: {phase: Active}}';
const service =
  '- {kind: Service, name: keep, uid: service, namespace: tools, spec: {selector: {app: keep}}}';
const pod =
  '- {kind: Pod, name: keep-1, namespace: tools, labels: {app: keep}, spec: {nodeName: node-1, terminationGracePeriodSeconds: 1}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}';
const tools =
  '- {kind: Namespace, name: tools, namespace: "", spec: {finalizers: [kubernetes]}, status: {phase: Active}}';
const node =
  '- {kind: Node, name: node-1, namespace: "", status: {conditions: [{type: Ready, status: "True"}]}}';

const rule = (operations: string, resources = 'configmaps'): string =>
  `{operations: [${operations}], apiGroups: ["*"], apiVersions: [v1], resources: [${resources}]}`;

function webhook(rules: string, more = '', kind = 'ValidatingWebhookConfiguration'): string {
  return `- {kind: ${kind}, name: keep, namespace: '', webhooks: [{name: keep.example.com, clientConfig: {service: {namespace: tools, name: keep}}, rules: [${rules}]${more}}]}`;
}

function policy(
  conditions: string,
  validations = '[{expression: "false"}]',
  action = 'Deny',
  more = '',
): string {
  return `
- {kind: ValidatingAdmissionPolicy, name: strict, namespace: '', spec: {matchConstraints: {resourceRules: [${rule('DELETE')}]}, matchConditions: [${conditions}], validations: ${validations}${more}}}
- {kind: ValidatingAdmissionPolicyBinding, name: everywhere, namespace: '', spec: {policyName: strict, validationActions: [${action}]}}`;
}

const family = `
- {kind: ConfigMap, name: owner}
- {kind: ConfigMap, name: below, owners: [v1 ConfigMap owner owner +b], labels: {tier: data}}`;

const world = (...parts: readonly string[]): ReturnType<typeof viewOf> =>
  viewOf(`${[shop, family, ...parts].join('\n')}\n`);

const dead = ({ refused }: ReturnType<typeof planDelete>): string[] =>
  refused.map(each => `${each.operation} ${each.object.name} by ${each.actor}`);

const choosesBelow = ', objectSelector: {matchLabels: {tier: data}}';

describe('a webhook that must be called and is dead', () => {
  it('refuses the user, or the collector, or nobody', () => {
    const all = planDelete(world(webhook(rule('DELETE'))), 'owner');
    expect([all.outcome, warningWords.all(all)[0]]).toEqual([
      'Refused',
      expect.stringContaining(
        `failed calling webhook "keep.example.com": its Service tools/keep doesn't exist`,
      ),
    ]);
    const some = planDelete(
      world(webhook(rule('DELETE'), ', objectSelector: {matchLabels: {tier: data}}')),
      'owner',
    );
    expect([some.outcome, titles(some.deleted), dead(some)]).toEqual([
      'Stuck',
      ['ConfigMap owner'],
      ['DELETE below by garbage-collector'],
    ]);
    expect(planDelete(world(webhook(rule('DELETE'), ', failurePolicy: Ignore')), 'owner').outcome).toBe(
      'Completes',
    );
    expect(planDelete(world(webhook(rule('CREATE'))), 'owner').outcome).toBe('Completes');
    expect(planDelete(world(webhook(rule('DELETE', 'configmaps/status'))), 'owner').outcome).toBe(
      'Completes',
    );
  });

  it('holds a foreground deletion and an orphaning, and is named where they wait', () => {
    const updates = webhook(
      rule('UPDATE'),
      ', objectSelector: {matchExpressions: [{key: tier, operator: DoesNotExist}]}',
    );
    const foreground = planDelete(world(updates), 'owner', 'foreground');
    expect([foreground.outcome, titles(foreground.deleted)]).toEqual(['Stuck', ['ConfigMap below']]);
    expect(waits(foreground, 'ConfigMap owner')).toEqual([
      "the UPDATE by garbage-collector, which is refused: ValidatingWebhookConfiguration keep must be called (webhook keep.example.com), and its Service tools/keep doesn't exist",
    ]);
    const dependents = webhook(rule('UPDATE'), ', objectSelector: {matchLabels: {tier: data}}');
    const orphan = planDelete(world(dependents), 'owner', 'orphan');
    expect(orphan.outcome).toBe('Stuck');
    expect(waits(orphan, 'ConfigMap owner')?.[0]).toContain(
      'ConfigMap below, about which the UPDATE by garbage-collector is refused',
    );
  });

  it('is asked only where its namespaces and conditions say so', () => {
    const at = (name: string): string =>
      `, namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${name}}}`;
    expect(planDelete(world(webhook(rule('DELETE'), at('shop'))), 'owner').outcome).toBe('Refused');
    expect(planDelete(world(webhook(rule('DELETE'), at('other'))), 'owner').outcome).toBe('Completes');
    const only = (expression: string): string =>
      `, matchConditions: [{name: only, expression: ${JSON.stringify(expression)}}]`;
    const collector = "request.userInfo.username.endsWith('garbage-collector')";
    const sure = planDelete(
      world(webhook(rule('DELETE'), only("'system:nodes' in request.userInfo.groups"))),
      'owner',
    );
    expect(dead(sure)).toEqual([]);
    // It may be the one account or the other.
    const unsure = planDelete(world(webhook(rule('DELETE'), only(collector))), 'owner');
    expect([unsure.outcome, dead(unsure)]).toEqual(['Completes', []]);
    expect(warningWords.all(unsure).join('\n')).toContain(
      "Assumed: ValidatingWebhookConfiguration keep (webhook keep.example.com) lets requests pass, such as DELETE of ConfigMap shop/owner: its Service tools/keep doesn't exist, and it is unknown whether it is asked about this.",
    );
  });

  it('names what ends otherwise where it refuses, though it is taken to let requests pass', () => {
    const dependent = (more: string, targets = 'owner'): string[] =>
      planDelete(
        world(tools, service, pod, node, webhook(rule('DELETE'), more)),
        targets,
      ).dependsOnAdmission.map(({ name }) => name);
    expect(dependent(choosesBelow)).toEqual(['below']);
    expect(dependent('')).toEqual(['below', 'owner']);
    expect(dependent(', objectSelector: {matchLabels: {tier: other}}')).toEqual([]);
    // What handlers remove is asked about, too.
    const held = world(
      tools,
      service,
      pod,
      node,
      operator(1),
      '- {kind: ConfigMap, name: held, finalizers: [example.com/drain], labels: {tier: data}}',
      webhook(rule('UPDATE'), choosesBelow),
    );
    const { outcome, dependsOnAdmission } = planHandled(held, 'held');
    expect([outcome, dependsOnAdmission.map(({ name }) => name)]).toEqual(['Depends', ['held']]);
  });

  it('refuses in other versions too, unless only the very one counts', () => {
    const old = rule('DELETE').replace('[v1]', '[v1beta1]');
    const lease = '- {kind: HorizontalPodAutoscaler, name: scaler}';
    const hpas = rule('DELETE', 'horizontalpodautoscalers');
    expect(planDelete(world(lease, webhook(hpas)), 'scaler').outcome).toBe('Refused');
    expect(planDelete(world(webhook(old)), 'owner').outcome).toBe('Completes');
  });

  it('is never asked about what admission is made of', () => {
    const view = world(webhook(rule('"*"', '"*"').replace('[v1]', '["*"]')), policy(''));
    for (const each of ['keep', 'strict', 'everywhere'])
      expect(planDelete(view, each).outcome).toBe('Completes');
    expect(planDelete(view, 'owner').outcome).toBe('Refused');
  });

  it('keeps what is deleted with its workload from being created again', () => {
    const view = viewOf(`
${shop}
${node}
- {kind: ReplicaSet, name: web, generation: 1, spec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}}, status: {replicas: 1}}
- {kind: Pod, name: web-1, labels: {app: web}, owners: [apps/v1 ReplicaSet web +c +b], spec: {nodeName: node-1}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
${webhook(rule('CREATE', 'pods'))}
`);
    const plan = planDelete(view, 'web-1');
    expect([plan.outcome, plan.recreated]).toEqual(['Completes', []]);
    expect(warningWords.all(plan).join('\n')).toContain(
      'No Pod can be created: ValidatingWebhookConfiguration keep',
    );
  });
});

describe('a webhook that answers', () => {
  it('may refuse or not: the forecast says whom it asks', () => {
    const plan = planDelete(world(node, service, pod, webhook(rule('DELETE'))), 'owner');
    expect(plan.outcome).toBe('Completes');
    expect(warningWords.all(plan).join('\n')).toContain('what it answers is not known');
    const other = planDelete(world(node, service, pod, webhook(rule('DELETE', 'secrets'))), 'owner');
    expect(warningWords.all(other)).toEqual([]);
  });

  it.each([
    ['its namespace', 'tools'],
    ['its Service', 'service'],
    ['its pod', 'keep-1'],
  ])('is told of in front where %s goes and it stays', (_what, target) => {
    const view = viewOf(`${[shop, tools, node, service, pod, webhook(rule('DELETE'))].join('\n')}\n`);
    const plan = planDelete(view, target);
    expect(plan.alarms.map(({ code }) => code)).toEqual(['webhookLeftBehind']);
    expect(warningWords.all(plan)[0]).toContain('refuses every DELETE of configmaps');
    const both = planDelete(view, `keep ${target}`);
    expect(both.alarms).toEqual([]);
  });

  it('may answer over an open connection when only its Service goes', () => {
    const view = world(node, service, pod, webhook(rule('DELETE'), choosesBelow));
    const plan = planDelete(view, 'service owner');
    expect([plan.outcome, dead(plan)]).toEqual(['Completes', []]);
    expect(warningWords.all(plan).join('\n')).toContain('what it answers is not known');
  });

  it('dies with its pods before the rest of its namespace is emptied, which then gets stuck', () => {
    const view = viewOf(
      `${[tools, node, service, pod, '- {kind: ConfigMap, name: settings, namespace: tools}', webhook(rule('DELETE'))].join('\n')}\n`,
    );
    const plan = planDelete(view, 'tools');
    expect([plan.outcome, dead(plan)]).toEqual(['Stuck', ['DELETE settings by namespace-controller']]);
    expect(waits(plan, 'Namespace tools')?.join('\n')).toContain(
      'ConfigMap settings, about which the DELETE by namespace-controller is refused',
    );
    const ignored = planDelete(
      viewOf(`${[tools, node, service, pod, webhook(rule('DELETE', 'secrets'))].join('\n')}\n`),
      'tools',
    );
    expect(ignored.outcome).toBe('Completes');
  });

  it('cannot be asked about the end of its own last pod', () => {
    const view = viewOf(`${[tools, node, service, pod, webhook(rule('DELETE', 'pods'))].join('\n')}\n`);
    const plan = planDelete(view, 'keep-1');
    expect([plan.outcome, dead(plan)]).toEqual(['Stuck', ['DELETE keep-1 by kubelet']]);
  });
});

describe('a policy', () => {
  it('denies where it is bound to, and what it demands is certainly not so', () => {
    const gc = '{name: only, expression: "request.userInfo.groups.exists(g, g.startsWith(\'system:\'))"}';
    expect(planDelete(world(policy('')), 'owner').outcome).toBe('Refused');
    const collector = planDelete(world(policy(gc)), 'owner');
    expect([collector.outcome, dead(collector)]).toEqual(['Stuck', ['DELETE below by garbage-collector']]);
    expect(planDelete(world(policy('', undefined, 'Warn')), 'owner').outcome).toBe('Completes');
    expect(planDelete(world(policy('').split('\n').slice(0, 2).join('\n')), 'owner').outcome).toBe(
      'Completes',
    );
    expect(planDelete(world(policy('', '[{expression: "true"}]')), 'owner').warnings).toEqual([]);
  });

  it.each([
    ['an expression that is not judged', policy('', '[{expression: "oldObject.data.x == \'1\'"}]')],
    ['parameters', policy('', undefined, 'Deny', ', paramKind: {apiVersion: v1, kind: ConfigMap}')],
    [
      'parameters that may be missing',
      policy('', undefined, 'Audit', ', paramKind: {apiVersion: v1, kind: ConfigMap}').replace(
        '[Audit]',
        '[Audit], paramRef: {name: limits, parameterNotFoundAction: Deny}',
      ),
    ],
  ])('may deny with %s, which is said', (_what, manifests) => {
    const plan = planDelete(world(manifests), 'owner');
    expect(plan.outcome).toBe('Completes');
    expect(warningWords.all(plan).join('\n')).toContain(
      'ValidatingAdmissionPolicyBinding everywhere (policy strict)',
    );
  });

  it('names what it works out before', () => {
    const composed = policy(
      '',
      '[{expression: "variables.mine || !variables.named"}]',
      'Deny',
      ', variables: [{name: named, expression: "oldObject.metadata.name == \'below\'"}, {name: mine, expression: "!variables.named"}]',
    );
    expect(dead(planDelete(world(composed), 'owner'))).toEqual(['DELETE below by garbage-collector']);
  });
});

describe('a handler', () => {
  it('does not end what it handles where its removal is refused', () => {
    const held = '- {kind: ConfigMap, name: held, finalizers: [example.com/drain]}';
    const plan = planHandled(
      viewOf(`${[shop, operator(1), held, webhook(rule('UPDATE'))].join('\n')}\n`),
      'held',
    );
    expect([plan.outcome, plan.terminating[0]?.handlers[0]?.state]).toEqual(['Stuck', 'notReady']);
    const denied = viewOf(
      `${[shop, operator(1), held, policy('').replace('[DELETE]', '[UPDATE]')].join('\n')}\n`,
    );
    const told = planHandled(denied, 'held');
    expect([told.outcome, told.terminating[0]?.handlers[0]?.state]).toEqual(['Stuck', 'notReady']);
    expect(told.terminating[0]?.handlers[0]?.words).toContain('has the removal denied (policy strict)');
  });
});
