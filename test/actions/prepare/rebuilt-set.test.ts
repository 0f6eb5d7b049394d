/** The StatefulSet that is created again for its pods. */
import { describe, expect, test } from 'vitest';
import { rebuiltSet } from '../../../src/actions/prepare/rebuilt-set.ts';
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
  revision: 'web-1',
  body: {
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

async function completed(of: Readonly<Record<string, JsonRecord | Error>>): Promise<JsonRecord | undefined> {
  const [whole] = await rebuiltSet.completed([request], {
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
    expect(rebuiltSet.changedTemplate(whole, { spec })).toBeUndefined();
    const injected = { ...template, spec: { containers: [...template.spec.containers, { name: 'proxy' }] } };
    expect(rebuiltSet.changedTemplate(whole, { spec: { template: injected } })).toBe(
      'the API server would change the pod template of ControllerRevision web-1, so the pods would restart',
    );
  });
});
