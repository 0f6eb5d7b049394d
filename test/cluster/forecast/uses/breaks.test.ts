/** What breaks for those who use a deleted object: the forecast says so before, and the control plane shows it after. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import relations from '../../../../src/diagnosis/uses/relations.json' with { type: 'json' };
import type { Relation } from '../../../../src/diagnosis/uses/relations.ts';
import type { WebhookBackend } from '../../../conformance/worlds/random-worlds.ts';
import { Webhooks } from '../../../conformance/worlds/webhooks.ts';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { guardFolder } from '../../../harness/processes/watchdog.ts';
import { eventually } from '../../eventually.ts';
import { breakLine, breaksOf as breaksIn } from './breaks-of.ts';

const relationRows = relations as readonly Relation[];

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly kind: string }[];
}

const pod = (extra: string): string => `{containers: [{name: main, image: registry.example/app}], ${extra}}`;
const deployment = (name: string, extra: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template: {metadata: {labels: {app: ${name}}}, spec: ${pod(extra)}}
---`;

/** A policy on ConfigMaps in a namespace of its own, whose binding takes parameters from other ConfigMaps there. */
function parameterized(name: string, sort: string, failurePolicy: string, reference: string): string {
  const rule =
    sort === 'Validating'
      ? "validations: [{expression: 'object.metadata.name != params.data.bad'}]"
      : `reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'rule': params.data.bad}}}"}`;
  const rules = [name, `other-${name}`].map(
    each => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${each}, namespace: ${name}, labels: {of: ${name}}}
data: {bad: bad}
---`,
  );
  return `
apiVersion: v1
kind: Namespace
metadata: {name: ${name}}
---${rules.join('')}
apiVersion: admissionregistration.k8s.io/v1
kind: ${sort}AdmissionPolicy
metadata: {name: ${name}}
spec:
  failurePolicy: ${failurePolicy}
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: ${name}}}
  ${rule}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ${sort}AdmissionPolicyBinding
metadata: {name: ${name}}
spec:
  policyName: ${name}
  paramRef: {${reference}}
  ${sort === 'Validating' ? 'validationActions: [Deny]' : ''}
