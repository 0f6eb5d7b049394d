/** A manifest that never was in a cluster is read as the object that the API server would make of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { type JsonRecord, record } from '../../../src/model/json/json.ts';
import { objectJson } from '../../../src/model/object-json.ts';
import { parseApiVersion } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { asAdmitted } from '../../../src/source/files/admitted.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';

const template =
  '{metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: registry.example.com/main}]}}';
const jobTemplate = template.replace('spec: {', 'spec: {restartPolicy: Never, ');
const claim = '{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}';
const selector = '{matchLabels: {app: web}}';

const manifests: Readonly<Record<string, string>> = {
  Namespace: '{apiVersion: v1, kind: Namespace, metadata: {name: web}}',
  Pod: '{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: main, image: registry.example.com/main}], volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}}',
  'Pod with its own':
    '{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {terminationGracePeriodSeconds: 5, restartPolicy: Never, tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists}], containers: [{name: main, image: registry.example.com/main}]}}',
  Deployment: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: ${selector}, template: ${template}}}`,
  ReplicaSet: `{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {selector: ${selector}, template: ${template}}}`,
  ReplicationController: `{apiVersion: v1, kind: ReplicationController, metadata: {name: web}, spec: {template: ${template}}}`,
  StatefulSet: `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {serviceName: web, selector: ${selector}, template: ${template}, volumeClaimTemplates: [{metadata: {name: data}, spec: ${claim}}]}}`,
  'StatefulSet with a policy': `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {serviceName: web, persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}, selector: ${selector}, template: ${template}}}`,
  DaemonSet: `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: web}, spec: {selector: ${selector}, template: ${template}}}`,
  Job: `{apiVersion: batch/v1, kind: Job, metadata: {name: web}, spec: {template: ${jobTemplate}}}`,
  'Job of an index': `{apiVersion: batch/v1, kind: Job, metadata: {name: web}, spec: {completions: 3, completionMode: Indexed, parallelism: 2, template: ${jobTemplate}}}`,
  CronJob: `{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {schedule: '@daily', jobTemplate: {spec: {template: ${jobTemplate}}}}}`,
  PersistentVolumeClaim: `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}, spec: ${claim}}`,
  PersistentVolume:
    '{apiVersion: v1, kind: PersistentVolume, metadata: {name: data}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /data}}}',
  Service:
    '{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}}',
  PodDisruptionBudget: `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 1, selector: ${selector}}}`,
  ValidatingWebhookConfiguration:
    '{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: web}, webhooks: [{name: web.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: shop, name: web}}, rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [DELETE]}]}]}',
  APIService:
    '{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.web.example.com}, spec: {group: web.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100, service: {namespace: shop, name: web}}}',
  VolumeAttributesClass:
    '{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: fast}, driverName: csi.example.com, parameters: {iops: "3000"}}',
  VolumeAttachment:
    '{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: web}, spec: {attacher: csi.example.com, nodeName: node-1, source: {persistentVolumeName: data}}}',
};

/** What deletion depends on, as the rest of the product knows it; what the server alone can know, like a status, is not. */
function known(json: JsonRecord, isNew: boolean): unknown {
  const { apiVersion, kind } = json;
  const { group, version } = parseApiVersion(String(apiVersion));
  const type = builtInTypes.find(
    each => each.group === group && each.version === version && each.kind === kind,
  );
  if (type === undefined) throw new Error(`no type ${String(kind)}`);
  const whole = { ...json, metadata: { ...record(json['metadata']), uid: 'uid' }, status: undefined };
  const object = objectJson.read(type, isNew ? asAdmitted(type, whole, true) : whole);
  const { finalizers, facts } = object ?? {};
  // The API server picks addresses.
  if (facts?.kind === 'Service') return { finalizers, facts: { ...facts, clusterIPs: [] } };
  // Labels come in any order.
  if (facts?.kind !== 'Workload') return { finalizers, facts };
  return { finalizers, facts: { ...facts, templateLabels: new Map(pairs(facts.templateLabels)) } };
}

function* pairs(labels: readonly string[]): IterableIterator<[string, string]> {
  for (let i = 0; i < labels.length; i += 2) yield [labels[i] ?? '', labels[i + 1] ?? ''];
}

/** The server makes up a uid of its own. */
function withSameUid(json: JsonRecord): JsonRecord {
  const uid = String(record(json['metadata'])['uid']);
  return JSON.parse(JSON.stringify(json).replaceAll(uid, 'uid')) as JsonRecord;
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a manifest', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startControlPlane();
    await cluster.kubectl(['create', 'namespace', 'shop']);
    await eventually(() => cluster.kubectl(['get', 'serviceaccount', 'default', '-n', 'shop']));
  });
  afterAll(() => cluster.stop());

  it.each(Object.entries(manifests))('of a %s has what the API server adds', async (_, text) => {
    const json = parse(text) as JsonRecord;
    const answer = await cluster.kubectl(
      ['create', '--dry-run=server', '-n', 'shop', '-o', 'json', '-f', '-'],
      stringify(json),
    );
    expect(known(json, true)).toEqual(known(withSameUid(JSON.parse(answer) as JsonRecord), false));
  });
});
