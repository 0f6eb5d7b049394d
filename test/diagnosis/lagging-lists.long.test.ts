/**
 * A cluster that goes on while it is listed: every kind's list is of another moment, watches lag, and look-ups are
 * answered with what is there when they are asked. Whatever is said for certain of an owner has to be so.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Judgement, OwnerStanding } from '../../src/collector/verdict.ts';
import { diagnoseCluster } from '../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../src/diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../src/diagnosis/engine/finding.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { AnsweredLookUp, Change, LookUp } from '../../src/model/exchange/changes.ts';
import { FOREGROUND_FINALIZER, KubeObject, type OwnerReference, type Uid } from '../../src/model/object.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { revised } from '../../src/simulation/api/revise.ts';
import { listedBatch, now } from '../cli/documents/cluster.ts';
import { anyHistory } from './histories.ts';

/**
 * The same changes as an API server makes them: a uid is given once, so that what is made again has another one, and a
 * reference can only name a uid that was given before.
 */
function withFreshUids(changes: readonly Change[]): Change[] {
  const lives = new Map<string, { count: number; alive: boolean }>();
  const uidOf = (uid: string): Uid => {
    const life = lives.get(uid);
    return (life === undefined ? `${uid}-never` : `${uid}-${life.count}`) as Uid;
  };
  return changes.flatMap((change): Change[] => {
    const uid = change.op === 'upsert' ? change.object.uid : change.uid;
    const life = lives.get(uid);
    if (change.op === 'delete') {
      if (life?.alive !== true) return [];
      life.alive = false;
      return [{ ...change, uid: uidOf(uid) }];
    }
    const { object } = change;
    const owners = object.owners.map((each): OwnerReference => ({ ...each, uid: uidOf(each.uid) }));
    if (life === undefined) lives.set(uid, { count: 0, alive: true });
    else if (!life.alive) lives.set(uid, { count: life.count + 1, alive: true });
    const made = new KubeObject({ ...revised(object, { owners }), uid: uidOf(uid) });
    return [{ op: 'upsert', object: made }];
  });
}

class Truth {
  readonly #objects = new Map<Uid, KubeObject>();

  take(change: Change): void {
    if (change.op === 'upsert') this.#objects.set(change.object.uid, change.object);
    else this.#objects.delete(change.uid);
  }

  /** Whether a GET by these coordinates returns this very object. */
  has(view: ClusterView, { apiVersion, kind, namespace, name, uid }: Omit<LookUp, 'of'>): boolean {
    const object = this.#at(view, { apiVersion, kind, namespace, name });
    return object !== undefined && (uid === '' || object.uid === uid);
  }

  answer(view: ClusterView, lookUp: LookUp): AnsweredLookUp {
    if (lookUp.of === 'dependents') {
      const uids = [...this.#objects.values()]
        .filter(({ owners }) => owners.some(({ uid }) => uid === lookUp.uid))
        .map(({ uid }) => uid);
      return { lookUp, answer: { state: 'dependents', uids } };
    }
    const object = this.#at(view, lookUp);
    if (object === undefined) return { lookUp, answer: { state: 'absent' } };
    const foreground =
      object.deletionTimestamp !== undefined && object.finalizers.includes(FOREGROUND_FINALIZER);
    return { lookUp, answer: { state: 'found', uid: object.uid, foreground } };
  }

  #at(
    { catalog }: ClusterView,
    { apiVersion, kind, namespace, name }: Omit<LookUp, 'of' | 'uid'>,
  ): KubeObject | undefined {
    const type = catalog.resolveKind(apiVersion, kind);
    for (const object of this.#objects.values()) {
      if (type === undefined || ResourceType.groupResource(object.type) !== ResourceType.groupResource(type))
        continue;
      if (object.namespace === namespace && object.name === name) return object;
    }
    return undefined;
  }
}

/** How far each kind's list and watch are behind, and which look-ups are answered meanwhile. */
interface Pace {
  /** Of what happened before the start, how much each kind's list holds, in percent. */
  readonly listed: readonly number[];
  /** How much of the history happened before the start, in percent. */
  readonly begin: number;
  readonly watched: readonly number[];
  readonly answered: readonly number[];
}

const anyPace: fc.Arbitrary<Pace> = fc.record({
  listed: fc.array(fc.nat(100), { minLength: 30, maxLength: 30 }),
  begin: fc.nat(100),
  watched: fc.array(fc.nat(5), { minLength: 40, maxLength: 40 }),
  answered: fc.array(fc.nat(3), { minLength: 40, maxLength: 40 }),
});

function listedView(): ClusterView {
  const view = new ClusterView();
  view.settings = { ...view.settings, listsMayLag: true };
  view.apply(listedBatch(), 0);
  return view;
}

interface World {
  readonly view: ClusterView;
  readonly truth: Truth;
  readonly diagnosis: Diagnosis;
}

