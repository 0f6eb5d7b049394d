/** A question that stands while the cluster changes: when it is kept up to date, and when it is asked again. */
import { expect, test } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { Question, Refreshed } from '../../../src/actions/run/run-ports.ts';
import type { ScreenAction } from '../../../src/app/actions/screen-action.ts';
import type { ActionChoice, ActionNews } from '../../../src/app/state/action-dialog.ts';
import { Cascade } from '../../../src/forecast/index.ts';
import type { Uid } from '../../../src/model/object.ts';
import { ActingWorld } from '../../actions/acting-world.ts';
import { nodes } from '../../forecast/fixtures.ts';
import { ScreenDriver } from '../screen-driver.ts';
import { actionIn } from './told.ts';

const family = `
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: left, owners: [v1 ConfigMap top top]}
- {kind: ConfigMap, name: right, owners: [v1 ConfigMap top top]}
- {kind: ConfigMap, name: other}
`;

function adopt(world: ActingWorld, uid: string): void {
  const [reference] = world.object('left').owners;
  const object = world.cluster.store.byUid(uid as Uid);
  if (object === undefined || reference === undefined) throw new Error(`no ${uid}`);
  world.cluster.as('somebody').patch(object, { owners: [reference] });
}

function remove(world: ActingWorld, uid: string): void {
  const object = world.cluster.store.byUid(uid as Uid);
  if (object === undefined) throw new Error(`no ${uid}`);
  world.cluster.as('somebody').delete(object, { propagationPolicy: 'Background' });
  world.cluster.runFor(1_000);
}

/** Lets promises and what they wait for go on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise(resolve => setImmediate(resolve));
}

interface OnScreen {
  readonly world: ActingWorld;
  readonly action: ScreenAction;
  readonly news: ActionNews[];
  readonly end: Promise<void>;
  /** The view has changed, and a second passes. */
  change(what: () => void): Promise<void>;
}

async function begun(uid: string, yaml = family, what: 'orphan' | 'plan' = 'orphan'): Promise<OnScreen> {
  const world = await ActingWorld.of(yaml);
  const waiting = new Set<() => void>();
  const news: ActionNews[] = [];
  let isAsking = false;
  const action = actionIn(world, {
    show: each => {
      news.push(each);
      if (each.stage !== undefined) isAsking = ['asking', 'choosing'].includes(each.stage.at);
    },
    changed: (milliseconds, signal) => {
      // While a question stands, time passes when the test says so.
      if (!isAsking) {
        world.cluster.runFor(Math.min(milliseconds, 100));
        return Promise.resolve();
      }
      return new Promise(resolve => {
        waiting.add(resolve);
        signal?.addEventListener('abort', () => resolve(), { once: true });
      });
    },
  });
  const end = action.run({ what, uids: [uid as Uid] });
  await settle();
  const wake = async (): Promise<void> => {
    for (const resolve of waiting) resolve();
    waiting.clear();
    await settle();
  };
  return {
    world,
    action,
    news,
    end,
    change: async act => {
      act();
      await wake();
      world.cluster.runFor(1_000);
      await wake();
    },
  };
}

function questions(news: readonly ActionNews[]): string[] {
  return news.flatMap(({ stage, lines }) =>
    stage?.at === 'asking'
      ? [(lines ?? []).map(({ spans }) => spans.map(({ text }) => text).join('')).join('\n')]
      : [],
  );
}

function painted({ news }: OnScreen, uid: string): string | undefined {
  const last = news.findLast(({ paintings }) => paintings !== undefined);
  return last?.paintings?.get('')?.of(uid as Uid)?.words;
}

test('holds still where the cluster changes beside it, and where less happens', async () => {
  const screen = await begun('top');
  expect(questions(screen.news)).toHaveLength(1);
  expect(painted(screen, 'left')).toBe('loses its owner reference');
  const before = screen.news.length;
  await screen.change(() => screen.world.touch('other'));
  expect(screen.news.slice(before)).toEqual([]);
  await screen.change(() => remove(screen.world, 'left'));
  expect(questions(screen.news)).toHaveLength(1);
  expect(painted(screen, 'left')).toBeUndefined();
  expect(painted(screen, 'right')).toBe('loses its owner reference');
  expect(screen.world.sent).toHaveLength(1 - 1);
  screen.action.dialog.answer(true);
  await screen.end;
  expect(questions(screen.news)).toHaveLength(1);
  expect(screen.world.sent).toHaveLength(1);
  expect(screen.world.has('top')).toBe(false);
});

test('is asked again, with the difference, where more would happen', async () => {
  const screen = await begun('top');
  await screen.change(() => adopt(screen.world, 'other'));
  const asked = questions(screen.news);
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain('The cluster has changed since you were asked, and now more would happen:');
  expect(asked[1]).toContain('ConfigMap shop/other loses its owner reference');
  expect(painted(screen, 'other')).toBe('loses its owner reference');
  expect(screen.world.sent).toEqual([]);
  screen.action.dialog.answer(true);
  await screen.end;
  expect(screen.world.sent).toHaveLength(1);
});

test('sends nothing where it is closed after the cluster has changed', async () => {
  const screen = await begun('top');
  await screen.change(() => adopt(screen.world, 'other'));
  screen.action.dialog.close();
  await screen.end;
  expect(screen.world.sent).toEqual([]);
});

