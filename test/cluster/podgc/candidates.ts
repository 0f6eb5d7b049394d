/** Who PodGC's rules name, and who only looks like it: held to whom a real kube-controller-manager takes, and when. */
import { describe, expect, it } from 'vitest';
import { HOLD, isFailed } from './story.ts';
import { CYCLE, due, item, names, type Told } from './told.ts';

export function candidatesAreNamed(told: Told): void {
  describe('a node deleted under running pods', () => {
    const pods = ['gone-a', 'gone-b', 'gone-held'];

    it('has its pods named, with the condition they get and what holds them', () => {
      for (const name of pods) {
        expect(item(told.lost, name)).toMatchObject({
          node: { kind: 'Node', name: 'node-1' },
          rule: 'Orphaned',
          due: 'at',
          conditionAdded: 'DisruptionTarget',
          heldBy: name === 'gone-held' ? [HOLD] : [],
        });
      }
    });

    it.each(pods)('%s is taken at the time that was told', name => {
      for (const said of told.all) told.expectOnTime(said, name);
      expect(told.actOn(name, told.lost)?.conditions).toContain('DisruptionTarget/DeletionByPodGC');
    });

    it('has its pods left alone where it comes back in time', () => {
      expect(item(told.lost, 'back')).toMatchObject({ rule: 'Orphaned', due: 'at' });
      for (const said of [told.tainted, told.ended, told.late]) expect(item(said, 'back')).toBeUndefined();
      expect(told.log.isGone('back')).toBe(false);
      expect(told.log.of('back').some(isFailed)).toBe(false);
    });

    it('is not believed to be gone before 40 seconds are over', () => {
      const [first = 0] = told.cycles;
      for (const name of pods) {
        const { at } = told.actOn(name, told.lost) ?? expect.unreachable(name);
        expect(at - first).toBeGreaterThan(2 * CYCLE - told.slack / 2);
      }
    });
  });

  describe('a node that stops with terminating pods', () => {
    it('keeps them until it is tainted', () => {
      for (const name of ['node-2-deleting', 'node-2-held', 'node-3-deleting', 'node-3-held']) {
        expect(item(told.lost, name)).toMatchObject({ rule: 'OutOfService', due: 'no' });
        expect(item(told.lost, name)?.because).toContain('not tainted out-of-service');
      }
    });

    it('has those named that the taint would evict besides', () => {
      const node = told.lost.answer.nodes.find(each => each.node.name === 'node-2');
      expect(node).toMatchObject({ state: 'NotReady', pods: 4, deleting: 2 });
      expect(node?.evictable?.map(({ name }) => name)).toEqual(['node-2-live']);
    });

    it('has its deleting pods named once it is tainted, those that the taint evicted among them', () => {
      const pods = due(told.tainted).filter(({ rule }) => rule === 'OutOfService');
      expect(names(pods).sort()).toEqual(['node-2-deleting', 'node-2-held', 'node-2-live']);
      for (const pod of pods) expect(pod).toMatchObject({ due: 'now', node: { name: 'node-2' } });
    });

    it.each(['node-2-deleting', 'node-2-held', 'node-2-live'])('%s is taken in the next cycle', name => {
      told.expectOnTime(told.tainted, name);
      expect(told.actOn(name, told.tainted)?.conditions).not.toContain('DisruptionTarget/DeletionByPodGC');
      expect(told.log.isGone(name)).toBe(name !== 'node-2-held');
    });
  });

  describe('a pod deleted before it was scheduled', () => {
    it('is named while a finalizer holds it, and taken in the next cycle', () => {
      expect(item(told.tainted, 'never-held')).toMatchObject({
        rule: 'UnscheduledTerminating',
        due: 'now',
        heldBy: [HOLD],
      });
      expect(item(told.tainted, 'never-held')).not.toHaveProperty('node');
      told.expectOnTime(told.tainted, 'never-held');
    });

    it('needs no PodGC where nothing holds it', () => {
      expect(item(told.tainted, 'never-free')).toBeUndefined();
      expect(told.log.isGone('never-free')).toBe(true);
      expect(told.log.of('never-free').some(isFailed)).toBe(false);
    });
  });

  describe('pods that look alike', () => {
    it.each([
      ['node-3-deleting', 'not ready, but not tainted out-of-service'],
      ['node-3-held', 'not ready, but not tainted out-of-service'],
      ['node-4-held', 'tainted out-of-service, but ready'],
      ['node-2-tolerant', 'not being deleted'],
    ])('%s is told apart, and stays', (name, because) => {
      expect(item(told.tainted, name)).toMatchObject({ due: 'no' });
      expect(item(told.tainted, name)?.because).toContain(because);
      expect(told.log.isGone(name)).toBe(false);
      expect(told.log.of(name).some(isFailed)).toBe(false);
    });

    it('are not named where there is nothing to tell', () => {
      for (const said of told.all) {
        for (const name of ['node-3-live', 'never-live', 'done-c']) {
          expect(item(said, name)?.due ?? 'no').toBe('no');
        }
      }
    });
  });

  it('does nothing else', () => {
    const taken = told.log
      .names()
      .filter(
        name =>
          told.log.isGone(name) &&
          (told.log.of(name).at(-1)?.at ?? 0) > (told.cycles[0] ?? 0) &&
          name !== 'never-free',
      );
    const named = told.all.flatMap(said => names(due(said)));
    expect(taken.filter(name => !named.includes(name))).toEqual([]);
    expect(taken.sort()).toEqual(
      ['done-z', 'evicted-a', 'evicted-b', 'gone-a', 'gone-b', 'node-2-deleting', 'node-2-live'].sort(),
    );
  });
}
