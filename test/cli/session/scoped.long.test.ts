/** What a namespace and what is wanted beside tell of its objects is what the whole cluster tells of them. */
import { expect, test } from 'vitest';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { arrive } from '../../conformance/truth/state.ts';
import { truthScenario } from '../../conformance/truth/worlds.ts';
import { batchOf } from '../../hostile/renamed.ts';
import { command } from '../console.ts';
import { now as moment, objects as objectsIn } from '../documents/cluster.ts';
import { compareAnswers, crossing, type Told, toldBy, verbs, wordsFor } from '../scoped-answers.ts';
import { ScopedSource } from '../scoped-source.ts';

/** `GC_TREE_SCOPED=500 npx vitest run --project long-unit test/cli/session/scoped.long.test.ts` tries more. */
const CLUSTERS = Number(process.env['GC_TREE_SCOPED'] ?? 50);

function objectsOf(whole: SourceBatch): KubeObject[] {
  return whole.changes.flatMap(change => (change.op === 'upsert' ? [change.object] : []));
}

async function document(words: string, source: ScopedSource, now: number): Promise<Told> {
  return toldBy(await command(words, { source, now: () => now }));
}

test('the same documents for every object of random clusters', { timeout: 600_000 }, async () => {
  let compared = 0;
  let hedges = 0;
  for (let seed = 1; seed <= CLUSTERS; seed++) {
    const { world } = await arrive(truthScenario(seed));
    const whole = batchOf(world.cluster, '', 'absent owners');
    const objects = objectsOf(whole);
    const left = crossing(objects);
    for (const [index, object] of objects.entries()) {
      const { namespace, uid } = object;
      if (namespace === '' || left.has(uid)) continue;
      const target = wordsFor(object);
      const [why, ...others] = verbs;
      for (const verb of [why, others[index % others.length]]) {
        const scoped = new ScopedSource(whole, namespace);
        const near = await document(`${verb} ${target}`, scoped, world.now);
        const far = await document(`${verb} ${target} -A`, new ScopedSource(whole, namespace), world.now);
        const what = `${seed} ${verb} ${target}`;
        expect(scoped.scope, what).toEqual({ namespaces: [namespace] });
        expect(far['basis'], what).not.toHaveProperty('scope');
        const comparison = compareAnswers(near, far, { namespace, left });
        compared += 1;
        if (comparison === 'same') continue;
        hedges += 1;
        expect({ what, hedged: comparison.hedged }).toEqual({ what, hedged: true });
        expect({ what, told: comparison.scoped }).toEqual({ what, told: comparison.whole });
      }
    }
  }
  expect(compared).toBeGreaterThan(CLUSTERS);
  // Else nothing of it was tried.
  if (CLUSTERS >= 50) expect(hedges).toBeGreaterThan(0);
});

/** Everything of it can be listed. */
function clusterOf(yaml: string): SourceBatch {
  const served = builtInTypes.filter(ResourceType.isMonitored);
  return {
    changes: objectsIn(yaml),
    types: builtInTypes,
    failedGroups: [],
    statuses: served.map(type => ({ type, state: 'synced', count: 0, facts: true })),
    connection: { state: 'live' },
  };
}

test('a dependent elsewhere may hold a foreground deletion, which its namespace alone cannot show', async () => {
  const whole = clusterOf(`
- {kind: Namespace, name: shop}
- {kind: ConfigMap, name: web, deletionTimestamp: "2026-11-21T11:59:58Z", finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: api, owners: [v1 ConfigMap web]}
- {kind: ClusterRole, name: reader, owners: [v1 ConfigMap web web +b]}
`);
  const told = async (words: string): Promise<string> =>
    (await command(words, { source: new ScopedSource(whole, 'shop'), now: () => moment })).out;
  expect(await told('why cm/web -A')).toContain('waits for ClusterRole reader');
  const near = await told('why cm/web');
  expect(near).toContain('no dependent that can be seen holds it any more');
  expect(near).not.toContain('no dependent holds it');
  const certainty = async (words: string): Promise<unknown> =>
    /"name":"api".*?"certainty":"(\w+)"/.exec(JSON.stringify(JSON.parse(await told(words))))?.[1];
  expect([await certainty('tree cm/web -o json'), await certainty('tree cm/web -A -o json')]).toEqual([
    'assumed',
    'exact',
  ]);
});

test('what a namespace owns outside of it is not taken to be gone', async () => {
  const whole = clusterOf(`
- {kind: Namespace, name: shop, deletionTimestamp: "2026-11-21T11:00:00Z", finalizers: [foregroundDeletion]}
- {kind: ClusterRole, name: reader, owners: [v1 Namespace shop shop +b], finalizers: [example.com/hold]}
`);
  const told = async (words: string): Promise<string> =>
    (await command(words, { source: new ScopedSource(whole, 'shop'), now: () => moment })).out;
  expect(await told('check -A -o json')).toContain('ClusterRole reader is owned by it');
  const near = await told('check -o json');
  expect(near).toContain('what it owns elsewhere cannot be seen');
  expect(near).not.toContain('nothing that it owns blocks it');
});

test('a namespace that is not there is an error of every command about all of it', async () => {
  const whole = clusterOf('[{kind: Namespace, name: shop}, {kind: ConfigMap, name: data}]');
  for (const words of ['tree -n shpo', 'check -n shpo', 'check -n shpo -o json']) {
    const told = await command(words, { source: new ScopedSource(whole, 'shop'), now: () => moment });
    expect(told).toMatchObject({
      out: '',
      err: 'kubectl gc-tree: namespace "shpo" not found. Did you mean shop?\n',
      exitCode: 2,
    });
  }
});

test('while changes are followed, what comes up beside the namespace is read too', async () => {
  const whole = clusterOf(`
- {kind: Namespace, name: shop}
- {kind: ConfigMap, name: data}
- {kind: ClusterRole, name: boss}
`);
  const [change] = objectsIn(
    '[{kind: ConfigMap, name: late, owners: [rbac.authorization.k8s.io/v1 ClusterRole boss]}]',
  );
  const source = new ScopedSource(whole, 'shop');
  let isCreated = false;
  const { out } = await command('tree --watch', {
    source,
    now: () => moment,
    onOutput: (text, interrupt) => {
      if (!isCreated && change?.op === 'upsert') setImmediate(() => source.create(change.object));
      isCreated = true;
      if (/ConfigMap shop\/late .*owned by ClusterRole boss$/mu.test(text)) interrupt();
    },
  });
  expect(out).toContain('\nClusterRole boss ');
});
