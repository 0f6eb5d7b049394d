import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../src/model/facts/facts.ts';
import { DeletionCondition } from '../../../src/model/facts/namespace-conditions.ts';

function said(type: string, message: string, status = 'True'): readonly Condition[] {
  return [{ type, status, reason: 'Said', message, since: undefined }];
}

describe('the conditions of a namespace', () => {
  it('count what is left by resource, that of the core group without its dot', () => {
    const message =
      'Some resources are remaining: pods. has 12 resource instances, staticroutes.gateway.kusk.io has 1 resource instances';
    expect(DeletionCondition.remainingResources(said('NamespaceContentRemaining', message))).toEqual([
      { resource: 'pods', count: 12 },
      { resource: 'staticroutes.gateway.kusk.io', count: 1 },
    ]);
    expect(DeletionCondition.remainingResources(said('NamespaceContentRemaining', message, 'False'))).toEqual(
      [],
    );
  });

  it('count what is left by finalizer', () => {
    const message =
      'Some content in the namespace has finalizers remaining: a.io/b in 2 resource instances, foregroundDeletion in 1 resource instances';
    expect([...DeletionCondition.remainingFinalizers(said('NamespaceFinalizersRemaining', message))]).toEqual(
      [
        ['a.io/b', 2],
        ['foregroundDeletion', 1],
      ],
    );
  });

  it('name each version that cannot be discovered, with an error whose words may hold commas and slashes', () => {
    const message =
      'Discovery failed for some groups, 3 failing: unable to retrieve the complete list of server APIs: a.io/v1: Get "https://10.0.0.1/apis/a.io/v1": dial tcp, no route, b.io/v1 and more, external.metrics.k8s.io/v1beta1: stale GroupVersion discovery: external.metrics.k8s.io/v1beta1, metrics.k8s.io/v1beta1: the server is currently unable to handle the request';
    expect(
      DeletionCondition.undiscoveredVersions(said('NamespaceDeletionDiscoveryFailure', message)),
    ).toEqual([
      {
        apiVersion: 'a.io/v1',
        reason: 'Get "https://10.0.0.1/apis/a.io/v1": dial tcp, no route, b.io/v1 and more',
      },
      {
        apiVersion: 'external.metrics.k8s.io/v1beta1',
        reason: 'stale GroupVersion discovery: external.metrics.k8s.io/v1beta1',
      },
      {
        apiVersion: 'metrics.k8s.io/v1beta1',
        reason: 'the server is currently unable to handle the request',
      },
    ]);
  });

  it('name no version where discovery failed as a whole', () => {
    expect(
      DeletionCondition.undiscoveredVersions(
        said('NamespaceDeletionDiscoveryFailure', 'the server has asked to log in: no'),
      ),
    ).toEqual([]);
  });

  describe('name all that is left', () => {
    const remaining = (...resources: readonly string[]): readonly Condition[] =>
      said(
        'NamespaceContentRemaining',
        `Some resources are remaining: ${resources.map(each => `${each} has 1 resource instances`).join(', ')}`,
      );

    it('where they name anything but pods', () => {
      expect(DeletionCondition.namesAllRemaining(remaining('services.'))).toBe(true);
      expect(DeletionCondition.namesAllRemaining(remaining('services.', 'widgets.example.com'))).toBe(true);
      expect(DeletionCondition.namesAllRemaining(remaining('pods.', 'services.'))).toBe(true);
    });

    it('not while the controller waits for pods, nor without a word of it', () => {
      expect(DeletionCondition.namesAllRemaining(remaining('pods.'))).toBe(false);
      const done = 'All content successfully removed';
      expect(DeletionCondition.namesAllRemaining(said('NamespaceContentRemaining', done, 'False'))).toBe(
        false,
      );
      expect(DeletionCondition.namesAllRemaining([])).toBe(false);
    });

    it('not where the pass failed somewhere', () => {
      for (const type of [
        'NamespaceDeletionDiscoveryFailure',
        'NamespaceDeletionGroupVersionParsingFailure',
        'NamespaceDeletionContentFailure',
      ]) {
        const named = remaining('services.');
        expect(DeletionCondition.namesAllRemaining([...named, ...said(type, 'failed')])).toBe(false);
        expect(DeletionCondition.namesAllRemaining([...named, ...said(type, 'all is well', 'False')])).toBe(
          true,
        );
      }
    });

    it('not in a message of another form, as one that was cut short', () => {
      const cut = 'Some resources are remaining: services. has 1 resource instances, widg';
      expect(DeletionCondition.namesAllRemaining(said('NamespaceContentRemaining', cut))).toBe(false);
    });
  });

  it('name kinds of which objects are still there though nothing holds them', () => {
    const of = (gvr: string, resource: string): string =>
      `unexpected items still remain in namespace: shop for gvr: ${gvr}, Resource=${resource}`;
    const failed = (...list: readonly string[]): string =>
      `Failed to delete all resource types, ${list.length} remaining: ${list.join(', ')}`;
    const both = failed(of('/v1', 'pods'), of('example.com/v1', 'widgets'));
    expect(DeletionCondition.leftoverKinds(both)).toEqual(['pods', 'widgets.example.com']);
    expect(DeletionCondition.namesOnlyPods(both)).toBe(false);
    expect(DeletionCondition.namesOnlyPods(failed(of('/v1', 'pods')))).toBe(true);
    expect(DeletionCondition.namesOnlyPods(failed(of('/v1', 'pods'), 'Internal error occurred'))).toBe(false);
    expect(DeletionCondition.namesOnlyPods('')).toBe(false);
  });
});
