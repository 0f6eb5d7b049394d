/** Kinds of which an object cannot be read from the API server's storage, by what is said to whoever lists them. */
import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../../src/diagnosis/engine/finding.ts';
import { undecodableIn } from '../../../../src/diagnosis/rules/apis/undecodable.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';
import { findings } from '../../subjects.ts';

function findingsWith(reason: string): readonly Finding[] {
  const view = viewOf(
    "- {kind: APIService, name: v1., namespace: ''}\n- {kind: APIService, name: v1.apps, namespace: ''}",
  );
  const type = builtInTypes.find(({ kind, group }) => kind === 'ConfigMap' && group === '');
  if (type === undefined) throw new Error('no ConfigMap');
  const status = { type, state: 'blind', count: 0, facts: false, reason } as const;
  view.apply({ changes: [], statuses: [status] }, 0);
  return [...diagnoseCluster(view, now).all()];
}

describe('an object that cannot be decoded', () => {
  it('is told of its kind, with its key where the API server names it', () => {
    const [finding, ...others] = findingsWith(
      '500: stored objects cannot be decoded: /registry/configmaps/shop/bad, /registry/configmaps/shop/worse and 4 more',
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ code: 'ObjectCannotBeDecoded', severity: 'error' });
    expect(finding?.message).toContain(
      "an object of configmaps cannot be read from the API server's storage (/registry/configmaps/shop/bad and /registry/configmaps/shop/worse)",
    );
    const remedies = finding?.remedies() ?? [];
    expect(remedies.map(({ id, risk }) => `${risk} ${id}`)).toEqual([
      'safe find-undecodable',
      'caution restore-object',
      'dangerous delete-unread',
    ]);
    expect(remedies[0]?.kubectl[0]?.words.join(' ')).toBe('kubectl get --raw /api/v1/configmaps?limit=1');
  });

  it('cannot be deleted unread where nothing names it', () => {
    for (const said of [
      '500: proto: illegal wireType 7',
      "429: storage is (re)initializing: failed to list *core.ConfigMap: invalid character 'g' looking for beginning of value",
    ]) {
      const [finding] = findingsWith(said);
      expect(finding?.remedies().map(({ id }) => id)).toEqual(['restore-object', 'name-undecodable']);
      expect(finding?.remedies().at(-1)?.title).toContain('on by default from Kubernetes 1.37 on');
    }
  });

  it('is no other error', () => {
    for (const said of [
      '403',
      '500: etcdserver: request timed out',
      '503: the server is currently unable',
      '429: slow down',
    ])
      expect(findingsWith(said)).toEqual([]);
    // The page of a proxy, read by the namespace controller.
    expect(undecodableIn("invalid character '<' looking for beginning of value")).toBeUndefined();
    expect(
      undecodableIn('Internal error occurred: unable to transform key "/registry/secrets/shop/a": no key'),
    ).toEqual({
      keys: ['/registry/secrets/shop/a'],
      resources: [],
      isDeletable: false,
    });
  });

  it('keeps its namespace from being emptied', () => {
    const namespace =
      "- {kind: Namespace, name: team, namespace: '', deletionTimestamp: '2026-11-21T11:30:00Z', spec: {finalizers: [kubernetes]}, status: {phase: Terminating, conditions: [{type: NamespaceDeletionContentFailure, status: 'True', reason: ContentDeletionFailed, message: 'Failed to delete all resource types, 1 remaining: failed to read one or more configmaps from the storage', lastTransitionTime: '2026-11-21T11:30:10Z'}]}}";
    const [finding] = findings(namespace, 'NamespaceContentFailure');
    expect(finding?.message).toContain(
      "Namespace team cannot be emptied: an object of configmaps cannot be read from the API server's storage: failed to read one or more configmaps from the storage",
    );
  });
});
