import { describe, expect, test } from 'vitest';
import type { CollectorStep } from '../../../src/collector/observed-step.ts';
import { Stepper } from '../../../src/simulation/stepping/stepper.ts';
import { blockingRefTo, object, refTo } from '../../graph/fixtures.ts';
import { builtIn, names } from '../fixtures.ts';
import { worldOf } from './world.ts';

const owner = object({ type: builtIn('ReplicationController'), uid: 'owner' });
const blocking = object({ type: builtIn('Pod'), uid: 'blocking', owners: [blockingRefTo(owner)] });
const held = object({
  type: builtIn('Pod'),
  uid: 'held',
  owners: [blockingRefTo(owner)],
  finalizers: ['example.com/drain'],
});
const other = object({ type: builtIn('ReplicationController'), uid: 'other' });
const shared = object({ type: builtIn('Pod'), uid: 'shared', owners: [refTo(owner), refTo(other)] });
const lost = object({
  type: builtIn('Pod'),
  uid: 'lost',
  owners: [refTo(object({ type: builtIn('ReplicationController'), uid: 'never' }))],
});

const foreground = worldOf(
  [owner, blocking, held, other, shared, lost],
  [
    {
      about: 'delete ReplicationController owner',
      send: api => void api.delete(owner, { propagationPolicy: 'Foreground' }),
    },
    { about: 'patch Pod held', send: api => void api.patch(held, { finalizers: [] }) },
  ],
);

function told({ work, branches, requests }: CollectorStep): string {
  const what =
    work.of === 'event'
      ? `${work.event} ${work.object.name}`
      : work.of === 'item'
        ? `${work.stage} ${work.object.name}`
        : work.of;
  const sent = requests.map(({ verb, object: { name }, result }) => ` ${verb} ${name} ${result}`).join('');
  return `${what}: ${branches.join(', ')}${sent}`;
}

describe('stepping', () => {
  test('tells each item with the branch that was taken, and what was sent', async () => {
    const stepper = await Stepper.begin(foreground);
    await stepper.run();
    const items = stepper.steps.filter(({ work }) => work.of === 'item');
    expect(items.map(told)).toMatchInlineSnapshot(`
      [
        "decision never: ObjectAbsent",
        "decision lost: DeleteBackground",
        "requests lost: RequestsDone delete lost removed",
        "decision blocking: DeleteBackground",
        "decision held: DeleteBackground",
        "decision shared: PruneReferences",
        "decision owner: WaitForDependents",
        "requests blocking: RequestsDone delete blocking removed",
        "requests held: RequestsDone delete held deleting",
        "requests shared: RequestsDone patch shared changed",
        "decision blocking: AlreadyDeleting",
        "decision held: AlreadyDeleting",
        "decision owner: WaitForDependents",
        "decision held: AlreadyDeleting",
        "decision owner: RemoveForegroundFinalizer",
        "requests owner: RequestsDone patch owner removed",
      ]
    `);
    expect(names(stepper.cluster.store.all())).toEqual(['other', 'shared']);
  });

  test('an owner that was never there is heard of, asked for, remembered, and its dependent deleted', async () => {
    const stepper = await Stepper.begin(foreground);
    await stepper.runTo(({ work }) => work.of === 'event' && work.object.name === 'lost');
    expect(stepper.state.virtualNodes.map(({ object: { name } }) => name)).toEqual(['never']);
    const asked = await stepper.runTo(({ work }) => work.of === 'item' && work.object.name === 'never');
    expect(asked?.lookUps).toMatchObject([{ of: 'item', from: 'live', result: 'absent', status: 404 }]);
    expect(asked?.queued).toMatchObject([{ queue: 'graphChanges', event: 'virtualDelete' }]);
    await stepper.runTo(({ work }) => work.of === 'event' && work.event === 'virtualDelete');
    expect(stepper.state.absentOwners?.owners.map(({ name }) => name)).toEqual(['never']);
    const decided = await stepper.runTo(({ work }) => work.of === 'item' && work.object.name === 'lost');
    expect(decided?.branches).toEqual(['DeleteBackground']);
    expect(decided?.lookUps).toMatchObject([
      { of: 'item', from: 'live', result: 'found' },
      { of: 'owner', from: 'absentOwners', result: 'absent' },
    ]);
  });

  test('going back restores state and objects as they were, and going on does the same again', async () => {
    const stepper = await Stepper.begin(foreground);
    const states = [stepper.state];
    while ((await stepper.next('task')) !== undefined) states.push(stepper.state);
    const steps = [...stepper.steps];
    for (const n of [steps.length - 1, 3, 0]) {
      await stepper.goTo(n);
      expect(stepper.state).toEqual(states[n]);
      expect(stepper.steps).toEqual(steps.slice(0, n));
    }
    await stepper.run();
    expect(stepper.steps).toEqual(steps);
  });
});