`;
}

/** A definition of two versions, and the Service of what converts them. */
function converting({ port, caBundle }: WebhookBackend): string {
  const versions = ['v1', 'v2'].map(
    name =>
      `{name: ${name}, served: true, storage: ${name === 'v1'}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`,
  );
  return `
apiVersion: v1
kind: Service
metadata: {name: converter, namespace: default}
spec: {type: ExternalName, externalName: localhost, ports: [{port: ${port}}]}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: dials.example.com}
spec:
  group: example.com
  names: {kind: Dial, plural: dials}
  scope: Namespaced
  versions: [${versions.join(', ')}]
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {caBundle: ${caBundle}, service: {name: converter, namespace: default, port: ${port}, path: /convert}}
`;
}

const refused =
  'the API server refuses every request that it would check with it (parameterNotFoundAction: Deny)';
const parameterCases = (
  [
    [
      'denied',
      'Validating',
      'Fail',
      'name: denied, namespace: denied, parameterNotFoundAction: Deny',
      refused,
    ],
    ['own-namespace', 'Validating', 'Fail', 'name: own-namespace, parameterNotFoundAction: Deny', refused],
    [
      'selected',
      'Validating',
      'Fail',
      'selector: {matchLabels: {of: selected}}, parameterNotFoundAction: Deny',
      refused,
    ],
    ['changed', 'Mutating', 'Fail', 'name: changed, parameterNotFoundAction: Deny', refused],
    [
      'allowed',
      'Validating',
      'Fail',
      'name: allowed, parameterNotFoundAction: Allow',
      'its policy is skipped (parameterNotFoundAction: Allow)',
    ],
    [
      'ignored',
      'Validating',
      'Ignore',
      'name: ignored, parameterNotFoundAction: Deny',
      'its policy is skipped (failurePolicy: Ignore)',
    ],
  ] as const
).map(([name, sort, failure, reference, because]) => ({ name, sort, failure, reference, because }));

describe('what breaks', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const kubectl = (...args: readonly string[]): Promise<string> => cluster.kubectl(args);
  const breaksOf = async (target: string, namespace?: string): Promise<readonly string[]> =>
    (await breaksIn(kubeconfig, target, namespace)).map(breakLine);
  const json = async <T>(...args: readonly string[]): Promise<T> =>
    JSON.parse(await kubectl(...args, '-o', 'json')) as T;
  const ready = async (name: string): Promise<void> => {
    await eventually(async () =>
      expect(await kubectl('get', `deployment/${name}`, '-o', 'jsonpath={.status.readyReplicas}')).toBe('2'),
    );
  };
  /** Scales up, and returns why the ReplicaSet can't create a pod. */
  const refusalOfNewPods = async (name: string): Promise<string> => {
    await kubectl('scale', `deployment/${name}`, '--replicas=3');
    let message = '';
    await eventually(async () => {
      const { items } = await json<{ items: readonly { status: { conditions?: readonly Condition[] } }[] }>(
        'get',
        'replicasets',
        '-l',
        `app=${name}`,
      );
      const failure = items
        .flatMap(each => each.status.conditions ?? [])
        .find(each => each.type === 'ReplicaFailure');
      message = failure?.message ?? '';
      expect(message).not.toBe('');
    });
    return message;
  };

  interface Condition {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }

  beforeAll(async () => {
    cluster = await startControlPlane({
      nodes: 2,
      apiServerFlags: ['--disable-admission-plugins=DenyServiceExternalIPs'],
    });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules: [{apiGroups: [''], resources: [pods], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: robot-reads, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: robot, namespace: default}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: gold}
value: 1000
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: sandbox}
handler: sandbox
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web, namespace: default}
spec: {minReplicas: 2, maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: v1
kind: Service
metadata: {name: backend, namespace: default}
spec: {ports: [{port: 443}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-bad-names}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "object.metadata.name != 'bad'"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: everywhere}
spec: {policyName: no-bad-names, validationActions: [Deny]}
---
${deployment('web', '')}
${deployment('rich', 'priorityClassName: gold')}
${deployment('boxed', 'runtimeClassName: sandbox')}
${deployment('acting', 'serviceAccountName: robot')}
`);
    for (const name of ['web', 'rich', 'boxed', 'acting']) await ready(name);
  });
  afterAll(() => cluster?.stop());

  it('every field of a relation of a built-in kind is in the schema of the API server', async () => {
    const { definitions } = await cluster.api.json<{
      readonly definitions: Readonly<Record<string, Schema>>;
    }>({
      path: '/openapi/v2',
    });
    const byKind = new Map<string, Schema>();
    for (const schema of Object.values(definitions))
      for (const { group, kind } of schema['x-kubernetes-group-version-kind'] ?? [])
        if (schema.properties?.['metadata'] !== undefined)
          byKind.set(group === '' ? kind : `${group}/${kind}`, schema);
    const resolved = ({ $ref, items, ...schema }: Schema): Schema => {
      if (items !== undefined) return resolved(items);
      return $ref === undefined ? schema : (definitions[$ref.split('/').at(-1) ?? ''] ?? {});
    };
    const isKnown = (kind: string): boolean => kind === 'pods' || byKind.has(kind);
    // Kinds of other groups have a definition.
    const isOfServedGroup = (kind: string): boolean =>
      !kind.includes('/') || [...byKind.keys()].some(each => each.startsWith(`${kind.split('/')[0]}/`));
    const checked: string[] = [];
    for (const { by, uses, kinds = [], at, to, key = 'name', selects } of relationRows) {
      if (!isKnown(by) || !isKnown(uses)) continue;
      const path = [
        ...(by === 'pods' ? ['spec', ...at.split('.')] : at.split('.')),
        ...(to?.split('.') ?? []),
      ];
      let schema: Schema | undefined = byKind.get(by === 'pods' ? 'Pod' : by);
      for (const part of path) {
        const found: Schema | undefined = schema?.properties?.[part];
        expect(found, `${by} ${path.join('.')}: ${part}`).toBeDefined();
        schema = found && resolved(found);
      }
      if (selects === undefined && schema?.type !== 'string')
        expect(
          (schema?.properties?.[key] ?? schema?.additionalProperties)?.type,
          `${by} ${path.join('.')}.${key}`,
        ).toBe('string');
      expect(kinds.filter(each => !isKnown(each) && isOfServedGroup(each))).toEqual([]);
      checked.push(`${by} ${at}`);
    }
    expect(checked.length).toBeGreaterThan(55);
  });

  it('a RoleBinding takes the rights of its subjects along', async () => {
    const allowed = (): Promise<string> =>
      kubectl('auth', 'can-i', 'get', 'secrets', '--as=system:serviceaccount:default:robot').catch(String);
    await kubectl(
      'create',
      'rolebinding',
      'robot-sees',
      '--clusterrole=admin',
      '--serviceaccount=default:robot',
    );
    await eventually(async () => expect(await allowed()).toMatch(/^yes/u));
    expect(await breaksOf('rolebinding/robot-sees')).toEqual([
      'atOnce: ServiceAccount robot: it loses them at once, unless another binding grants them',
    ]);
    await kubectl('delete', 'rolebinding/robot-sees');
    await eventually(async () => expect(await allowed()).not.toMatch(/^yes/u));
  });

  it('a Role takes the rights of its bindings along', async () => {
    const allowed = (): Promise<string> =>
      kubectl('auth', 'can-i', 'list', 'pods', '--as=system:serviceaccount:default:robot').catch(String);
    expect(await allowed()).toMatch(/^yes/u);
    expect(await breaksOf('role/reader')).toEqual([
      'atOnce: RoleBinding robot-reads: it grants nothing any more',
    ]);
    await kubectl('delete', 'role/reader');
    await eventually(async () => expect(await allowed()).not.toMatch(/^yes/u));
  });

  it('a PriorityClass and a RuntimeClass are needed by new pods alone', async () => {
    for (const [target, user] of [
      ['priorityclass/gold', 'rich'],
      ['runtimeclass/sandbox', 'boxed'],
    ] as const) {
      expect(await breaksOf(target)).toEqual([
        `nextStart: Deployment ${user}: the API server refuses new pods that name it`,
      ]);
      await kubectl('delete', target);
      expect(await refusalOfNewPods(user)).toMatch(/PriorityClass|RuntimeClass/u);
      expect(await kubectl('get', `deployment/${user}`, '-o', 'jsonpath={.status.readyReplicas}')).toBe('2');
    }
  });

  it('the token of a ServiceAccount is refused at once, and so are new pods', async () => {
    const token = (await kubectl('create', 'token', 'robot')).trim();
    const who = (): Promise<string> => kubectl('auth', 'whoami', `--token=${token}`).catch(String);
    expect(await who()).toContain('system:serviceaccount:default:robot');
    const found = await breaksOf('serviceaccount/robot');
    expect(found).toContain('atOnce: Deployment acting: the API server refuses the token');
    expect(found).toContain('nextStart: Deployment acting: the API server refuses new pods that name it');
    expect(found).toContain(
      'leftBehind: RoleBinding robot-reads: a new ServiceAccount of this name would have its rights',
    );
    await kubectl('delete', 'serviceaccount/robot');
    await eventually(async () => expect(await who()).not.toContain('system:serviceaccount:default:robot'));
    expect(await refusalOfNewPods('acting')).toContain('serviceaccount "robot" not found');
  });

  it('a policy that is gone is applied by no binding', async () => {
    const create = (): Promise<string> =>
      kubectl('create', 'configmap', 'bad', '--dry-run=server').catch(String);
    await eventually(async () => expect(await create()).toContain('denied'));
    expect(await breaksOf('validatingadmissionpolicy/no-bad-names')).toEqual([
      'atOnce: ValidatingAdmissionPolicyBinding everywhere: it applies nothing any more',
    ]);
    await kubectl('delete', 'validatingadmissionpolicy/no-bad-names');
    await eventually(async () => expect(await create()).toContain('created'));
  });

  it.each(parameterCases)(
    'parameters of a policy: $name',
    async ({ name, sort, failure, reference, because }) => {
      const create = (of: string): Promise<string> =>
        kubectl('create', 'configmap', of, '-n', name, '--dry-run=server').catch(String);
      await cluster.apply(parameterized(name, sort, failure, reference));
      await eventually(async () => {
        const answer = await create('bad');
        expect(sort === 'Validating' ? answer : await create('good')).toMatch(
          sort === 'Validating' ? /denied/u : /created/u,
        );
      });
      const user = `atOnce: ${sort}AdmissionPolicyBinding ${name}`;
      if (reference.includes('selector')) {
        expect(await breaksOf('configmap/other-selected', name)).toEqual([
          `${user}: its policy is applied with fewer parameters`,
        ]);
        await kubectl('delete', 'configmap/other-selected', '-n', name);
      }
      expect(await breaksOf(`configmap/${name}`, name)).toEqual([`${user}: ${because}`]);
      expect(await create('good')).toContain('created');
      await kubectl('delete', `configmap/${name}`, '-n', name);
      const isRefused = because.includes('refuses');
      await eventually(async () =>
        expect(await create(isRefused ? 'good' : 'bad')).toMatch(isRefused ? /no params found/u : /created/u),
      );
    },
  );

  it('one pod of two breaks nothing, and a Deployment its Service, budget and autoscaler', async () => {
    const [first] = (await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).trim().split('\n');
    expect(await breaksOf(first ?? '')).toEqual([]);
    expect([...(await breaksOf('deployment/web'))].sort()).toEqual([
      'atOnce: Service web: it has no endpoints',
      'leftBehind: HorizontalPodAutoscaler web: it has nothing to scale any more',
      'leftBehind: PodDisruptionBudget web: it selects no pod any more',
    ]);
    await kubectl('delete', 'deployment/web');
    await eventually(async () => {
      const { items } = await json<{ items: readonly { endpoints?: readonly unknown[] | null }[] }>(
        'get',
        'endpointslices',
        '-l',
        'kubernetes.io/service-name=web',
      );
      expect(items.flatMap(each => each.endpoints ?? [])).toEqual([]);
      expect(await kubectl('get', 'pdb/web', '-o', 'jsonpath={.status.expectedPods}')).toBe('0');
      const { status } = await json<{ status: { conditions: readonly Condition[] } }>('get', 'hpa/web');
      expect(status.conditions.find(({ type }) => type === 'AbleToScale')?.reason).toBe('FailedGetScale');
    });
  });

  // Last, because the collector can't list the kind any more.
  it('a definition converts no objects without the Service of its webhook', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gc-tree-hooks-'));
    guardFolder(folder);
    const webhooks = await Webhooks.start(folder, ['converter.default']);
    onTestFinished(() => webhooks.stop());
    await cluster.apply(converting(webhooks.backend));
    const read = (version: string): Promise<string> =>
      kubectl('get', `dials.${version}.example.com/one`, '-o', 'jsonpath={.apiVersion}').catch(String);
    await eventually(async () => {
      await cluster.apply(
        'apiVersion: example.com/v1\nkind: Dial\nmetadata: {name: one, namespace: default}\n',
      );
      expect(await read('v2')).toBe('example.com/v2');
    });
    expect(await breaksOf('service/converter')).toEqual([
      'atOnce: CustomResourceDefinition dials.example.com: objects in another version than the stored one cannot be read',
    ]);
    await kubectl('delete', 'service/converter');
    await eventually(async () => expect(await read('v2')).toContain('conversion webhook'));
    expect(await read('v1')).toBe('example.com/v1');
  });
});
