/** What tools do beside the collector, as commands tell it. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ActionResult, Plan } from '../../src/cli/documents/definitions.ts';
import type { SourceBatch } from '../../src/model/exchange/changes.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import type { JsonObject } from '../../src/source/source.ts';
import { readText } from '../source/files/reading.ts';
import { command } from './console.ts';
import { LastingDemo } from './lasting-demo.ts';
import { ScopedSource } from './scoped-source.ts';

const open: LastingDemo[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const plan = (words: string) => command(`plan ${words} --demo gitops`);

describe('plan', () => {
  test('has what tools do in `logical`, and counts it nowhere else', async () => {
    const { out } = await plan('delete application/shop -n argocd -o json');
    const { deleted, outcome, logical = [] } = JSON.parse(out) as Plan;
    expect({ deleted, outcome }).toEqual({ deleted: [], outcome: 'Depends' });
    expect(new Set(logical.map(({ certainty }) => certainty))).toEqual(new Set(['assumed']));
    expect(logical.map(({ effect, object }) => `${effect} ${object.kind}`)).toEqual([
      'deleted ConfigMap',
      'deleted Deployment',
      'deleted Service',
      'deleted Pod',
      'deleted Pod',
      'deleted ReplicaSet',
      'kept PersistentVolumeClaim',
    ]);
  });

  test('leaves it out where no tool does anything', async () => {
    const { out } = await plan('delete cm/kube-root-ca.crt -n shop -o json --ignore-not-found');
    expect(JSON.parse(out)).not.toHaveProperty('logical');
  });

  test.each([
    ['delete application/shop -n argocd --fail-on=cascades', 1],
    ['delete kustomization/apps -n flux-system --fail-on=cascades', 1],
    ['delete deploy/api -n shop --fail-on=cascades', 0],
    ['delete deploy/api -n shop --fail-on=recreated', 1],
    ['delete cm/settings -n shop --fail-on=recreated', 1],
    // Helm has no controller.
    ['delete cm/banner -n blog --fail-on=recreated', 0],
  ])('%s ends with %i', async (words, code) => {
    expect((await plan(words)).exitCode).toBe(code);
  });

  test('takes what cannot be told for something that may happen', async () => {
    const manifest = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: bare, namespace: argocd, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec: {destination: {name: in-cluster}}`;
    const { exitCode, out } = await command(
      'plan delete application/bare -n argocd -f - --fail-on=cascades',
      {
        stdin: manifest,
      },
    );
    expect(exitCode).toBe(1);
    expect(out).toContain('its spec cannot be seen');
  });
});

describe('delete', () => {
  test('asks for more than a key where tools delete further objects, and its document has them', async () => {
    const cluster = new LastingDemo('gitops');
    open.push(cluster);
    const { out } = await cluster.command('delete application/shop -n argocd --dry-run=client -o json');
    const { plan: told, confirmation } = JSON.parse(out) as ActionResult;
    expect(told?.logical).toHaveLength(7);
    expect(confirmation).toMatchObject({
      kind: 'typed',
      because: expect.stringContaining('tools that manage objects are assumed to delete 6 more') as string,
    });
    expect(cluster.sent).toEqual([]);
  });

  test('still has them in its document once it was sent', async () => {
    const cluster = new LastingDemo('gitops');
    open.push(cluster);
    const { out } = await cluster.command('delete cm/settings -n shop --yes -o json');
    const { plan: told, exit } = JSON.parse(out) as ActionResult;
    expect(exit.code).toBe(0);
    expect(told?.logical).toMatchObject([{ effect: 'recreated', by: 'Argo CD Application argocd/shop' }]);
  });
});

describe('what lies outside of the namespace that is read', () => {
  const page = readFileSync(new URL('../../docs/gitops/flux-kustomization.yaml', import.meta.url), 'utf8');
  const manifests = parseAllDocuments(page).map(each => each.toJS() as JsonObject);

  class Applied extends ScopedSource {
    override get(_: ResourceType, namespace: string, name: string): Promise<JsonObject | undefined> {
      const found = manifests.find(({ kind, metadata }) => {
        const { name: own, namespace: place } = metadata as Record<string, unknown>;
        return kind === 'Kustomization' && own === name && place === namespace;
      });
      return Promise.resolve(found);
    }
  }

  const told = async (words: string): Promise<string> => {
    const { view } = await readText(page, { closedWorld: true });
    const { types } = view.catalog;
    const whole: SourceBatch = {
      changes: [...view.graph.nodes()].flatMap(({ object }) =>
        object === undefined ? [] : [{ op: 'upsert' as const, object }],
      ),
      types,
      failedGroups: [],
      statuses: types
        .filter(ResourceType.isMonitored)
        .map(type => ({ type, state: 'synced' as const, count: 0, facts: true })),
      connection: { state: 'live' },
    };
    const { out, err } = await command(words, { source: new Applied(whole, 'flux-system') });
    expect(err).toBe('');
    return out.replaceAll(/\s+/gu, ' ');
  };

  test('is not known of what a tool deletes, with the flag that reads it', async () => {
    const near = await told('plan delete kustomization/apps -n flux-system');
    expect(near).toContain('the objects were not read (-A reads everything), so whether labels keep them');
    const far = await told('plan delete kustomization/apps -n flux-system -A');
    expect(far).not.toContain('were not read');
    expect(far).toMatch(/deletes 4 Flux Kustomization flux-system\/apps, because/u);
  });

  test('may be read for a target that is in no namespace', async () => {
    expect(await told('plan delete ns/blog -A')).toMatch(/^Deleting Namespace blog in the background/u);
  });
});
