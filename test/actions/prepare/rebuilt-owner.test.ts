/** Controllers that are created again for what survived them. */
import { describe, expect, test } from 'vitest';
import { rebuiltOwner } from '../../../src/actions/prepare/rebuilt-owner.ts';
import type { ActRequest } from '../../../src/model/exchange/act.ts';
import type { JsonRecord } from '../../../src/model/json/json.ts';
import { TypeCatalog } from '../../../src/model/types/type-catalog.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app' }] } };

const request: ActRequest = {
  method: 'POST',
  path: '/apis/apps/v1/namespaces/shop/statefulsets',
  contentType: 'application/json',
  formerUid: 'revision',
  rebuiltFrom: { kind: 'ControllerRevision', names: ['web-1'] },
  body: {
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      replicas: 2,
      ordinals: { start: 4 },
      template: { metadata: { labels: { app: 'web' } } },
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    },
  },
};

const parts: Readonly<Record<string, JsonRecord>> = {
  'ControllerRevision/web-1': {
    metadata: { uid: 'revision' },
    data: { spec: { template: { ...template, $patch: 'replace' } } },
  },
  'Pod/web-4': {
    spec: {
      subdomain: 'peers',
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-4' } }],
    },
  },
  'PersistentVolumeClaim/data-web-4': {
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'fast',
      volumeName: 'pvc-7',
      dataSource: { kind: 'VolumeSnapshot', name: 'before' },
    },
  },
};

async function completed(
  of: Readonly<Record<string, JsonRecord | Error>>,
  incomplete = request,
): Promise<JsonRecord | undefined> {
  const [whole] = await rebuiltOwner.completed([incomplete], {
    catalog: new TypeCatalog(builtInTypes),
    get: ({ kind }, namespace, name) => {
      expect(namespace).toBe('shop');
      const found = of[`${kind}/${name}`];
      return found instanceof Error ? Promise.reject(found) : Promise.resolve(found);
    },
  });
  return whole?.body as JsonRecord | undefined;
}

describe('a StatefulSet that is created again', () => {
  test('has the template of its revision, the Service of a pod, and templates of its claims', async () => {
    expect(await completed(parts)).toEqual({
      kind: 'StatefulSet',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {
        replicas: 2,
        ordinals: { start: 4 },
        serviceName: 'peers',
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              storageClassName: 'fast',
            },
          },
        ],
      },
    });
  });

  test('has no claim template for a volume that the pod template names itself', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-4' } }];
    const data = { spec: { template: { ...template, spec: { ...template.spec, volumes } } } };
    const revision = { metadata: { uid: 'revision' }, data };
    const body = await completed({ ...parts, 'ControllerRevision/web-1': revision });
    expect(body).toMatchObject({ spec: { volumeClaimTemplates: [] } });
  });

  test.each([
    [
      'ControllerRevision/web-1',
      { metadata: { uid: 'other' } },
      'ControllerRevision web-1 is another one now',
    ],
    [
      'PersistentVolumeClaim/data-web-4',
      Object.assign(new Error('forbidden'), { status: 403 }),
      'you may not read PersistentVolumeClaim data-web-4, which holds part of the StatefulSet',
    ],
  ])('is not created if %s is not what it needs', async (part, found, message) => {
    await expect(completed({ ...parts, [part]: found })).rejects.toThrow(message);
  });

  test('would restart its pods if the API server changed the template', () => {
    const spec = { template };
    const whole: ActRequest = { ...request, body: { spec } };
    expect(rebuiltOwner.changedTemplate(whole, { spec })).toBeUndefined();
    const injected = { ...template, spec: { containers: [...template.spec.containers, { name: 'proxy' }] } };
    expect(rebuiltOwner.changedTemplate(whole, { spec: { template: injected } })).toBe(
      'the API server would change the pod template of ControllerRevision web-1, so the pods would restart',
    );
  });
});

