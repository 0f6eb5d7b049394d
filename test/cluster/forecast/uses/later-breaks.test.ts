/** Breaks for the control plane itself, or for the next pod or claim that it makes: forecast, then shown. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../harness/cluster.ts';
import { startControlPlane } from '../../../harness/control-plane.ts';
import { eventually } from '../../eventually.ts';
import { breakLine, breaksOf as breaksIn } from './breaks-of.ts';

const template = (name: string, extra: string): string =>
  `{metadata: {labels: {app: ${name}}}, spec: {containers: [{name: main, image: registry.example/app}], ${extra}}}`;
const workload = (kind: string, name: string, replicas: number, extra: string, more = ''): string => `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}, namespace: default}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template: ${template(name, extra)}
  ${more}
---`;
const claim = (storageClassName: string): string =>
  `{accessModes: [ReadWriteOnce], storageClassName: ${storageClassName}, resources: {requests: {storage: 1Gi}}}`;

const objects = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: batch}
spec: {type: Limited, limited: {nominalConcurrencyShares: 1, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: batch}
spec:
  priorityLevelConfiguration: {name: batch}
  matchingPrecedence: 100
  rules:
  - subjects: [{kind: User, user: {name: batch}}]
    resourceRules: [{verbs: [list], apiGroups: [''], resources: [configmaps], namespaces: ['*']}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {part-of: reader}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reads-secrets, labels: {part-of: reader}}
rules: [{apiGroups: [''], resources: [secrets], verbs: [get]}]
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
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: of-set}
provisioner: example.com/none
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: of-volume}
provisioner: example.com/none
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: devices, namespace: default}
spec: {spec: {devices: {}}}
---
${workload('StatefulSet', 'kept', 0, '', `volumeClaimTemplates: [{metadata: {name: data}, spec: ${claim('of-set')}}]`)}
${workload('Deployment', 'scratch', 0, `volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: ${claim('of-volume')}}}}]`)}
${workload('Deployment', 'devices', 0, 'resourceClaims: [{name: device, resourceClaimTemplateName: devices}]')}
`;

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { type: string; status: string; reason?: string }[] };
}

describe('what breaks later, or for the control plane', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  const kubectl = (...args: readonly string[]): Promise<string> => cluster.kubectl(args);

  beforeAll(async () => {
    cluster = await startControlPlane({ nodes: 1 });
    kubeconfig = await cluster.kubeconfig();
    await cluster.apply(objects);
  });
  afterAll(() => cluster?.stop());

  async function breaksOf(target: string): Promise<readonly string[]> {
    return (await breaksIn(kubeconfig, target)).map(breakLine);
  }

  async function condition(target: string, type: string): Promise<string> {
    const { status } = JSON.parse(await kubectl('get', target, '-o', 'json')) as Conditioned;
    const found = status?.conditions?.find(each => each.type === type);
    return `${found?.status} ${found?.reason}`;
  }

  it('a FlowSchema is ignored without its priority level', async () => {
    await eventually(async () => expect(await condition('flowschema/batch', 'Dangling')).toBe('False Found'));
    expect(await breaksOf('prioritylevelconfiguration/batch')).toEqual([
      'atOnce: FlowSchema batch: it is ignored, and its requests match another FlowSchema',
    ]);
    await kubectl('delete', 'prioritylevelconfiguration/batch');
    await eventually(async () =>
      expect(await condition('flowschema/batch', 'Dangling')).toBe('True NotFound'),
    );
  });

  it('an aggregated ClusterRole loses the rules of the deleted one', async () => {
    const rules = (): Promise<string> => kubectl('get', 'clusterrole/reader', '-o', 'jsonpath={.rules}');
    await eventually(async () => expect(await rules()).toContain('secrets'));
    expect(await breaksOf('clusterrole/reads-secrets')).toEqual([
      'atOnce: ClusterRole reader: it grants fewer rights',
    ]);
    await kubectl('delete', 'clusterrole/reads-secrets');
    await eventually(async () => expect(await rules()).not.toContain('secrets'));
  });

  it('a StatefulSet and an ephemeral volume need their StorageClass for new claims', async () => {
    for (const [storageClass, target, user] of [
      ['of-set', 'statefulset/kept', 'later: StatefulSet kept: the claims of further pods stay Pending'],
      ['of-volume', 'deployment/scratch', 'nextStart: Deployment scratch: its next pod stays Pending'],
    ] as const) {
      expect(await breaksOf(`storageclass/${storageClass}`)).toEqual([user]);
      await kubectl('delete', `storageclass/${storageClass}`);
      await kubectl('scale', target, '--replicas=1');
      const events = `involvedObject.kind=PersistentVolumeClaim,reason=ProvisioningFailed`;
      await eventually(async () =>
        expect(await kubectl('get', 'events', `--field-selector=${events}`)).toContain(
          `storageclass.storage.k8s.io "${storageClass}" not found`,
        ),
      );
      const pods = ['get', 'pods', '-l', `app=${target.split('/')[1]}`];
      expect(await kubectl(...pods, '-o', 'jsonpath={.items[*].status.phase}')).toBe('Pending');
    }
  });

  it('pods wait for claims of a ResourceClaimTemplate that is gone', async () => {
    expect(await breaksOf('resourceclaimtemplate/devices')).toEqual([
      'nextStart: Deployment devices: its next pod stays Pending',
    ]);
    await kubectl('delete', 'resourceclaimtemplate/devices');
    await kubectl('scale', 'deployment/devices', '--replicas=1');
    await eventually(async () =>
      expect(await kubectl('get', 'events', '--field-selector=reason=FailedResourceClaimCreation')).toContain(
        'not found',
      ),
    );
    expect(await kubectl('get', 'pods', '-l', 'app=devices', '-o', 'jsonpath={.items[*].status.phase}')).toBe(
      'Pending',
    );
  });

  // Last, because namespaces cannot be deleted any more.
  it('an APIService without its Service keeps every namespace', async () => {
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
