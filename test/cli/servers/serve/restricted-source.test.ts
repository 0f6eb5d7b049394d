import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Extent, Permissions } from '../../../../src/cli/servers/http/caller-permissions.ts';
import { RestrictedSource } from '../../../../src/cli/servers/http/restricted-source.ts';
import { ClusterView } from '../../../../src/graph/cluster-view.ts';
import type { LookUp, SourceBatch } from '../../../../src/model/exchange/changes.ts';
import type { Uid } from '../../../../src/model/object.ts';
import { listedBatch, now, objects } from '../../documents/cluster.ts';

const cluster = `
- {kind: Namespace, name: shop, namespace: ''}
- {kind: Node, name: node-1, namespace: ''}
- {kind: ConfigMap, name: till, owners: [v1 ConfigMap gone gone-1]}
- {kind: ConfigMap, name: ledger, namespace: bank, owners: [v1 ConfigMap lost lost-1]}
- {kind: Secret, name: vault}
`;

const info = { source: 'cluster', context: 'test', namespace: 'default', serverVersion: 'v1.36.3' } as const;

function permissions(extents: Readonly<Record<string, Extent>>, everything = false): Permissions {
  return { everything, namespace: 'shop', extentOf: ({ resource }) => extents[resource] ?? 'none' };
}

function gone(name: string, namespace: string): LookUp {
  return { of: 'object', apiVersion: 'v1', kind: 'ConfigMap', namespace, name, uid: `${name}-1` as Uid };
}

function followed(): ClusterView {
  const view = new ClusterView();
  view.settings = { ...view.settings, listsMayLag: true };
  view.apply(listedBatch(objects(cluster)), now);
  const lookUps = [gone('gone', 'shop'), gone('lost', 'bank')].map(lookUp => ({
    lookUp,
    answer: { state: 'absent' } as const,
  }));
  view.apply({ changes: [], lookUps }, now);
  return view;
}

async function started(permitted: Permissions) {
  const batches: SourceBatch[] = [];
  const source = new RestrictedSource(followed(), info, permitted);
  await source.start(batch => batches.push(batch));
  const names = batches[0]?.changes.map(change => (change.op === 'upsert' ? change.object.name : ''));
  const statusOf = (resource: string) => batches[0]?.statuses?.find(({ type }) => type.resource === resource);
  return { source, batches, names: names?.sort(), statusOf };
}

describe('objects', () => {
  it('are those of a namespace where no more may be listed, whatever the server has', async () => {
    const { names, statusOf } = await started(permissions({ configmaps: 'namespace' }));
    expect(names).toEqual(['till']);
    expect(statusOf('configmaps')).toMatchObject({ state: 'synced', namespaces: ['shop'], count: 1 });
    expect(statusOf('secrets')).toMatchObject({ state: 'blind', reason: '403', count: 0 });
    expect(statusOf('nodes')).toMatchObject({ state: 'blind', reason: '403' });
  });

  it('are all of a kind that may be listed everywhere', async () => {
    const { names } = await started(permissions({ configmaps: 'all', nodes: 'all' }));
    expect(names).toEqual(['ledger', 'node-1', 'till']);
  });

  it('are never read one by one', async () => {
    const { source } = await started(permissions({ secrets: 'all' }, true));
    const [type] = followed().catalog.types;
    if (type === undefined) throw new Error('no type');
    await expect(source.get(type, 'shop', 'vault')).rejects.toMatchObject({ status: 403 });
    expect('act' in source || 'dryRun' in source || 'events' in source).toBe(false);
  });
});

describe('look-ups', () => {
  const asked = [gone('gone', 'shop'), gone('lost', 'bank')];

  async function answers(permitted: Permissions, wanted: readonly LookUp[]) {
    const { source, batches } = await started(permitted);
    source.lookUp(wanted);
    while (batches.length < 2) await sleep(1);
    await source.close();
    return batches[1]?.lookUps?.map(({ lookUp, answer }) => `${lookUp.name} ${answer.state}`);
  }

  it('are answered of what may be seen, from what the server has found out', async () => {
    expect(await answers(permissions({ configmaps: 'all' }), asked)).toEqual(['gone absent', 'lost absent']);
  });

  it('say nothing of other namespaces and kinds', async () => {
    expect(await answers(permissions({ configmaps: 'namespace' }), asked)).toEqual([
      'gone absent',
      'lost unknown',
    ]);
    expect(await answers(permissions({}), asked)).toEqual(['gone unknown', 'lost unknown']);
  });

  it('of dependents and permissions are for those who may list everything', async () => {
    const wide = [{ ...gone('gone', 'shop'), of: 'dependents' as const }];
    expect(await answers(permissions({ configmaps: 'all' }), wide)).toEqual(['gone unknown']);
  });
});