test.each([
  ['changed', 2],
  ['worse', 1],
] as const)('after the yes, less is asked about where it says %s', async (asksAgain, times) => {
  const world = await ActingWorld.of(family);
  const asked: Question[] = [];
  const confirm = (question: Question): Promise<boolean> => {
    asked.push(question);
    if (asked.length === 1) remove(world, 'left');
    return Promise.resolve(true);
  };
  const ended = await actionRun.perform(
    world.delete('background', 'top'),
    world.ports({ confirm, asksAgain }),
  );
  expect(ended.state).toBe('reached');
  expect(asked).toHaveLength(times);
});

test('after the yes, more is asked about in any case', async () => {
  const world = await ActingWorld.of(family);
  const asked: Question[] = [];
  const confirm = (question: Question): Promise<boolean> => {
    asked.push(question);
    if (asked.length === 1) adopt(world, 'other');
    return Promise.resolve(asked.length === 1);
  };
  const ended = await actionRun.perform(
    world.delete('background', 'top'),
    world.ports({ confirm, asksAgain: 'worse' }),
  );
  expect(ended.state).toBe('cancelled');
  expect(asked).toHaveLength(2);
  expect(world.sent).toEqual([]);
});

test('a question that is asked anew is examined anew, however often that happens', async () => {
  const world = await ActingWorld.of(family);
  const children = world.delete('background', 'top');
  let asked: Question[] = [];
  const confirm = (question: Question): Promise<boolean | Refreshed> => {
    asked.push(question);
    if (asked.length > 15) return Promise.resolve(false);
    return Promise.resolve({ answer: 'again', prepared: children });
  };
  const ended = await actionRun.perform(
    world.delete('orphan', 'top'),
    world.ports({ confirm, asksAgain: 'worse' }),
  );
  expect(ended.state).toBe('cancelled');
  expect(asked).toHaveLength(16);
  expect(world.events.filter(({ event }) => event === 'examining')).toHaveLength(16);
  asked = asked.slice(1);
  expect(asked.every(({ before }) => before !== undefined)).toBe(true);
});

const pods = `${nodes}
- {kind: Pod, name: web-0, spec: {nodeName: node-1, terminationGracePeriodSeconds: 30, containers: [{name: main}]}, status: {phase: Running}}
- {kind: ConfigMap, name: plain}
`;

test('g and f choose the grace period of a pod, which is forecast and asked about anew', async () => {
  const screen = await begun('web-0', pods);
  expect(screen.news.findLast(({ stage }) => stage?.at === 'asking')?.grace).toEqual({ seconds: undefined });
  const choose = async (how: string): Promise<ActionNews | undefined> => {
    screen.action.dialog.choose(how);
    await settle();
    return screen.news.findLast(({ stage }) => stage?.at === 'asking');
  };
  expect((await choose('grace'))?.grace).toEqual({ seconds: 1 });
  const forced = await choose('force');
  expect(forced?.grace).toEqual({ seconds: 0 });
  expect(questions([forced ?? {}])[0]).not.toContain('The cluster has changed');
  expect(forced?.stage).toMatchObject({ word: 'web-0' });
  screen.action.dialog.answer(true);
  await screen.end;
  expect(screen.world.sent).toMatchObject([{ method: 'DELETE', body: { gracePeriodSeconds: 0 } }]);
});

test('without a pod there is no grace period to choose', async () => {
  const screen = await begun('plain', pods);
  expect(screen.news.every(({ grace }) => grace === undefined)).toBe(true);
  screen.action.dialog.close();
  await screen.end;
});

test('a forecast is made again where more or less would happen, until it is closed', async () => {
  const screen = await begun('top', family, 'plan');
  const { news } = screen;
  const fates = (policy: string): readonly (string | undefined)[] => {
    const painting = news.findLast(({ paintings }) => paintings !== undefined)?.paintings?.get(policy);
    return ['left', 'right', 'other'].map(uid => painting?.of(uid as Uid)?.words);
  };
  expect(news.at(-1)?.stage).toMatchObject({ at: 'choosing', looksOnly: true });
  expect(fates('background')).toEqual(['deleted', 'deleted', undefined]);
  const before = news.length;
  await screen.change(() => screen.world.touch('other'));
  expect(news.slice(before)).toEqual([]);
  await screen.change(() => adopt(screen.world, 'other'));
  expect(news.at(-1)).toMatchObject({ question: expect.stringMatching(/^The cluster has changed/u) });
  expect(news.at(-1)?.stage).toBeUndefined();
  expect(fates('background')).toEqual(['deleted', 'deleted', 'deleted']);
  await screen.change(() => remove(screen.world, 'left'));
  expect(fates('background')).toEqual([undefined, 'deleted', 'deleted']);
  screen.action.dialog.close();
  await screen.end;
  expect(screen.world.sent).toEqual([]);
});

test('the policy under the cursor stays when the forecast is made again', () => {
  const driver = ScreenDriver.complete('- {kind: ConfigMap, name: x}', { columns: 120, rows: 30 }).press('p');
  const choices = (hint: string): ActionChoice[] =>
    Cascade.all.map(id => ({ id, label: id, hint, style: 'plain', lines: [] }));
  const question = 'Forecast only: nothing is sent.';
  const stage = {
    at: 'choosing',
    question,
    as: 'row',
    choices: choices('-1'),
    cursor: 0,
    looksOnly: true,
  } as const;
  driver.send({ type: 'action', number: 1, news: { stage } });
  driver.press('3');
  driver.send({ type: 'action', number: 1, news: { question: 'Again.', choices: choices('-2') } });
  const { dialog } = driver.state;
  expect(dialog).toMatchObject({
    stage: { question: 'Again.', cursor: 2, choices: [{}, {}, { hint: '-2' }] },
  });
});
