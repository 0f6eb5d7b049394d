import { describe, expect, it } from 'vitest';
import { AccessQuestion } from '../../../src/actions/prepare/access-questions.ts';
import { Intent } from '../../../src/actions/prepare/action-intent.ts';
import type { ActRequest } from '../../../src/model/exchange/act.ts';
import { TypeCatalog } from '../../../src/model/types/type-catalog.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { objectOf, remedyOf, viewOf } from '../../forecast/fixtures.ts';

const catalog = new TypeCatalog(builtInTypes);
const view = viewOf(`
- {kind: Deployment, name: api}
- {kind: Deployment, name: other}
- {kind: Node, name: node-1}
- {kind: ReplicaSet, name: mine, owners: [apps/v1 Deployment api api +c +b]}
- {kind: ReplicaSet, name: free, owners: [apps/v1 Deployment api api]}
- {kind: Lease, name: beat, owners: [v1 Node node-1 node-1]}
`);

function asked(requests: readonly ActRequest[]): string[] {
  return AccessQuestion.of(requests, catalog).map(
    question => `${AccessQuestion.words(question)}${question.onlyWith === undefined ? '' : ' *'}`,
  );
}

function remedy(uid: string, id: string): readonly ActRequest[] {
  const target = objectOf(view, uid);
  return Intent.requests({ verb: 'unblock', target, remedy: remedyOf(view, target, id) });
}

describe('the permissions that an action needs', () => {
  it('are those of its requests, each asked once', () => {
    const targets = ['api', 'api', 'node-1'].map(uid => objectOf(view, uid));
    expect(asked(Intent.requests({ verb: 'delete', targets, cascade: 'orphan' }))).toEqual([
      'delete on deployments.apps api in namespace shop',
      'delete on nodes node-1',
    ]);
  });

  it('include update on the finalizers of an owner that is newly blocked', () => {
    expect(asked(remedy('free', 'set-block/api'))).toEqual([
      'patch on replicasets.apps free in namespace shop',
      'delete on replicasets.apps free in namespace shop *',
      'update on deployments.apps/finalizers api in namespace shop *',
    ]);
  });

  it('of a cluster-scoped owner are asked without a namespace', () => {
    expect(asked(remedy('beat', 'set-block/node-1'))).toContain('update on nodes/finalizers node-1 *');
  });

  it('of a Namespace are asked in it, and what replaces it has to be readable', () => {
    const path = '/api/v1/namespaces/shop/finalize';
    const put = { method: 'PUT', path, contentType: 'application/json', body: {} } as const;
    expect(asked([put])).toEqual(['update on namespaces/finalize shop', 'get on namespaces shop']);
    expect(AccessQuestion.of([put], catalog).map(({ namespace }) => namespace)).toEqual(['shop', 'shop']);
    const deletion = { ...put, method: 'DELETE', path: '/api/v1/namespaces/shop' } as const;
    expect(AccessQuestion.of([deletion], catalog)).toMatchObject([{ namespace: 'shop', name: 'shop' }]);
  });

  it('do not include the owner where a reference stops blocking', () => {
    expect(asked(remedy('mine', 'prune-reference/api'))).toEqual([
      'patch on replicasets.apps mine in namespace shop',
      'delete on replicasets.apps mine in namespace shop *',
    ]);
  });

  it('leave out the owners that it blocked before', () => {
    const { type: _, ...base } = { type: 0, path: '/apis/apps/v1/namespaces/shop/replicasets/mine' };
    const reference = (name: string) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name,
      uid: name,
      blockOwnerDeletion: true,
    });
    const path = '/metadata/ownerReferences';
    const request: ActRequest = {
      ...base,
      method: 'PATCH',
      contentType: 'application/json-patch+json',
      body: [
        { op: 'test', path, value: [reference('api')] },
        { op: 'add', path, value: [reference('api'), reference('other')] },
      ],
    };
    expect(asked([request]).filter(each => each.startsWith('update'))).toEqual([
      'update on deployments.apps/finalizers other in namespace shop *',
    ]);
  });

  it('to make an object with a blocking owner are create and the owner, but not delete', () => {
    const request: ActRequest = {
      method: 'POST',
      path: '/apis/apps/v1/namespaces/shop/replicasets',
      contentType: 'application/json',
      body: {
        metadata: {
          name: 'mine',
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'Deployment', name: 'api', uid: 'api', blockOwnerDeletion: true },
          ],
        },
      },
    };
    expect(asked([request])).toEqual([
      'create on replicasets.apps in namespace shop',
      'update on deployments.apps/finalizers api in namespace shop *',
    ]);
  });

  it('are asked of the API server by resource and name', () => {
    const [question] = AccessQuestion.of(remedy('mine', 'prune-reference/api'), catalog);
    if (question === undefined) throw new Error('no question');
    expect(AccessQuestion.review(question).body).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          verb: 'patch',
          group: 'apps',
          resource: 'replicasets',
          namespace: 'shop',
          name: 'mine',
        },
      },
    });
  });

  it('are unknown, not missing, where the review itself is refused', () => {
    expect(AccessQuestion.access({ status: 403, body: {} })).toBe('unknown');
    expect(AccessQuestion.access({ status: 201, body: { status: { allowed: false } } })).toBe('denied');
    expect(AccessQuestion.access({ status: 201, body: {} })).toBe('denied');
    expect(AccessQuestion.access({ status: 201, body: { status: { allowed: true } } })).toBe('allowed');
  });
});
