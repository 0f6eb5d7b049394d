/** An owner alone in a file: what it owns isn't there, so nobody can tell that nothing holds it. */
import { describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../../../src/cli/documents/definitions.ts';
import { command } from '../../../cli/console.ts';
import { folderOf } from '../../../source/files/reading.ts';

const definition = `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, uid: crd}
spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}]}
`;

function owner(apiVersion: string, kind: string, finalizer: string, more = ''): string {
  const namespace = kind === 'Namespace' ? '' : 'namespace: shop, ';
  return `---
apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: web, ${namespace}uid: u1, creationTimestamp: "2026-01-01T00:00:00Z", deletionTimestamp: "2026-01-02T00:00:00Z", deletionGracePeriodSeconds: 0, finalizers: [${finalizer}]${more}}
`;
}

async function why(text: string, flags = ''): Promise<{ out: string; item: Diagnosis['items'][number] }> {
  const target = /^kind: (?!CustomResourceDefinition)(\w+)/mu.exec(text)?.[1] ?? '';
  const words = `why ${target.toLowerCase()}/web -n shop -f ${folderOf({ 'all.yaml': text })} ${flags}`;
  const { out } = await command(words);
  const [item] = (JSON.parse((await command(`${words} -o json`)).out) as Diagnosis).items;
  if (item === undefined) throw new Error(out);
  return { out, item };
}

const owners = [
  ['apps/v1', 'Deployment', 'ReplicaSets and Pods'],
  ['apps/v1', 'ReplicaSet', 'Pods'],
  ['apps/v1', 'StatefulSet', 'Pods, PersistentVolumeClaims and ControllerRevisions'],
  ['apps/v1', 'DaemonSet', 'Pods and ControllerRevisions'],
  ['batch/v1', 'Job', 'Pods'],
  ['batch/v1', 'CronJob', 'Jobs and Pods'],
  ['v1', 'Secret', 'Deployments, StatefulSets, ReplicaSets, Pods, Jobs'],
  ['example.com/v1', 'Widget', 'Deployments, StatefulSets, ReplicaSets, Pods, Jobs'],
] as const;

describe('an owner alone in a file', () => {
  test.each(owners)(
    '%s %s in a foreground deletion waits for what it may own',
    async (apiVersion, kind, likely) => {
      const text = `${kind === 'Widget' ? definition : ''}${owner(apiVersion, kind, 'foregroundDeletion')}`;
      const { out, item } = await why(text);
      expect(item.summary).toContain(
        `${kind} shop/web is being deleted in the foreground and waits for its dependents, none of which are in the files: most likely ${likely}`,
      );
      expect(out).not.toMatch(/collector is late|should have removed|nothing that can be seen blocks it/u);
      expect(item.remedies.filter(({ risk, requests }) => risk === 'safe' && requests.length > 0)).toEqual(
        [],
      );
      expect(item.findings.map(({ certainty }) => certainty)).toEqual(['assumed']);
    },
  );

  test('that orphans waits for what it may own, and nothing is safe to remove', async () => {
    for (const [apiVersion, kind, likely] of owners) {
      const text = `${kind === 'Widget' ? definition : ''}${owner(apiVersion, kind, 'orphan')}`;
      const { item } = await why(text);
      expect(item.summary).toContain(
        `removed the owner references from its dependents, none of which are in the files: most likely ${likely}`,
      );
      expect(item.remedies.filter(({ risk, requests }) => risk === 'safe' && requests.length > 0)).toEqual(
        [],
      );
    }
  });

  test('that is a Namespace waits for what it may own, and nothing is safe to remove', async () => {
    const text = `${owner('v1', 'Namespace', 'foregroundDeletion')}spec: {}\nstatus: {phase: Terminating}\n`;
    const { out, item } = await why(text);
    expect(out).not.toMatch(/should have removed/u);
    expect(item.summary).toMatch(
      /none of which are in the files: most likely ClusterRoleBindings and ClusterRoles/u,
    );
    expect(item.remedies.filter(({ risk, requests }) => risk === 'safe' && requests.length > 0)).toEqual([]);
  });

  test('is late for the collector where --closed-world says that the file is everything', async () => {
    const { out, item } = await why(owner('apps/v1', 'Deployment', 'foregroundDeletion'), '--closed-world');
    expect(item.summary).toContain('the garbage collector should have removed it by now');
    expect(item.findings.map(({ certainty }) => certainty)).toEqual(['exact']);
    expect(out).toContain('safe       remove foregroundDeletion from web');
  });
});

test('Deployments and ReplicaSets without their Pods: the ReplicaSet waits for Pods that are in no file', async () => {
  const set = owner(
    'apps/v1',
    'ReplicaSet',
    'foregroundDeletion',
    ', ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: d1, controller: true, blockOwnerDeletion: true}]',
  ).replace('name: web, namespace', 'name: web-1, namespace');
  const both = `${owner('apps/v1', 'Deployment', 'foregroundDeletion').replace('uid: u1', 'uid: d1')}${set}`;
  const { out, item } = await why(both);
  expect(item.summary).toContain(
    'Deployment shop/web is being deleted in the foreground and waits for ReplicaSet web-1, which waits for its own dependents, none of which are in the files: most likely Pods',
  );
  // It is being deleted, and what is said of it has to be true.
  expect(out).not.toContain('metadata.deletionTimestamp: none');
  expect(out).not.toMatch(/should have finished/u);
});
