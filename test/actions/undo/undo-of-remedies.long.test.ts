/** Every remedy of every scenario is taken and taken back: what is reported at the end is what was forecast. */

import { describe, expect, test } from 'vitest';
import { Journal } from '../../../src/actions/journal/action-journal.ts';
import type { Intent } from '../../../src/actions/prepare/action-intent.ts';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import { actingSource, type Ended, type RunPorts } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Diagnosis } from '../../../src/diagnosis/engine/diagnosis.ts';
import { isApplicable } from '../../../src/diagnosis/engine/finding.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Uid } from '../../../src/model/object.ts';
import { openDemo } from '../../../src/source/demo/demo-source.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { outcomeWords } from '../../../src/text/actions/outcome.ts';
import { temporaryFolder } from '../acting-world.ts';

const began = Date.parse('2027-03-01T10:00:00Z');
const SECOND = 1_000;

/** A scenario that goes on living by a clock of its own, seen as the screen sees it. */
class LivingDemo {
  readonly view = new ClusterView();
  readonly source;
  readonly journal: Journal;
  #time = began;
  #tick: () => void = () => {};

  private constructor(name: string, folder: string) {
    this.journal = new Journal(folder);
    this.source = openDemo(name, {
      now: () => this.#time,
      every: (_, callback) => {
        this.#tick = callback;
        return () => {};
      },
    });
  }

  static async of(name: string): Promise<LivingDemo> {
    const demo = new LivingDemo(name, await temporaryFolder());
    await demo.source.start(batch => demo.view.apply(batch, demo.#time));
    await demo.source.graphComplete;
    return demo;
  }

  get now(): number {
    return this.#time;
  }

  diagnosis(): Diagnosis {
    return diagnoseCluster(this.view, this.#time, { asked: true });
  }

  async pass(milliseconds: number): Promise<void> {
    this.#time += Math.min(milliseconds, SECOND);
    this.#tick();
    for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
  }

  async perform(intent: Intent): Promise<Ended> {
    const ports = this.#ports();
    const prepared = actionRun.prepare(intent, ports);
    return actionRun.perform(prepared, { ...ports, timeout: actionRun.usualTimeout(prepared) });
  }

  #ports(): RunPorts {
    const source = actingSource(this.source);
    if (source === undefined) throw new Error('a demo can be changed');
    return {
      view: this.view,
      source,
      journal: this.journal,
      now: () => this.#time,
      changed: milliseconds => this.pass(milliseconds),
      confirm: () => Promise.resolve(true),
      tell: () => {},
      remedyFor: (...asked) => offeredRemedies.byId(this.diagnosis(), ...asked),
      context: this.source.info.context,
      secretData: false,
      timeout: 60_000,
    };
  }
}

function lines(ended: Ended): string[] {
  return [...outcomeWords.lines(ended, { took: 0, undo: undefined, followed: true })].map(({ spans }) =>
    spans.map(({ text }) => text).join(''),
  );
}

/** Objects with what can be applied to each. */
async function remediesIn(name: string): Promise<{ uid: Uid; id: string }[]> {
  const demo = await LivingDemo.of(name);
  const diagnosis = diagnoseCluster(demo.view, demo.now);
  const uids = new Set(Array.from(diagnosis.all(), ({ object }) => object.uid));
  const found = [...uids].flatMap(uid => {
    const object = demo.view.graph.get(uid)?.object;
    return object === undefined
      ? []
      : offeredRemedies
          .of(diagnosis, object)
          .filter(isApplicable)
          .map(({ id }) => ({ uid, id }));
  });
  await demo.source.close();
  return found;
}

/** How many actions were taken back. */
let undone = 0;

const scenarios = await readScenarios();

describe('an undo ends as it was forecast', () => {
  test.each(scenarios)('whatever was applied in $name', async ({ name }) => {
    const wrong: unknown[] = [];
    for (const { uid, id } of await remediesIn(name)) {
      const demo = await LivingDemo.of(name);
      const target = demo.view.graph.get(uid)?.object;
      const remedy = target && offeredRemedies.byId(demo.diagnosis(), target, id);
      if (target === undefined || remedy === undefined) throw new Error(`no ${id} on ${uid}`);
      const what = `${target.type.kind} ${target.name}: ${id}`;
      const applied = await demo.perform({ verb: 'unblock', target, remedy });
      // It may wait, or be refused as forecast: nothing comes about that was not foretold.
      if (applied.state === 'departed') wrong.push([what, applied.because, ...lines(applied)]);
      const undo = await lastUndo(demo, applied);
      if (undo !== undefined) {
        undone += 1;
        const ended = await demo.perform(undo.intent);
        const again = [what, undo.does, ended.because, ...lines(ended)];
        if (ended.state !== 'reached') wrong.push(again);
        // Each object that was to be made again stands there, and nothing that is made was called lost as a whole.
        for (const { object, expected, standing } of ended.compared) {
          if (standing !== 'asForecast') wrong.push([...again, object.name, expected, standing]);
          if (undo.lost.some(each => each.startsWith(`${object.kind} ${object.name} as it was:`)))
            wrong.push([...again, object.name, 'was said to be lost']);
        }
      }
      await demo.source.close();
    }
    expect(wrong).toEqual([]);
  });

  test('and many were taken back', () => {
    expect(undone).toBeGreaterThan(60);
  });
});

/** What takes back the last entry, as it is offered; undefined where nothing is. */
async function lastUndo(demo: LivingDemo, applied: Ended) {
  const reversal = await Undo.reversal(applied, demo);
  const [latest = ''] = applied.entries.toReversed();
  const entry = await demo.journal.entry(latest);
  if (entry === undefined) return undefined;
  const kept = await demo.journal.backupOf(entry);
  const { does, lost, ...undo } = Undo.plan(entry, kept, demo.view);
  const intent = Undo.intent(entry, { does, lost, ...undo }, kept, demo.view);
  if (reversal.known) expect(reversal.entries.includes(latest)).toBe(intent !== undefined);
  return intent && { intent, does, lost };
}
