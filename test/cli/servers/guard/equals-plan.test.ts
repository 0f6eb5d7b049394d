/**
 * Compares the guard's forecast with that of `plan` in random worlds, with four deletions each. `GC_TREE_GUARD=1000` sets
 * their number, `GC_TREE_GUARD_SEED=7` the first seed.
 */
import { expect, it } from 'vitest';
import type { Plan } from '../../../../src/cli/documents/definitions.ts';
import type { SourceBatch } from '../../../../src/model/exchange/changes.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import { Random } from '../../../../src/simulation/runtime/random.ts';
import { emptiableWorld, pick } from '../../../forecast/random-world.ts';
import { command } from '../../console.ts';
import { listedBatch } from '../../documents/cluster.ts';
import type { Serving } from '../serve/serving.ts';
import { ListingSource, startListed, warningsFor } from './reviewing.ts';

const rounds = Number(process.env['GC_TREE_GUARD'] ?? 12);
const first = Number(process.env['GC_TREE_GUARD_SEED'] ?? 20_261_130);
const TARGETS = 4;
const TRIES = 5;

class WorldSource extends ListingSource {
  readonly #objects: readonly KubeObject[];

  constructor(objects: readonly KubeObject[]) {
    super('[]', { alice: ['*.* in *'] });
    this.#objects = objects;
  }

  override start(listener: (batch: SourceBatch) => void): Promise<void> {
    listener(listedBatch(this.#objects.map(object => ({ op: 'upsert', object }))));
    return Promise.resolve();
  }
}

const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

/** Names in these lines; every object of a world has a name of its own. */
function namesIn(lines: readonly string[], head: RegExp): string[] {
  const found = lines.filter(line => head.test(line));
  return [
    ...new Set(found.flatMap(line => line.match(/(?<![/.])\b(?:o\d|pod\d|ns\d(?!\/))\b|(?<=\/)\w+/gu) ?? [])),
  ].sort();
}

type Listed = readonly { readonly object: { readonly name: string }; readonly anyway?: boolean }[];

function own(list: Listed, target: string): string[] {
  const names = list.filter(({ anyway }) => anyway !== true).map(({ object }) => object.name);
  return [...new Set(names)].filter(name => name !== target).sort();
}

/** How many deletions were told to take something along, or to get stuck. */
const told = { deleted: 0, stuck: 0 };

async function difference(at: Serving, objects: readonly KubeObject[], random: Random): Promise<string[]> {
  const target = objects[random.below(objects.length)];
  if (target === undefined) return [];
  const { type, namespace, name, uid, resourceVersion } = target;
  const cascade = pick<keyof typeof policies>(random, ['background', 'foreground', 'orphan']);
  const scope = namespace === '' ? '' : ` -n ${namespace}`;
  const words = `plan delete ${type.resource}/${name}${scope} --cascade=${cascade} -o json`;
  const { out } = await command(words, { source: new WorldSource(objects) });
  const plan = JSON.parse(out) as Plan;
  const planned = {
    deleted: own([...plan.deleted, ...plan.then], name),
    stuck: plan.outcome === 'Stuck' ? own(plan.terminating, '') : [],
  };
  const ask = () =>
    warningsFor(at, {
      kind: type.kind,
      apiVersion: type.apiVersion,
      name,
      namespace,
      before: { uid, resourceVersion },
      options: { propagationPolicy: policies[cascade] },
    });
  const isTold = planned.deleted.length + planned.stuck.length > 0;
  let warnings = await ask();
  // On a busy machine it has no time to answer.
  for (let tries = 0; isTold && warnings.length === 0 && tries < TRIES; tries += 1) warnings = await ask();
  const said = {
    deleted: namesIn(warnings, /^Also deleted/u).filter(each => each !== name),
    stuck: namesIn(
      warnings.map(line => line.replace(/ waits for .*/u, '')),
      /^(?:Gets stuck|Stuck with it)/u,
    ),
  };
  if (said.deleted.length > 0) told.deleted += 1;
  if (said.stuck.length > 0) told.stuck += 1;
  const isEqual = JSON.stringify(said) === JSON.stringify(planned);
  return isEqual ? [] : [`${words}\n${JSON.stringify({ said, planned, warnings }, undefined, 1)}`];
}

it(`forecasts deletions in ${rounds} random worlds as plan does`, async () => {
  const wrong: string[] = [];
  for (let seed = first; seed < first + rounds; seed += 1) {
    const random = new Random(seed);
    const objects = emptiableWorld(random);
    const at = await startListed(new WorldSource(objects));
    try {
      for (let n = 0; n < TARGETS; n += 1)
        for (const each of await difference(at, objects, random)) wrong.push(`seed ${seed}: ${each}`);
    } finally {
      await at.end();
    }
  }
  expect(wrong.slice(0, 3).join('\n')).toBe('');
  expect(Math.min(told.deleted, told.stuck)).toBeGreaterThan(0);
}, 3_600_000);
