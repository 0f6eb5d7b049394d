/** What a namespace and what is wanted beside tell of its objects is what the whole cluster tells of them. */
import { expect, test } from 'vitest';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { arrive } from '../../conformance/truth/state.ts';
import { truthScenario } from '../../conformance/truth/worlds.ts';
import { batchOf } from '../../hostile/renamed.ts';
import { command } from '../console.ts';
import { ScopedSource } from '../scoped-source.ts';

/** `GC_TREE_SCOPED=500 npx vitest run --project unit test/cli/session/scoped.test.ts` tries more. */
const CLUSTERS = Number(process.env['GC_TREE_SCOPED'] ?? 50);

const verbs = ['tree', 'plan delete', 'plan delete --cascade=foreground'];

function objectsOf(whole: SourceBatch): KubeObject[] {
  return whole.changes.flatMap(change => (change.op === 'upsert' ? [change.object] : []));
}

/** Objects connected by owner references of which one leads from one namespace into another, or out of all of them. */
function crossing(objects: readonly KubeObject[]): ReadonlySet<string> {
  const byUid = new Map(objects.map(each => [each.uid as string, each]));
  const near = new Map<string, string[]>();
  const found = new Set<string>();
  const open: string[] = [];
  for (const { uid, owners, namespace } of objects) {
    for (const owner of owners) {
      near.set(uid, [...(near.get(uid) ?? []), owner.uid]);
      near.set(owner.uid, [...(near.get(owner.uid) ?? []), uid]);
      const place = byUid.get(owner.uid)?.namespace;
      if (place !== undefined && place !== '' && place !== namespace) open.push(uid);
    }
  }
  for (let uid = open.pop(); uid !== undefined; uid = open.pop()) {
    if (found.has(uid)) continue;
    found.add(uid);
    open.push(...(near.get(uid) ?? []));
  }
  return found;
}

interface Told {
  [key: string]: unknown;
}

/** What goes on anyway, elsewhere or because of nodes that no answer needs, is told by whoever reads it. */
function withoutElsewhere(document: Told, namespace: string): Told {
  const { basis: _basis, steps: _steps, ...told } = document;
  for (const [key, list] of Object.entries(told)) {
    if (!Array.isArray(list)) continue;
    told[key] = list.filter(each => {
      if (each?.anyway !== true) return typeof each !== 'string' || !each.includes('seems not to be running');
      return each.object?.namespace === namespace && each.object.kind !== 'Pod';
    });
  }
  return told;
}

const HEDGE = /-A (?:reads|everything is read)|With -A/;

/** Leaves out of a document of a scope what it says of its limits, and says whether there was any such thing. */
function unhedged(value: unknown): { readonly value: unknown; readonly hedged: boolean } {
  const text = JSON.stringify(value);
  const assumed = text.includes('"certainty":"assumed"');
  const plain = JSON.parse(text, (_key, each: unknown) =>
    Array.isArray(each) ? each.filter(line => typeof line !== 'string' || !HEDGE.test(line)) : each,
  ) as unknown;
  return { value: plain, hedged: HEDGE.test(text) || assumed };
}

async function document(words: string, source: ScopedSource, now: number): Promise<Told> {
  const { out, err, exitCode } = await command(words, { source, now: () => now });
  return out.startsWith('{') ? JSON.parse(out) : { err, exitCode };
}

test('the same documents for every object of random clusters', { timeout: 600_000 }, async () => {
  let compared = 0;
  let hedges = 0;
  for (let seed = 1; seed <= CLUSTERS; seed++) {
    const { world } = await arrive(truthScenario(seed));
    const whole = batchOf(world.cluster, '', 'absent owners');
    const objects = objectsOf(whole);
    const left = crossing(objects);
    for (const [index, { type, namespace, name, uid }] of objects.entries()) {
      if (namespace === '' || left.has(uid)) continue;
      const target = `${type.resource}.${type.version}.${type.group}/${name} -n ${namespace} -o json`;
      for (const verb of ['why', verbs[index % verbs.length]]) {
        const scoped = new ScopedSource(whole, namespace);
        const near = await document(`${verb} ${target}`, scoped, world.now);
        const far = await document(`${verb} ${target} -A`, new ScopedSource(whole, namespace), world.now);
        const what = `${seed} ${verb} ${target}`;
        expect(scoped.scope, what).toEqual({ namespaces: [namespace] });
        expect(far['basis'], what).not.toHaveProperty('scope');
        const [here, everywhere] = [withoutElsewhere(near, namespace), withoutElsewhere(far, namespace)];
        compared += 1;
        if (JSON.stringify(here) === JSON.stringify(everywhere)) continue;
        // Where it knows less, it says so, and says nothing else.
        const { value, hedged } = unhedged(here);
        hedges += 1;
        expect({ what, hedged }).toEqual({ what, hedged: true });
        expect({ what, told: withoutDoubt(value) }).toEqual({ what, told: withoutDoubt(everywhere) });
      }
    }
  }
  expect(compared).toBeGreaterThan(CLUSTERS);
  // Else nothing of it was tried.
  if (CLUSTERS >= 50) expect(hedges).toBeGreaterThan(0);
});

/** How sure something is, in whatever words. */
function withoutDoubt(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll('"certainty":"assumed"', '"certainty":"exact"')
      .replaceAll(', as far as can be seen', '')
      .replaceAll(' (assumed)', '')
      .replaceAll(/, unless something among objects of other namespaces[^.]*(?=\.)/g, ''),
  );
}
