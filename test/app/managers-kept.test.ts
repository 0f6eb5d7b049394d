import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import { Managers } from '../../src/app/cluster/manager-rows.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import { Forest } from '../../src/graph/forest.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import { objectJson } from '../../src/model/object-json.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { objects } from '../cli/documents/cluster.ts';

const applications: ResourceType = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  apiVersion: 'argoproj.io/v1alpha1',
  resource: 'applications',
  kind: 'Application',
  namespaced: true,
  verbs: ResourceType.allVerbs,
  preferred: true,
  singular: 'application',
  shortNames: [],
  categories: [],
};

function application(namespace: string): Change {
  const metadata = { name: 'shop', namespace, uid: `application-${namespace}` };
  const object = objectJson.read(applications, { metadata });
  if (object === undefined) throw new Error('no Application');
  return { op: 'upsert', object };
}

const marks = [
  '',
  'labels: { app.kubernetes.io/instance: shop }',
  'labels: { kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux }',
  'labels: { kustomize.toolkit.fluxcd.io/name: infra, kustomize.toolkit.fluxcd.io/namespace: flux }',
];

/** A Deployment with what it controls, and some beside it; each with all marks, and owned or not; two own each other. */
const bodies = [
  ['shop', 'Deployment', 'web', ''],
  ['shop', 'ReplicaSet', 'web-5d', 'apps/v1 Deployment web web +c'],
  ['shop', 'Pod', 'web-5d-x', 'apps/v1 ReplicaSet web-5d web-5d +c'],
  ['shop', 'ConfigMap', 'settings', 'apps/v1 Deployment web web'],
  ['infra', 'Secret', 'key', 'v1 ConfigMap cert cert +c'],
  ['infra', 'ConfigMap', 'cert', 'v1 Secret key key'],
];

const anyChange = fc.constantFrom(
  ...bodies.flatMap(([namespace, kind, name, owner]) => {
    const owners = owner === '' ? [''] : ['', `, owners: [${owner}]`];
    const upserts = marks.flatMap(mark =>
      owners.flatMap(owned =>
        objects(
          `- { kind: ${kind}, namespace: ${namespace}, name: ${name}${owned}${mark === '' ? '' : `, ${mark}`} }`,
        ),
      ),
    );
    return [...upserts, ...gone(upserts)];
  }),
  ...['argocd', 'shop'].flatMap(namespace => {
    const there = application(namespace);
    return [there, ...gone([there])];
  }),
);

function gone(upserts: readonly Change[]): Change[] {
  return upserts
    .slice(0, 1)
    .flatMap(change =>
      change.op === 'upsert' ? [{ op: 'delete', uid: change.object.uid, type: change.object.type }] : [],
    );
}

/** Of the filter: none, of objects, of a manager, of both. */
const anyWords = fc.constantFrom('', 'web', 'configmap', 'flux', 'pod web', 'shop', 'nothing');

function picture(managers: Managers, words: string) {
  managers.rows.setFilter(words);
  while (!managers.sorted) managers.sortMore(3);
  managers.rows.setAllFolded(false);
  return managers.rows
    .window(0, 1_000)
    .map(row => (row.kind === 'group' ? [row.key, row.count, row.head.objects] : row.key));
}

test.each([undefined, 'shop'])(
  'who manages what after any history is what a fresh look finds (scope %s)',
  scope => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            changes: fc.array(anyChange, { maxLength: 4 }),
            sorts: fc.nat({ max: 9 }),
            words: fc.option(anyWords, { nil: undefined }),
          }),
          { maxLength: 20 },
        ),
        anyWords,
        (history, words) => {
          const view = new ClusterView();
          view.apply({ changes: [], types: [...builtInTypes, applications] }, 0);
          const forest = new Forest(view.graph, { namespace: scope });
          const kept = new Managers(view, forest, diagnostics);
          for (const { changes, sorts, words: typed } of history) {
            if (typed !== undefined) kept.rows.setFilter(typed);
            const applied = view.apply({ changes }, 0);
            forest.apply(applied.graph);
            kept.apply(applied);
            // Objects may come and go while others are yet to be sorted.
            if (sorts > 0 && !kept.sorted) kept.sortMore(sorts);
          }
          expect(picture(kept, words)).toEqual(picture(new Managers(view, forest, diagnostics), words));
        },
      ),
      { numRuns: 1500 },
    );
  },
);
