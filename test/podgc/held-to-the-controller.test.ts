/** The survey against the passes themselves, run by a controller whose cycles begin at a moment nobody outside knows. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { KubeObject } from '../../src/model/object.ts';
import { NodeQuarantine, podGcCycle } from '../../src/podgc/passes/cycle.ts';
import { PodGcSettings } from '../../src/podgc/passes/rules-of-version.ts';
import { changesIn, steps, takenBy } from './histories.ts';
import { start, surveyed } from './survey-cluster.ts';

const CYCLE_MS = 20_000;
/** Of random histories; many more with `PODGC_HISTORIES`. */
const numRuns = Number(process.env['PODGC_HISTORIES'] ?? 1000);

/** kube-controller-manager, PodGC's part of it, on a cluster that a survey watches. */
class Controller {
  readonly cluster = new Map<string, KubeObject>();
  readonly #surveyed = surveyed([], { threshold: 1 });
  readonly #quarantineMs: number;
  #quarantine: NodeQuarantine;
  #cycle: number;
  /** The run that the lease tells of, once somebody reads it. */
  #unread: { readonly acquiredAt: number; readonly readAt: number } | undefined;
  #runs = 0;

  /** `isLate`: the second cycle after the one that missed a node finds its quarantine not quite over. */
  constructor({ phase, isLate }: { readonly phase: number; readonly isLate: boolean }) {
    this.#quarantineMs = PodGcSettings.quarantine + (isLate ? 1 : 0);
    this.#quarantine = new NodeQuarantine(this.#quarantineMs);
    this.#cycle = start + phase;
    this.#read({ acquiredAt: start - 3_600_000, readAt: start });
  }

  get survey() {
    return this.#surveyed.survey;
  }

  /** Works until then. */
  workUntil(moment: number): void {
    for (; this.#cycle <= moment; this.#cycle += CYCLE_MS) {
      if (this.#unread !== undefined) this.#read(this.#unread);
      this.#work(this.#cycle);
    }
    if (this.#unread !== undefined && this.#unread.readAt <= moment) this.#read(this.#unread);
  }

  /** It ends, and another run begins `away` milliseconds later, whose first cycle begins `startup` after that. */
  restart(now: number, { away, startup, lag }: Restart): void {
    const acquiredAt = now + away;
    this.#quarantine = new NodeQuarantine(this.#quarantineMs);
    this.#cycle = acquiredAt + startup;
    this.#unread = { acquiredAt, readAt: acquiredAt + Math.min(lag, startup) };
  }

  change(change: Parameters<typeof changesIn>[1], now: number): void {
    this.#surveyed.apply(changesIn(this.cluster, change), now);
  }

  #read({ acquiredAt, readAt }: { readonly acquiredAt: number; readonly readAt: number }): void {
    this.#unread = undefined;
    this.#runs += 1;
    const lease = { holder: `run ${this.#runs}`, acquiredAt, renewedAt: readAt, duration: 15_000 };
    this.survey.learnManager(lease, readAt);
  }

  #work(now: number): void {
    const { cluster, survey } = this;
    const objects = [...cluster.values()];
    const taken = podGcCycle.run({
      pods: objects.filter(({ type }) => type.kind === 'Pod'),
      nodes: objects.filter(({ type }) => type.kind === 'Node'),
      now,
      threshold: 1,
      quarantine: this.#quarantine,
      getNode: name => (cluster.has(name) ? 'exists' : 'absent'),
    });
    const before = new Map(survey.items(now - 1).map(item => [item.pod.uid, item]));
    const named = survey.items(now).filter(({ due }) => due.when !== 'no');
    for (const { pod: each, rule } of taken) {
      if (!cluster.has(each.name)) continue;
      const item = named.find(({ pod: { uid } }) => uid === each.uid);
      expect([each.name, item?.rule]).toEqual([each.name, rule]);
      if (item?.due.when === 'at') expect(item.due.from).toBeLessThanOrEqual(now);
      // What was told just before left room for it.
      const { due } = before.get(each.uid) ?? {};
      if (due !== undefined && due.when !== 'no')
        expect([each.name, due.by >= now]).toEqual([each.name, true]);
      cluster.delete(each.name);
    }
    // Whatever was due by now and isn't due later has to be among them.
    for (const { pod: each, due } of named)
      if (due.when === 'now' || (due.when === 'at' && due.by <= now))
        expect([each.name, cluster.has(each.name)]).toEqual([each.name, false]);
    const changes = taken
      .filter(({ pod: each }, index) => taken.findIndex(other => other.pod === each) === index)
      .flatMap(each => takenBy(each));
    this.#surveyed.apply(changes, now);
  }
}

/** Milliseconds: without a manager, from its start to PodGC's first cycle, and until somebody reads the lease. */
interface Restart {
  readonly away: number;
  readonly startup: number;
  readonly lag: number;
}

const restarts: fc.Arbitrary<Restart> = fc.record({
  away: fc.integer({ min: 0, max: 90_000 }),
  startup: fc.integer({ min: 0, max: 9_000 }),
  lag: fc.integer({ min: 0, max: 5_000 }),
});
const timers = fc.record({ phase: fc.integer({ min: 0, max: CYCLE_MS - 1 }), isLate: fc.boolean() });

it('names every pod before PodGC deletes it, by its rule, in the span that it gives, and no other', () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 12 }), timers, (history, timer) => {
      const controller = new Controller(timer);
      let now = start;
      for (const { wait, change } of history) {
        now += wait;
        controller.workUntil(now);
        controller.change(change, now);
      }
      now += 140_000;
      controller.workUntil(now);
      expect(controller.survey.items(now).filter(({ due }) => due.when !== 'no')).toEqual([]);
    }),
    { numRuns },
  );
});

it('does so, too, where kube-controller-manager is started anew in the middle of it', () => {
  const events = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: steps },
      { weight: 1, arbitrary: fc.record({ wait: fc.integer({ min: 0, max: 30_000 }), restart: restarts }) },
    ),
    { maxLength: 14 },
  );
  fc.assert(
    fc.property(events, timers, (history, timer) => {
      const controller = new Controller(timer);
      let now = start;
      for (const event of history) {
        now += event.wait;
        controller.workUntil(now);
        if ('restart' in event) controller.restart(now, event.restart);
        else controller.change(event.change, now);
      }
      now += 240_000;
      controller.workUntil(now);
      expect(controller.survey.items(now).filter(({ due }) => due.when !== 'no')).toEqual([]);
    }),
    { numRuns },
  );
});
