/** `tree --by=manager`: what the Managers view of the screen shows, printed. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ManagerList } from '../../../../src/cli/documents/definitions.ts';
import type { SourceBatch } from '../../../../src/model/exchange/changes.ts';
import { objectJson } from '../../../../src/model/object-json.ts';
import { ResourceType } from '../../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { command, type Setting, SmallSource } from '../../console.ts';
import { objects } from '../../documents/cluster.ts';
import { ScopedSource } from '../../scoped-source.ts';

const helm = `labels: { app: web, app.kubernetes.io/managed-by: Helm },
    annotations: { meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop }`;

const cluster = `
- { kind: Namespace, name: shop, namespace: "" }
- { kind: Namespace, name: infra, namespace: "" }
- { kind: Deployment, name: web, ${helm} }
- { kind: ReplicaSet, name: web-5d, owners: [apps/v1 Deployment web web +c], ${helm} }
- { kind: Pod, name: web-5d-x, owners: [apps/v1 ReplicaSet web-5d web-5d +c], labels: { app: web } }
- { kind: Service, name: web, uid: s, creationTimestamp: "2026-11-21T11:30:00Z", ${helm} }
- { kind: ConfigMap, name: by-hand, owners: [v1 Secret gone] }
- { kind: ConfigMap, name: flux, namespace: infra, labels: { kustomize.toolkit.fluxcd.io/name: apps,
    kustomize.toolkit.fluxcd.io/namespace: flux-system } }`;

function run(words: string, setting: Setting = {}) {
  return command(`tree --by=manager ${words}`, { source: new SmallSource(cluster), ...setting });
}

async function lines(words: string, setting: Setting = {}): Promise<readonly string[]> {
  const { out, err, exitCode } = await run(words, setting);
  expect([err, exitCode]).toEqual(['', 0]);
  return out.trimEnd().split('\n');
}

describe('tree --by=manager', () => {
  test('has a heading for each manager, and what nobody manages last', async () => {
    expect((await lines('-n shop')).map(line => line.replace(/ {3,}/gu, ' | '))).toEqual([
      'NAME | STATE | AGE',
      'Helm release shop/web (2)  4 with what they control',
      '├─ Deployment shop/web | 0/1 | 60m',
      '└─ Service shop/web | 30m',
      'No manager (1)',
      '└─ ConfigMap shop/by-hand | ✗ will be collected | 60m',
    ]);
  });

  test('groups the whole cluster with -A, and sorts as it is told to', async () => {
    const all = await lines('-A --no-headers');
    expect(all.filter(line => /^[A-Z]/u.test(line))).toEqual([
      'Flux Kustomization flux-system/apps (1)',
      'Helm release shop/web (2)  4 with what they control',
      'No manager (3)',
    ]);
    const rows = (await lines('-n shop --no-headers --sort-by age')).filter(line =>
      line.includes('shop/web'),
    );
    expect(rows.map(line => line.trim().split(/ {2,}/u)[0])).toEqual([
      'Helm release shop/web (2)',
      '├─ Deployment shop/web',
      '└─ Service shop/web',
    ]);
    const byKind = await lines('-n shop --no-headers --sort-by name -l app=web --ascii');
    expect(byKind.slice(1).map(line => /\w+ shop\/\S+/u.exec(line)?.[0])).toEqual([
      'Deployment shop/web',
      'Service shop/web',
      'ReplicaSet shop/web-5d',
      'Pod shop/web-5d-x',
    ]);
  });

  test('says of a selected object with whom it is managed', async () => {
    const [title, heading, row, ...rest] = await lines('pods -n shop -o wide');
    expect(title).toMatch(/^NAME .* MANAGED BY .* NOTE$/u);
    expect(heading).toBe('Helm release shop/web (1)');
    expect(row).toMatch(/^└─ Pod shop\/web-5d-x .* \(Helm\/web\) .* managed with Deployment web$/u);
    expect(rest).toEqual([]);
  });

  test('prints the names of what has a row, each once', async () => {
    expect(await lines('-n shop -o name')).toEqual([
      'deployment.apps/web',
      'service/web',
      'configmap/by-hand',
    ]);
  });

  test('is a document with the evidence', async () => {
    const list = JSON.parse((await lines('-n shop -o json')).join('\n')) as ManagerList & {
      items: readonly object[];
    };
    expect(list).toMatchObject({
      kind: 'ManagerList',
      basis: { complete: true },
      items: [
        {
          manager: { tool: 'Helm', called: 'release', namespace: 'shop', name: 'web' },
          objects: 4,
          members: [
            {
              object: { kind: 'Deployment', name: 'web' },
              dependents: 1,
              evidence: 'annotation meta.helm.sh/release-name: web',
            },
            { object: { kind: 'Service', name: 'web' }, dependents: 0 },
          ],
        },
        { objects: 1, members: [{ object: { kind: 'ConfigMap', name: 'by-hand' } }] },
      ],
    });
    expect(list.items[1]).not.toHaveProperty('manager');
    expect(parse((await lines('-n shop -o yaml')).join('\n'))).toEqual(list);
  });

  test.each([40, 60, 80])('is never wider than a terminal of %i columns', async columns => {
    const printed = await lines('-A -o wide', { columns });
    expect(Math.max(...printed.map(line => line.length))).toBeLessThanOrEqual(columns);
  });

  test.each([
    ['--watch', '--watch is for owners. Leave out --by=manager.'],
    ['--flat -o json', '--flat is for owners. Leave out --by=manager.'],
    ['-o dot', '--by=manager cannot be drawn as dot. Use -o text, wide, json, yaml or name.'],
    ['cm/none', 'configmap "none" not found in namespace shop.'],
  ])('refuses %s', async (words, message) => {
    const { out, err, exitCode } = await run(words);
    expect([out, err, exitCode]).toEqual(['', `kubectl gc-tree: ${message}\n`, 2]);
  });

  test('says so where there is nothing', async () => {
    const { out, err } = await run('pods -l app=none');
    expect([out, err]).toEqual(['', 'No resources found in shop namespace.\n']);
  });
});

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

test('finds the Application that a label only counts with in another namespace than the one that is read', async () => {
  const metadata = { name: 'web', namespace: 'argocd', uid: 'application' };
  const application = objectJson.read(applications, { metadata });
  if (application === undefined) throw new Error('no Application');
  const whole: SourceBatch = {
    changes: [
      { op: 'upsert', object: application },
      ...objects(
        '- { kind: ConfigMap, name: settings, labels: { app.kubernetes.io/instance: web } }\n- { kind: Namespace, name: shop, namespace: "" }',
      ),
    ],
    types: [...builtInTypes, applications],
    failedGroups: [],
    statuses: [...builtInTypes.filter(ResourceType.isMonitored), applications].map(type => ({
      type,
      state: 'synced',
      count: 0,
      facts: true,
    })),
    connection: { state: 'live' },
  };
  for (const words of ['tree --by=manager -n shop --no-headers', 'tree --by=manager -A cm --no-headers']) {
    const { out } = await command(words, { source: new ScopedSource(whole, 'shop') });
    expect(out.split('\n')[0], words).toBe('Argo CD Application argocd/web (1)');
  }
});
