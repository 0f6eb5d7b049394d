/** Breaks that depend on other objects or affect more than the user; `every-relation.test.ts` has the others. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { eventually, PATIENTLY } from '../../eventually.ts';
import { breakLine, breaksOf as breaksIn } from './breaks-of.ts';

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: registry.example/app}]}}
`;

/** A policy on ConfigMaps in a namespace of its own, whose binding selects two ConfigMaps there as parameters. */
const parameterized = `
apiVersion: v1
kind: Namespace
metadata: {name: selected}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: selected, labels: {of: selected}}
data: {bad: bad}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: two, namespace: selected, labels: {of: selected}}
data: {bad: bad}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: selected}
spec:
  failurePolicy: Fail
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: selected}}
  validations: [{expression: 'object.metadata.name != params.data.bad'}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: selected}
spec:
  policyName: selected
  paramRef: {selector: {matchLabels: {of: selected}}, parameterNotFoundAction: Deny}
  validationActions: [Deny]
`;

describe('what breaks', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const kubectl = (...args: readonly string[]): Promise<string> => cluster.kubectl(args);
  const breaksOf = async (target: string, namespace?: string): Promise<readonly string[]> =>
    (await breaksIn(kubeconfig, target, namespace)).map(breakLine);
  const json = async <T>(...args: readonly string[]): Promise<T> =>
    JSON.parse(await kubectl(...args, '-o', 'json')) as T;
  interface Condition {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 2 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(`
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
metadata: {name: extension, namespace: default}
spec: {type: ExternalName, externalName: localhost, ports: [{port: 443}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.extension.example.com}
spec:
  group: extension.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: extension, namespace: default}
---
${deployment}
`);
    await kubectl('rollout', 'status', 'deployment/web', PATIENTLY);
  });
  afterAll(() => cluster?.stop());

  it('one of two parameters leaves a policy with fewer', async () => {
    const create = (of: string): Promise<string> =>
      kubectl('create', 'configmap', of, '-n', 'selected', '--dry-run=server').catch(String);
    await cluster.apply(parameterized);
    await eventually(async () => expect(await create('bad')).toMatch(/denied/u));
    const user = 'atOnce: ValidatingAdmissionPolicyBinding selected';
    expect(await breaksOf('configmap/two', 'selected')).toEqual([
      `${user}: its policy is applied with fewer parameters`,
    ]);
    await kubectl('delete', 'configmap/two', '-n', 'selected');
    expect(await create('good')).toContain('created');
    expect(await create('bad')).toMatch(/denied/u);
  });

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

  // Last, because namespaces cannot be deleted any more.
  it('an APIService without its Service keeps every namespace', async () => {
    const condition = async (target: string, type: string): Promise<string> => {
      const { status } = await json<{ status: { conditions?: readonly Condition[] } }>('get', target);
      const found = status.conditions?.find(each => each.type === type);
      return `${found?.status} ${found?.reason}`;
    };
    expect(await breaksOf('service/extension')).toEqual([
      'atOnce: APIService v1.extension.example.com: its API is unavailable, and no namespace can be deleted to the end',
    ]);
    await kubectl('delete', 'service/extension');
    await eventually(async () =>
      expect(await condition('apiservice/v1.extension.example.com', 'Available')).toBe(
        'False ServiceNotFound',
      ),
    );
    await kubectl('create', 'namespace', 'stays');
    await kubectl('delete', 'namespace/stays', '--wait=false');
    await eventually(async () =>
      expect(await condition('namespace/stays', 'NamespaceDeletionDiscoveryFailure')).toBe(
        'True DiscoveryFailed',
      ),
    );
  });
});
