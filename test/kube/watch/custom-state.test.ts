import { afterEach, beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/model/object.ts';
import { FakeApi } from '../fake-api.ts';
import { Follower, soon, widgets } from '../follow.ts';

const api = new FakeApi();
let follower: Follower;

beforeEach(() => api.start());
afterEach(async () => {
  await follower.source.close();
  api.faults.length = 0;
  api.objects.clear();
  api.requests.length = 0;
  await api.stop();
});

function put(name: string, ready: string): void {
  api.bodies.set(`shop/${name}`, { status: { conditions: [{ type: 'Ready', status: ready }] } });
  api.put('shop', name, { resource: 'widgets' });
}

function readyOf(name: string): string | undefined {
  const found = [...follower.objects.values()].find((each: KubeObject) => each.name === name);
  return found?.facts?.kind === 'CustomResource' ? found.facts.status.signs[0]?.status : undefined;
}

async function open(states = true): Promise<void> {
  follower = await new Follower(api, [widgets]).start({ states });
  await follower.source.graphComplete;
}

it('reads the state of custom resources where it is shown, and follows it', async () => {
  put('gear', 'False');
  await open();
  await soon(() => expect(readyOf('gear')).toBe('False'));
  put('gear', 'True');
  put('cog', 'False');
  await soon(() => expect([readyOf('gear'), readyOf('cog')]).toEqual(['True', 'False']));
});

it('follows the state of the first object of a kind that had none', async () => {
  await open();
  put('gear', 'False');
  await soon(() => expect(readyOf('gear')).toBe('False'));
});

it('reads metadata alone where no state is shown', async () => {
  put('gear', 'False');
  await open(false);
  await soon(() => expect(follower.seen).toHaveLength(1));
  expect(readyOf('gear')).toBeUndefined();
  expect(api.requests.filter(each => !each.includes('watch='))).toHaveLength(1);
});

it('has metadata if whole objects cannot be read, and goes on', async () => {
  put('gear', 'False');
  api.faults.push({ kind: 'none' }, { kind: 'status', code: 500 });
  await open();
  await soon(() => expect(follower.seen).toHaveLength(1));
  expect(readyOf('gear')).toBeUndefined();
  expect(follower.statuses.get(widgets)).toMatchObject({ state: 'synced' });
});

it('reads a kind of many objects as metadata alone', async () => {
  for (let nth = 0; nth <= 1_000; nth++) put(`gear-${nth}`, 'True');
  await open();
  await soon(() => expect(follower.objects.size).toBe(1_001));
  expect(readyOf('gear-7')).toBeUndefined();
});