/** Plays a history at a pace, and hands over the world after each thing that happens in it. */
function play(
  changes: readonly Change[],
  { listed, begin, watched, answered }: Pace,
  look: (world: World) => void,
): void {
  const view = listedView();
  const truth = new Truth();
  const start = Math.floor((changes.length * begin) / 100);
  for (const change of changes.slice(0, start)) truth.take(change);
  const kindOf = (change: Change): string =>
    ResourceType.groupResource(change.op === 'upsert' ? change.object.type : change.type);
  const kinds = [...new Set(changes.map(kindOf))];
  const waiting = new Map<string, Change[]>();
  // Each list is of a moment of its own; what happened since is for the watch to bring.
  for (const [index, kind] of kinds.entries()) {
    const own = changes.flatMap((change, at) => (kindOf(change) === kind ? [{ change, at }] : []));
    const until = Math.floor((start * (listed[index] ?? 0)) / 100);
    const state = new Map<Uid, Change>();
    for (const { change, at } of own) {
      if (at >= until) continue;
      if (change.op === 'upsert') state.set(change.object.uid, change);
      else state.delete(change.uid);
    }
    view.apply({ changes: [...state.values()] }, 0);
    waiting.set(
      kind,
      own.filter(({ at }) => at >= until && at < start).map(({ change }) => change),
    );
  }
  const diagnosis = diagnoseCluster(view, now);
  const world = { view, truth, diagnosis };
  look(world);
  let turn = 0;
  for (const next of [...changes.slice(start), undefined, undefined, undefined]) {
    if (next !== undefined) {
      truth.take(next);
      waiting.get(kindOf(next))?.push(next);
    }
    turn += 1;
    for (const [index, kind] of kinds.entries()) {
      if ((watched[(turn + index) % watched.length] ?? 0) > 1) continue;
      const brought = waiting.get(kind)?.splice(0) ?? [];
      diagnosis.apply(view.apply({ changes: brought }, 0), now);
    }
    look(world);
    const asked = [...view.absences.unconfirmed(), ...diagnosis.assumptions()];
    const lookUps = asked
      .filter((_, index) => (answered[(turn + index) % answered.length] ?? 0) > 0)
      .map(lookUp => truth.answer(view, lookUp));
    diagnosis.apply(view.apply({ changes: [], lookUps }, 0), now);
    look(world);
  }
}

const anyChanges = anyHistory.map(history => withFreshUids(history.flatMap(({ changes }) => changes)));

test('nothing certain says of an owner that exists that it does not', () => {
  let certain = 0;
  let assumed = 0;
  fc.assert(
    fc.property(anyChanges, anyPace, (changes, pace) => {
      play(changes, pace, ({ view, truth }) => {
        for (const node of view.graph.nodes()) {
          for (const reference of node.owners) {
            const { status, certainty, absent } = OwnerStanding.of(view, node, reference);
            if (status !== 'Absent' || absent === undefined) continue;
            if (certainty === 'assumed') {
              assumed += 1;
              expect(Judgement.of(view, node)).not.toMatchObject({
                verdict: 'DeleteBackground',
                certainty: 'exact',
              });
            } else {
              certain += 1;
              expect(truth.has(view, absent), `${absent.kind} ${absent.name} ${absent.uid}`).toBe(false);
            }
          }
        }
      });
    }),
    { numRuns: 300 },
  );
  // Both happen, or this has tried nothing.
  expect(certain).toBeGreaterThan(100);
  expect(assumed).toBeGreaterThan(100);
});

test('what rests on an absence that nobody confirmed is never exact, says so, and offers no change', () => {
  let seen = 0;
  fc.assert(
    fc.property(anyChanges, anyPace, (changes, pace) => {
      play(changes, pace, ({ diagnosis, view }) => {
        for (const finding of diagnosis.all()) {
          if (finding.certainty === 'exact') {
            // A finding that names an owner as gone is exact only where each one that it may mean is.
            expect(finding.message).not.toContain('is assumed');
            continue;
          }
          if (!finding.message.includes('is assumed')) continue;
          seen += 1;
          expect(finding.remedies().filter(isApplicable)).toEqual([]);
          expect(diagnosis.assumptionsOf(finding.object.uid)).not.toEqual([]);
        }
        for (const code of ['OwnerRecreated', 'PendingCollection', 'CollectionOverdue', 'PartlyDangling']) {
          for (const finding of diagnosis.all()) {
            if (finding.code !== code || finding.certainty !== 'exact') continue;
            const node = view.graph.get(finding.object.uid);
            for (const reference of node?.owners ?? []) {
              if (node === undefined) continue;
              const standing = OwnerStanding.of(view, node, reference);
              if (standing.status === 'Absent') expect(standing.certainty).toBe('exact');
            }
          }
        }
      });
    }),
    { numRuns: 150 },
  );
  expect(seen).toBeGreaterThan(100);
});

test('findings kept while answers come are those of a fresh diagnosis', () => {
  const picture = (diagnosis: Diagnosis): readonly string[] =>
    [...diagnosis.all()]
      .map(({ remedies, ...finding }) => JSON.stringify({ ...finding, ids: remedies().map(({ id }) => id) }))
      .sort();
  fc.assert(
    fc.property(anyChanges, anyPace, (changes, pace) => {
      play(changes, pace, ({ diagnosis, view }) => {
        expect(picture(diagnosis)).toEqual(picture(diagnoseCluster(view, now)));
      });
    }),
    { numRuns: 100 },
  );
});

test('once everything is brought and answered, nothing is assumed for want of a look-up any more', () => {
  fc.assert(
    fc.property(anyChanges, changes => {
      const view = listedView();
      const truth = new Truth();
      for (const change of changes) truth.take(change);
      view.apply({ changes }, 0);
      const diagnosis = diagnoseCluster(view, now);
      for (let round = 0; round < 3; round += 1) {
        const asked = [...view.absences.unconfirmed(), ...diagnosis.assumptions()];
        const lookUps = asked.map(lookUp => truth.answer(view, lookUp));
        diagnosis.apply(view.apply({ changes: [], lookUps }, 0), now);
      }
      expect([...view.absences.unconfirmed(), ...diagnosis.assumptions()]).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
