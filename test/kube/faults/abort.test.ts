/** Ctrl-C, or a dialog that is closed, while something goes wrong: what ends at once, and what is waited for. */
import { expect, it } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { Ended } from '../../../src/actions/run/run-ports.ts';
import type { Rule } from './faulty-server.ts';
import { FaultyWorld } from './faulty-world.ts';

const yaml = '- {kind: ConfigMap, name: target}\n';

interface Outcome {
  readonly ended: Ended | undefined;
  readonly seconds: number;
  readonly world: FaultyWorld;
  /** Changes that arrived. */
  readonly arrived: number;
}

/** A deletion that is stopped as soon as a request has met its fault. */
async function stopped(rule: Omit<Rule, 'times'>): Promise<Outcome> {
  const world = await FaultyWorld.of('HTTP/2', yaml);
  await world.live();
  const hits = world.disturb({ ...rule, times: Infinity });
  const stop = new AbortController();
  const intent = { verb: 'delete', cascade: 'background', targets: [world.object('target')] } as const;
  const running = actionRun.perform(
    actionRun.prepare(intent, world.ports()),
    world.ports({ signal: stop.signal }),
  );
  await world.until(() => hits.all() > 0, 1_000);
  stop.abort();
  const { value: ended, seconds } = await world.ends(running);
  return { ended, seconds, world, arrived: world.server.count(/^DELETE [^?]*$/u) };
}

it.each([
  ['a review that hangs', 'hang', 'POST'],
  ['a review that is told to come back', '429', 'POST'],
  ['a dry run that hangs', 'hang', 'DELETE'],
] as const)('ends %s at once, and nothing was sent', async (_, fault, method) => {
  const { ended, seconds, arrived } = await stopped({ fault, match: request => request.method === method });
  expect(ended).toMatchObject({ state: 'cancelled', taken: 0, entries: [] });
  expect([seconds, arrived]).toEqual([0, 0]);
});

it('ends the backup at once, and nothing was sent', async () => {
  const match: Rule['match'] = ({ method, url }) => method === 'GET' && url.endsWith('/configmaps/target');
  const { ended, seconds, arrived } = await stopped({ fault: 'hang', match });
  expect(ended).toMatchObject({ state: 'cancelled', taken: 0 });
  expect([seconds, arrived]).toEqual([0, 0]);
});

const isDeletion: Rule['match'] = ({ method, url }) => method === 'DELETE' && !url.includes('?');

it('sends a change no second time that was told to come back', async () => {
  const { ended, seconds, arrived, world } = await stopped({ fault: '429', match: isDeletion });
  expect(ended).toMatchObject({ state: 'refused', taken: 0 });
  expect([seconds, arrived]).toEqual([0, 1]);
  expect(world.api.carriedOut).toEqual([]);
});

it('waits for the answer to a change that is under way, and says that nobody knows more', async () => {
  const rule = { fault: 'hang', match: isDeletion, isCarriedOut: true } as const;
  const { ended, seconds, arrived, world } = await stopped(rule);
  expect(ended).toMatchObject({ state: 'unfinished', found: { now: { is: 'gone' } } });
  expect([seconds, arrived]).toEqual([40, 1]);
  expect(world.api.carriedOut).toHaveLength(1);
});
