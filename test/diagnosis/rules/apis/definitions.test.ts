import { describe, expect, it } from 'vitest';
import { diagnoseCluster } from '../../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../../src/diagnosis/engine/finding.ts';
import type { ClusterView } from '../../../../src/graph/cluster-view.ts';
import { KubeObject, type ResourceVersion, type Uid } from '../../../../src/model/object.ts';
import { now, viewOf } from '../../../cli/documents/cluster.ts';
import { type as typeOf } from '../../../graph/fixtures.ts';

const before = Date.parse('2026-11-21T11:48:00Z');
const lately = Date.parse('2026-11-21T11:59:40Z');

interface Instance {
  readonly name: string;
  readonly finalizers?: readonly string[];
  readonly deleting?: boolean;
}

interface Options {
  readonly at?: number;
  readonly condition?: string;
  readonly state?: 'synced' | 'blind';
  readonly finalizers?: string;
  readonly more?: string;
}

function viewWith(instances: readonly Instance[], options: Options = {}): ClusterView {
  const { at = before, condition = '', state = 'synced', finalizers, more = '' } = options;
  const view = viewOf(`
- {kind: CustomResourceDefinition, name: boats.sea.example.com, namespace: '', uid: crd, deletionTimestamp: "${new Date(at).toISOString()}", finalizers: [${finalizers ?? 'customresourcecleanup.apiextensions.k8s.io'}], spec: {group: sea.example.com, scope: Namespaced, names: {kind: Boat, plural: boats}, versions: [{name: v1, served: true, storage: true}]}, status: {conditions: [${condition}]}}
${more}
`);
  const type = typeOf({ group: 'sea.example.com', kind: 'Boat', resource: 'boats' });
  view.apply(
    {
      types: [...view.catalog.types, type],
      statuses: [{ type, state, count: instances.length, facts: true }],
      changes: instances.map(({ name, finalizers: held = [], deleting = true }) => ({
        op: 'upsert',
        object: new KubeObject({
          type,
          namespace: 'harbour',
          name,
          uid: name as Uid,
          resourceVersion: '1' as ResourceVersion,
          finalizers: held,
          deletionTimestamp: deleting ? at : undefined,
        }),
      })),
    },
    0,
  );
  return view;
}

function findings(view: ClusterView): readonly Finding[] {
  return diagnoseCluster(view, now)
    .of('crd' as Uid)
    .filter(({ code }) => code === 'CustomResourceCleanupPending');
}

function only(instances: readonly Instance[], options?: Options): Finding {
  const [finding, ...more] = findings(viewWith(instances, options));
  if (finding === undefined || more.length > 0) throw new Error(`${more.length + 1} findings`);
  return finding;
}

const held: Instance = { name: 'ark', finalizers: ['other.example.org/keep'] };

describe('a definition that is being deleted', () => {
  it('waits for an instance that a finalizer holds, which nothing handles', () => {
    const finding = only([held, { name: 'dinghy', finalizers: ['other.example.org/keep'] }]);
    expect(finding).toMatchObject({ severity: 'warning', certainty: 'exact', since: before });
    expect(finding.message).toBe(
      'CustomResourceDefinition boats.sea.example.com waits until none of its instances is left: 2 Boats are held by the finalizer other.example.org/keep, and nothing in this cluster handles other.example.org.',
    );
    expect(finding.chain.map(({ by, object }) => `${by} ${object.name}`)).toEqual([
      ' boats.sea.example.com',
      'still has ark',
      'held by ark',
    ]);
    expect(finding.related.map(({ name }) => name)).toEqual(['ark', 'dinghy']);
  });

  it('never offers to take its own finalizer off, for the instances would come back with it', () => {
    const ids = only([held])
      .remedies()
      .map(({ id, risk }) => `${risk} ${id}`);
    expect(ids).toEqual([
      'safe bring-back-controller/other.example.org/keep',
      'dangerous remove-finalizer/boat/ark/other.example.org/keep',
    ]);
  });

  it('is no more than news in the first two minutes while somebody handles what holds', () => {
    const own: Instance = { name: 'ark', finalizers: ['sea.example.com/anchor'] };
    const more =
      '- {kind: Deployment, name: sea-operator, namespace: harbour, spec: {replicas: 1}, status: {readyReplicas: 0}}';
    expect(only([own], { at: lately, more }).severity).toBe('info');
    expect(only([own], { more }).severity).toBe('warning');
  });

  it('passes on why the API server could not delete the instances', () => {
    const condition =
      '{type: Terminating, status: "True", reason: InstanceDeletionFailed, message: "could not list instances: conversion webhook failed"}';
    const finding = only([], { at: lately, condition });
    expect(finding.severity).toBe('warning');
    expect(finding.message).toContain('could not list instances: conversion webhook failed');
  });

  it('is sure of nothing where its instances cannot be seen', () => {
    const finding = only([], { state: 'blind' });
    expect(finding.certainty).toBe('assumed');
    expect(finding.message).toContain('its Boat objects cannot be seen');
  });

  it('is only to be noticed by the API server once no instance is left', () => {
    expect(only([]).message).toContain('none is, and the API server has yet to notice');
  });

  it('is of no interest without the finalizer that waits for instances', () => {
    expect(findings(viewWith([held], { finalizers: 'other.example.org/audit' }))).toEqual([]);
  });
});
