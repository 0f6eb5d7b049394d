/** Kinds that couldn't be listed when the files were written: that none of their objects is in the files proves nothing. */
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../../../src/cli/documents/definitions.ts';
import { command } from '../../../cli/console.ts';
import { folderOf } from '../reading.ts';

const failed =
  'conversion webhook for example.com/v2, Kind=Widget failed: Post \\"https://hook.shop.svc:443/convert?timeout=30s\\": service \\"hook\\" not found';

const files = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, uid: crd, creationTimestamp: "2026-05-31T01:00:00Z", deletionTimestamp: "2026-05-31T01:20:00Z", deletionGracePeriodSeconds: 0, finalizers: [customresourcecleanup.apiextensions.k8s.io]}
spec: {group: example.com, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: true, storage: true}, {name: v2, served: true, storage: false}]}
status:
  conditions:
  - {type: Established, status: "True", reason: InitialNamesAccepted, lastTransitionTime: "2026-05-31T01:00:00Z", message: ok}
  - {type: Terminating, status: "True", reason: InstanceDeletionFailed, lastTransitionTime: "2026-05-31T01:20:00Z", message: "could not list instances: ${failed}"}
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, uid: ns, creationTimestamp: "2026-05-31T01:00:00Z", deletionTimestamp: "2026-05-31T01:20:00Z"}
spec: {finalizers: [kubernetes]}
status:
  phase: Terminating
  conditions:
  - {type: NamespaceDeletionContentFailure, status: "True", reason: ContentDeletionFailed, lastTransitionTime: "2026-05-31T01:20:06Z", message: "Failed to delete all resource types, 1 remaining: ${failed}"}
---
apiVersion: v1
kind: ServiceList
metadata: {resourceVersion: "1000"}
items: []
`;

const instance = `---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop, uid: w, creationTimestamp: "2026-05-31T01:00:00Z"}
`;

async function plan(words: string, text = files): Promise<Plan> {
  const { out } = await command(`plan ${words} -f ${folderOf({ 'all.yaml': text })} -o json`);
  return JSON.parse(out) as Plan;
}

const fates = ({ deleted, terminating }: Plan): string[] =>
  [
    ...deleted.map(({ object }) => `${object.kind} deleted`),
    ...terminating.map(({ object }) => `${object.kind} held`),
  ].sort();

describe('a kind whose conversion webhook failed when it was listed', () => {
  const scopes = ['', '-A', '-n shop', '-n default', '--closed-world', '-n shop --closed-world'];

  test('holds up its definition and its namespace in every scope, closed world or not', async () => {
    for (const scope of scopes) {
      const told = fates(await plan(scope));
      expect(told, scope).not.toContain('CustomResourceDefinition deleted');
      expect(told, scope).not.toContain('Namespace deleted');
      expect(told, scope).toContain('CustomResourceDefinition held');
    }
    expect(fates(await plan('restart --closed-world'))).toEqual(fates(await plan('restart')));
  });

  test('isn’t said to have no object left by why either', async () => {
    for (const target of ['crd/widgets.example.com', 'ns/shop']) {
      const { out } = await command(`why ${target} -f ${folderOf({ 'all.yaml': files })} --closed-world`);
      expect(out).not.toMatch(/is deleted by|no instance is left|nothing is left in it now/u);
    }
  });

  test('may hold them up although an object of it, listed in another version, is in the files', async () => {
    for (const scope of scopes) {
      const told = fates(await plan(scope, files + instance));
      expect(told, scope).toContain('CustomResourceDefinition held');
      expect(told, scope).not.toContain('Namespace deleted');
    }
  });
});