describe('a Deployment that is created again', () => {
  const hashed = { app: 'api', 'pod-template-hash': 'h2' };
  const incomplete: ActRequest = {
    method: 'POST',
    path: '/apis/apps/v1/namespaces/shop/deployments',
    contentType: 'application/json',
    formerUid: 'current',
    rebuiltFrom: { kind: 'ReplicaSet', names: ['api-h2', 'api-h1'] },
    body: {
      kind: 'Deployment',
      metadata: { name: 'api', namespace: 'shop' },
      spec: { replicas: 2, template: { metadata: { labels: { app: 'api' } } } },
    },
  };
  const set = (uid: string, revision: string, image: string): JsonRecord => ({
    metadata: {
      name: `api-${uid}`,
      uid,
      annotations: {
        'deployment.kubernetes.io/revision': revision,
        'deployment.kubernetes.io/desired-replicas': '2',
        'example.com/team': 'shop',
      },
    },
    spec: {
      minReadySeconds: 5,
      template: { metadata: { labels: hashed }, spec: { containers: [{ name: 'app', image }] } },
    },
  });
  const current = set('current', '3', 'app:2');

  test('has the template of its current ReplicaSet without the hash, and the annotations copied to it', async () => {
    const found = { 'ReplicaSet/api-h2': current, 'ReplicaSet/api-h1': set('old', '2', 'app:1') };
    expect(await completed(found, incomplete)).toEqual({
      kind: 'Deployment',
      metadata: { name: 'api', namespace: 'shop', annotations: { 'example.com/team': 'shop' } },
      spec: {
        replicas: 2,
        minReadySeconds: 5,
        template: {
          metadata: { labels: { app: 'api' } },
          spec: { containers: [{ name: 'app', image: 'app:2' }] },
        },
      },
    });
  });

  test.each([
    ['a newer revision wants no pods', set('old', '4', 'app:1'), 'ReplicaSet api-old is of a newer revision'],
    ['two have one template', set('old', '2', 'app:2'), 'ReplicaSet api-old has the same pod template'],
  ])('is not created if %s', async (_, old, message) => {
    const found = { 'ReplicaSet/api-h2': current, 'ReplicaSet/api-h1': old };
    await expect(completed(found, incomplete)).rejects.toThrow(message);
  });
});

describe('a ReplicaSet that is created again', () => {
  const names = ['api-h1-aaaaa', 'api-h1-bbbbb'];
  const labels = { app: 'api', 'pod-template-hash': 'h1' };
  const incomplete: ActRequest = {
    method: 'POST',
    path: '/apis/apps/v1/namespaces/shop/replicasets',
    contentType: 'application/json',
    formerUid: 'api-h1-aaaaa',
    rebuiltFrom: { kind: 'Pod', names },
    body: { kind: 'ReplicaSet', spec: { replicas: 2, template: { metadata: { labels } } } },
  };
  const toleration = (key: string, seconds: number): JsonRecord => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: seconds,
  });
  const token = '/var/run/secrets/kubernetes.io/serviceaccount';
  const pod = (name: string, image = 'app:1'): JsonRecord => ({
    metadata: {
      name,
      uid: name,
      labels,
      annotations: { 'example.com/note': 'same', 'cni.example.com/address': name },
      managedFields: [
        {
          manager: 'kube-controller-manager',
          fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, 'f:example.com/note': {} } } },
        },
      ],
    },
    spec: {
      containers: [
        {
          name: 'app',
          image,
          volumeMounts: [
            { name: 'scratch', mountPath: '/scratch' },
            { name: `kube-api-access-${name}`, mountPath: token },
          ],
        },
        { name: 'proxy', volumeMounts: [{ name: `kube-api-access-${name}`, mountPath: token }] },
      ],
      volumes: [
        { name: 'scratch', emptyDir: {} },
        { name: `kube-api-access-${name}`, projected: { sources: [] } },
      ],
      nodeName: `node-of-${name}`,
      serviceAccount: 'default',
      serviceAccountName: 'default',
      enableServiceLinks: true,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      ephemeralContainers: [{ name: 'debug' }],
      tolerations: [toleration('not-ready', 300), toleration('unreachable', 30)],
    },
  });
  const found = (of: (name: string) => JsonRecord): Readonly<Record<string, JsonRecord>> =>
    Object.fromEntries(names.map(name => [`Pod/${name}`, of(name)]));

  test('has the spec of its pods without what the API server and others add to each', async () => {
    expect(await completed(found(pod), incomplete)).toEqual({
      kind: 'ReplicaSet',
      spec: {
        replicas: 2,
        template: {
          metadata: { labels, annotations: { 'example.com/note': 'same' } },
          spec: {
            containers: [
              { name: 'app', image: 'app:1', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
              { name: 'proxy' },
            ],
            volumes: [{ name: 'scratch', emptyDir: {} }],
            tolerations: [toleration('unreachable', 30)],
          },
        },
      },
    });
  });

  test('is not created if its pods differ', async () => {
    const differing = found(name => pod(name, name === names[0] ? 'app:1' : 'app:2'));
    await expect(completed(differing, incomplete)).rejects.toThrow(
      "Pods api-h1-aaaaa and api-h1-bbbbb have different specs, so the pod template isn't known",
    );
  });

  test('keeps its pods whatever the API server makes of its template', () => {
    const body = { spec: { template } };
    expect(rebuiltOwner.changedTemplate({ ...incomplete, body }, { spec: {} })).toBeUndefined();
  });
});
