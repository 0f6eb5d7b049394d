/**
 * What is deleted once something is released, and that a forecast counts each object once: in the headline, in the table,
 * in the document and in whatever scope.
 */
import { describe, expect, test } from 'vitest';
import { basisOf } from '../../../src/cli/documents/basis.ts';
import { planDocument } from '../../../src/cli/documents/plan/plan-document.ts';
import { printPlan } from '../../../src/cli/documents/plan/plan-text.ts';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import { FinalizerHandler } from '../../../src/forecast/finalizer-handlers.ts';
import { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { objectDeletion } from '../../../src/graph/deletion.ts';
import type { Identity } from '../../../src/graph/node.ts';
import { type KubeObject, podFacts, type Uid } from '../../../src/model/object.ts';
import { controlPlane } from '../../../src/simulation/controllers/control-plane.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { SimulatedCluster } from '../../../src/simulation/runtime/simulated-cluster.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { policyWords } from '../../../src/text/actions/policies.ts';
import { Fates } from '../../../src/text/plan/fate-words.ts';
import { planWords } from '../../../src/text/plan/plan-lines.ts';
import { NOW } from '../../simulation/fixtures.ts';
import { nodes, now, plan, planDelete, pod, title, titles, viewOf } from '../fixtures.ts';
import { emptiableWorld, pick, viewOf as viewOfWorld } from '../random-world.ts';

function text(made: Forecast): string {
  const look = { wide: true, steps: false, colour: false, ascii: false, width: undefined };
  return [...printPlan(made, look)].join('');
}

/** `Secret key after ConfigMap rec` */
function releases({ doomed }: Forecast): string[] {
  return doomed.map(
    ({ object, after }) => `${title(object)} after ${after?.map(title).join(' and ') ?? 'everything'}`,
  );
}

describe('what is deleted once something is released', () => {
  const emptied = viewOf(`${nodes}
- {kind: ConfigMap, name: settings}
- {kind: Secret, name: key, finalizers: [example.com/own]}${pod('a', '', ', finalizers: [example.com/drain]')}${pod('b', '')}`);

  test('is named with what holds it up: a namespace deletes its pods first', () => {
    const made = planDelete(emptied, 'shop');
    expect(titles(made.deleted)).toEqual(['Pod b']);
    expect(titles(made.terminating)).toEqual(['Namespace shop', 'Pod a']);
    expect(releases(made)).toEqual([
      'ConfigMap settings after Pod a',
      'Secret key after Pod a and Secret key',
    ]);
    expect(text(made).split('\n')[0]).toBe(
      'Deleting Namespace shop in the background gets stuck: 1 object is deleted, 2 stay terminating, 2 more are deleted once what holds them is released.',
    );
    expect(text(made)).toContain(
      '  then         2  ConfigMap shop/settings: deleted once Pod shop/a is released',
    );
  });

  test('counts for whoever asks how much is deleted at most', () => {
    expect(titles(Forecast.deletedAtMost(planDelete(emptied, 'shop')))).toEqual([
      'Pod b',
      'ConfigMap settings',
      'Secret key',
    ]);
  });

  test('counts among the signs of the screen, and stands in the table of policies', () => {
    expect(planWords.countSigns(planDelete(emptied, 'shop'))).toBe('-3 !2');
    const view = viewOf(`
- {kind: ConfigMap, name: rec, finalizers: [example.com/drain]}
- {kind: Secret, name: key, owners: [v1 ConfigMap rec rec +b]}`);
    const forecasts = {
      background: planDelete(view, 'rec'),
      foreground: planDelete(view, 'rec', 'foreground'),
      orphan: planDelete(view, 'rec', 'orphan'),
    };
    const lines = Array.from(policyWords.lines(forecasts, { all: true, width: undefined }), ({ spans }) =>
      spans.map(each => each.text).join(''),
    );
    expect(lines.find(line => /^ +Secret key/u.test(line))).toMatch(/later +deleted +orphaned/u);
  });

  test('is told of each of two targets apart', () => {
    const view = viewOf(`
- {kind: ConfigMap, name: a, finalizers: [example.com/a]}
- {kind: ConfigMap, name: b, finalizers: [example.com/b]}
- {kind: Secret, name: of-a, owners: [v1 ConfigMap a]}
- {kind: Secret, name: of-b, owners: [v1 ConfigMap b]}
- {kind: Secret, name: of-both, owners: [v1 ConfigMap a, v1 ConfigMap b]}`);
    const made = planDelete(view, 'a b');
    expect(releases(made)).toEqual([
      'Secret of-a after ConfigMap a',
      'Secret of-b after ConfigMap b',
      'Secret of-both after ConfigMap a and ConfigMap b',
    ]);
    expect(made.untouched).toEqual([]);
  });

  test('is deleted after a pod that no kubelet confirms to have stopped, too', () => {
    const view = viewOf(`${nodes}
- {kind: ConfigMap, name: settings}
- {kind: Pod, name: lost, spec: {nodeName: node-2, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: Running}}`);
    expect(releases(planDelete(view, 'shop'))).toEqual(['ConfigMap settings after Pod lost']);
  });

  test('counts for nobody who acts on something else', () => {
    const going = viewOf(`${nodes}
- {kind: ConfigMap, name: held, deletionTimestamp: "2026-11-21T11:00:00Z", finalizers: [example.com/drain]}
- {kind: Secret, name: key, owners: [v1 ConfigMap held]}
- {kind: ConfigMap, name: other, finalizers: [example.com/drain]}`);
    expect(releases(plan(going, 'none'))).toEqual(['Secret key after ConfigMap held']);
    const made = planDelete(going, 'other');
    expect(made.doomed).toMatchObject([{ object: { name: 'key' }, anyway: true }]);
    expect(text(made).split('\n')[0]).toBe(
      'Deleting ConfigMap shop/other in the background gets stuck: 1 stays terminating.',
    );
  });
});

describe('a forecast counts', () => {
  const held = 'deletionTimestamp: "2026-11-21T11:00:00Z", finalizers: [example.com/drain]';
  const view = viewOf(`
- {kind: ConfigMap, name: a, ${held}}
- {kind: ConfigMap, name: b, ${held}}
- {kind: ConfigMap, name: c}`);

  test('targets that are being deleted already in the headline as in the table', () => {
    expect(text(planDelete(view, 'a b c')).split('\n').slice(0, 4)).toEqual([
      'Deleting 3 objects in the background gets stuck: 1 object is deleted, 2 stay terminating.',
      '',
      '  deleted      1  ConfigMap c',
      '  stuck        2  ConfigMap a waits for finalizer example.com/drain, which its own controller has to remove',
    ]);
  });

  test('nothing as stuck by a restart that changes nothing', () => {
    const made = plan(view, 'restart');
    expect(text(made).split('\n')[0]).toBe('A restart of kube-controller-manager changes nothing.');
    expect(made.outcome).toBe('NoChange');
  });
});

/** The number in front of these words, or behind this label; 0 where they aren't there. */
function numberBy(pattern: RegExp, words: string): number {
  return Number(pattern.exec(words)?.[1]?.replaceAll(',', '') ?? 0);
}

function inHeadline(made: Forecast): Record<string, number> {
  const [headline = ''] = text(made).split('\n');
  return {
    deleted: numberBy(/(\d+) objects? (?:is|are) deleted/u, headline),
    stuck: numberBy(/(\d+) (?:stays? terminating|waits?) /u, `${headline.replace(/[.,]/gu, ' ')} `),
    altered: numberBy(/(\d+) (?:is|are) altered/u, headline),
    doomed: numberBy(/(\d+) more (?:is|are) deleted/u, headline),
  };
}

function inTable(made: Forecast): Record<string, number> {
  const table = text(made);
  return {
    deleted: numberBy(/^ {2}deleted +(\d+)/mu, table),
    stuck: numberBy(/^ {2}(?:stuck|waiting) +(\d+)/mu, table),
    altered: numberBy(/^ {2}altered +(\d+)/mu, table),
    doomed: numberBy(/^ {2}then +(\d+)/mu, table),
  };
}

function inDocument(made: Forecast, view: ReturnType<typeof viewOf>): Record<string, number> {
  const info = { source: 'files', context: 'test', namespace: 'ns1', serverVersion: undefined } as const;
  const { action, deleted, terminating, changed, then } = planDocument(basisOf(info, view, now), made);
  const targets = new Set(action.targets.map(({ uid }) => uid));
  const own = (list: readonly { readonly anyway?: true }[]): number =>
    list.filter(({ anyway }) => anyway !== true).length;
  return {
    deleted: own(deleted),
    stuck: terminating.filter(each => each.anyway !== true || targets.has(each.object.uid)).length,
    altered: own(changed),
    doomed: own(then),
  };
}

interface Situation {
  readonly cluster: SimulatedCluster;
  readonly settled: readonly KubeObject[];
  readonly view: ReturnType<typeof viewOf>;
  readonly made: Forecast;
}

const cascades = ['background', 'foreground', 'orphan'] as const;
const policies = { background: 'Background', foreground: 'Foreground', orphan: 'Orphan' } as const;

/** A random cluster at rest, in which something may be held already, and the forecast of what is deleted of it next. */
function situation(seed: number): Situation {
  const random = new Random(seed);
  const objects = emptiableWorld(random);
  const cluster = new SimulatedCluster({ now: NOW, types: builtInTypes, objects, processes: controlPlane() });
  cluster.start();
  cluster.run();
  const chosen = (): KubeObject[] => {
    const all = [...cluster.store.all()];
    const found = Array.from({ length: 1 + random.below(3) }, () => all[random.below(all.length)]);
    return [...new Set(found)].filter(
      each => each !== undefined && each.type.kind !== 'Node',
    ) as KubeObject[];
  };
  if (seed % 2 === 0) {
    for (const each of chosen()) cluster.as('before').delete(each, { propagationPolicy: 'Background' });
    cluster.run();
  }
  const settled = [...cluster.store.all()];
  const view = viewOfWorld(settled);
  const targets = chosen();
  const cascade = pick(random, cascades);
  const action =
    seed % 7 === 0 ? ({ verb: 'none' } as const) : ({ verb: 'delete', cascade, targets } as const);
  const made = forecast(view, action, { now: cluster.clock.now });
  if (action.verb === 'delete')
    for (const each of targets) cluster.as('user').delete(each, { propagationPolicy: policies[cascade] });
  cluster.run();
  return { cluster, settled, view, made };
}

/** Takes the finalizers of others off whatever of these is being deleted, and stops its containers, until nothing comes of it. */
function release(cluster: SimulatedCluster, uids: ReadonlySet<Uid> | undefined): void {
  for (let acted = true; acted; cluster.run()) {
    acted = false;
    for (const object of Array.from(cluster.store.all())) {
      if (object.deletionTimestamp === undefined || uids?.has(object.uid) === false) continue;
      const finalizers = object.finalizers.filter(each => !FinalizerHandler.isForeign(each));
      if (objectDeletion.finalizers(object).some(FinalizerHandler.isForeign))
        acted = cluster.as('somebody').patch(object, { finalizers }, { uid: object.uid }).ok || acted;
      const left = cluster.store.byUid(object.uid);
      if ((podFacts(left ?? object)?.nodeName ?? '') === '' || !(left?.deletionGracePeriodSeconds ?? 0))
        continue;
      if (left !== undefined)
        acted = cluster.as('somebody').delete(left, { gracePeriodSeconds: 0 }).ok || acted;
    }
  }
}

/** More of them: `GC_TREE_RELEASES=2000`. */
const SEEDS = Number(process.env['GC_TREE_RELEASES'] ?? 100);

test('of random clusters the headline, the table and the document count alike, and each object once', () => {
  const counted = { deleted: 0, stuck: 0, altered: 0, doomed: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { made, view } = situation(seed);
    const document = inDocument(made, view);
    expect(inHeadline(made), `seed ${seed}: ${text(made)}`).toEqual(document);
    expect(inTable(made), `seed ${seed}: ${text(made)}`).toEqual(document);
    const { deleted, terminating, doomed, untouched } = made;
    const places = [...deleted, ...terminating, ...doomed].map(({ object }) => object.uid);
    expect(new Set(places).size, `seed ${seed}`).toBe(places.length);
    for (const { uid } of untouched) expect(places, `seed ${seed}`).not.toContain(uid);
    for (const key of ['deleted', 'stuck', 'altered', 'doomed'] as const) counted[key] += document[key] ?? 0;
  }
  for (const number of Object.values(counted)) expect(number).toBeGreaterThan(SEEDS / 10);
});

test('of random clusters a narrower scope shows less and claims nothing else', () => {
  for (let seed = 7; seed <= 4 * SEEDS; seed += 7) {
    const { made, view } = situation(seed);
    for (const narrowed of [made, forecast(view, { verb: 'restart' }, { now: NOW + 86_400_000 })]) {
      const whole = Fates.of(narrowed);
      for (const namespace of ['ns1', 'ns2']) {
        const fates = Fates.of(Forecast.inNamespace(narrowed, namespace));
        for (const object of whole.objects) {
          const isInside =
            object.namespace === namespace || (object.kind === 'Namespace' && object.name === namespace);
          const said = fates.of(object.uid);
          if (isInside || said !== undefined)
            expect(said, `seed ${seed}: ${title(object)} in ${namespace}`).toEqual(whole.of(object.uid));
        }
      }
    }
  }
});

test('of random clusters what is released takes along what the forecast names, and nothing else', () => {
  const seen = { doomed: 0, several: 0, itself: 0 };
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { made, settled } = situation(seed);
    const uncertain = new Set(made.timingDependent.map(({ object }) => object.uid));
    const certain = settled.filter(({ uid }) => !uncertain.has(uid));
    if (uncertain.size > 0) continue;
    for (const { object, after } of made.doomed) {
      const { cluster } = situation(seed);
      expect(cluster.store.byUid(object.uid)?.uid, `seed ${seed}: ${title(object)}`).toBe(object.uid);
      release(cluster, after && new Set(after.map(({ uid }: Identity) => uid)));
      expect(cluster.store.byUid(object.uid)?.uid, `seed ${seed}: ${title(object)}`).toBeUndefined();
      seen.doomed += 1;
      if ((after?.length ?? 0) > 1) seen.several += 1;
      if (after?.some(({ uid }) => uid === object.uid)) seen.itself += 1;
    }
    const targets = new Set(made.action.targets.map(({ uid }) => uid));
    // What only others hold says nothing of the action.
    if (!made.terminating.some(({ anyway, object }) => !anyway || targets.has(object.uid))) continue;
    const { cluster } = situation(seed);
    release(cluster, undefined);
    const gone = certain.filter(({ uid }) => cluster.store.byUid(uid) === undefined).map(({ uid }) => uid);
    const told = new Set(
      [...made.deleted, ...made.terminating, ...made.doomed].map(({ object }) => object.uid),
    );
    expect(
      gone.filter(uid => !told.has(uid)),
      `seed ${seed}`,
    ).toEqual([]);
  }
  expect(seen.doomed).toBeGreaterThan(SEEDS / 10);
  expect(seen.several).toBeGreaterThan(SEEDS / 20);
  expect(seen.itself).toBeGreaterThan(SEEDS / 50);
});
