/** What tools put back of that which an action takes off an object that stays. */
import { describe, expect, it } from 'vitest';
import { altered, type Manifest, objectsOf, told } from './told.ts';

function reverted(lines: readonly string[]): readonly string[] {
  return lines.filter(line => line.startsWith('reverted'));
}

/** With an object that owns the one of this title, and is deleted without it. */
function owned(objects: readonly Manifest[], title: string, namespace: string): Manifest[] {
  const owner: Manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'owner', namespace, uid: 'owner' },
  };
  const marked = altered(objects, title, ({ metadata }) => {
    metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'owner' }];
  });
  return [...marked, owner];
}

const orphaned = (objects: readonly Manifest[], title: string, namespace: string) =>
  told(owned(objects, title, namespace), `ConfigMap ${namespace}/owner`, { cascade: 'orphan' });

describe('an owner reference that is taken off', () => {
  const shop = objectsOf('argo-cd');
  const SERVICE = 'Service shop/api';

  it('is put back by Argo CD where its source sets it and it heals itself', async () => {
    const { effects, lines } = await orphaned(shop, SERVICE, 'shop');
    expect(reverted(lines)).toEqual([`reverted unknown ${SERVICE} by Argo CD Application argocd/shop`]);
    expect(effects.find(({ effect }) => effect === 'reverted')?.because).toMatch(
      /^if its source sets the owner reference, self-healing puts that back/u,
    );
    const calm = altered(shop, 'Application argocd/shop', ({ spec }) => {
      spec.syncPolicy.automated.selfHeal = false;
    });
    expect(reverted((await orphaned(calm, SERVICE, 'shop')).lines)).toEqual([]);
  });

  it('is put back by Flux with another change, unless it is suspended', async () => {
    const blog = objectsOf('flux-kustomization');
    const WEB = 'Service blog/web';
    expect(reverted((await orphaned(blog, WEB, 'blog')).lines)).toEqual([
      `reverted onRequest ${WEB} by Flux Kustomization flux-system/apps`,
    ]);
    const suspended = altered(blog, 'Kustomization flux-system/apps', ({ spec }) => {
      spec.suspend = true;
    });
    expect(reverted((await orphaned(suspended, WEB, 'blog')).lines)).toEqual([]);
  });

  it('is put back by no release of Helm', async () => {
    const release = objectsOf('flux-helmrelease');
    expect(reverted((await orphaned(release, 'Deployment demo/podinfo', 'demo')).lines)).toEqual([]);
  });
});

describe('a finalizer that is taken off', () => {
  it('stays off: the object is being deleted, and nobody can add one', async () => {
    const SERVICE = 'Service shop/api';
    const held = altered(objectsOf('argo-cd'), SERVICE, ({ metadata }) => {
      metadata.finalizers = ['example.com/hold', 'example.com/keep'];
      metadata.deletionTimestamp = '2026-11-21T11:00:00Z';
    });
    const { lines } = await told(held, SERVICE, { remedy: 'remove-finalizer/example.com/hold' });
    expect(reverted(lines)).toEqual([]);
  });
});
