import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';
import { findings } from '../../subjects.ts';

const namespaces = (...names: readonly string[]): string =>
  names.map(name => `- {kind: Namespace, name: ${name}, namespace: ''}`).join('\n');
const settings = '- {kind: ConfigMap, name: settings, namespace: ghost}';
const held = '- {kind: ConfigMap, name: held, namespace: ghost, finalizers: [example.com/hold]}';

describe('an object whose Namespace is gone', () => {
  it('can be deleted as long as nothing has to be changed', () => {
    const [first, second] = findings(`${namespaces('kube-system')}\n${settings}\n${held}`, 'NamespaceGone');
    expect(first?.message).toContain(
      'the API server refuses every change of it (404), so that example.com/hold',
    );
    expect(first?.remedies().map(({ id }) => id)).toEqual(['recreate-namespace']);
    expect(second?.remedies().map(({ id }) => id)).toEqual([
      'delete/configmap/settings',
      'recreate-namespace',
    ]);
  });

  it('is found when that goes, and no longer when it is back', () => {
    const view = viewOf(`${namespaces('kube-system', 'ghost')}\n${settings}`);
    const diagnosis = diagnoseCluster(view, now);
    const codes = (): readonly string[] => diagnosis.of('settings' as Uid).map(({ code }) => code);
    expect(codes()).toEqual([]);
    const type = view.catalog.resolveKind('v1', 'Namespace');
    const ghost = view.graph.get('ghost' as Uid)?.object;
    if (type === undefined || ghost === undefined) throw new Error('no Namespace');
    diagnosis.apply(view.apply({ changes: [{ op: 'delete', uid: 'ghost' as Uid, type }] }, now), now);
    expect(codes()).toEqual(['NamespaceGone']);
    diagnosis.apply(view.apply({ changes: [{ op: 'upsert', object: ghost }] }, now), now);
    expect(codes()).toEqual([]);
  });

  it('is not told of where Namespaces are not all there: every cluster has kube-system', () => {
    expect(findings(settings, 'NamespaceGone')).toEqual([]);
    expect(findings(`${namespaces('ghost', 'kube-system')}\n${settings}`, 'NamespaceGone')).toEqual([]);
  });
});
