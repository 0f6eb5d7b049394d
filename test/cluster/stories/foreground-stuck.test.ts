/** Story `foreground-stuck` on a real control plane: each owner is freed by the one remedy, and nothing else moves. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDeleting } from '../../../src/graph/deletion.ts';
import { eventually } from '../eventually.ts';
import { RealStory } from './story.ts';

let story: RealStory;

beforeAll(async () => {
  story = await RealStory.play('foreground-stuck');
});
afterAll(async () => {
  await story.stop();
});

/** Names in the scenario of what is gone within half a minute. */
async function gone(...names: readonly string[]): Promise<void> {
  await eventually(async () => {
    const diagnosis = await story.diagnosis();
    for (const name of names) expect(story.object(diagnosis, name), name).toBeUndefined();
  });
}

/**
 * A StatefulSet that is being deleted makes its ControllerRevision anew where a pod of it changes after the
 * collector has deleted that one; nobody tells the collector to look at it then. On a real cluster that is a race.
 */
const race = /^CollectionOverdue ControllerRevision shop\/web-/u;

test('has the findings of the story', async () => {
  await eventually(async () => {
    const { missing, unexpected } = await story.differences();
    expect({ missing, unexpected: unexpected.filter(line => !race.test(line)) }).toEqual({
      missing: [],
      unexpected: [],
    });
  });
});

test.each([
  ['StatefulSet shop/web', 'clear-block/pod/web-1'],
  ['ConfigMap shop/tenant', 'clear-block/configmap/quota'],
  ['ConfigMap shop/narcissus', 'clear-block/configmap/narcissus'],
  ['Pod shop/import', 'redelete/background-now'],
])('%s goes by %s', async (name, id) => {
  expect((await story.apply(name, id)).risk).toBe('safe');
  await gone(name);
});

test('ConfigMap shop/operator goes, and its cluster-scoped dependent only stops blocking', async () => {
  const { name } = story.player.placed('ClusterRole operator');
  expect((await story.apply('ConfigMap shop/operator', `clear-block/clusterrole/${name}`)).risk).toBe('safe');
  await gone('ConfigMap shop/operator');
});

test('a cycle comes apart as a whole where it is opened at one place', async () => {
  await story.apply('ConfigMap shop/primary', 'clear-block/configmap/replica');
  await gone('ConfigMap shop/primary', 'ConfigMap shop/replica');
});

test('what blocked is still there, and as it was', async () => {
  const diagnosis = await story.diagnosis();
  const pod = story.object(diagnosis, 'Pod shop/web-1');
  expect(pod?.finalizers).toEqual(['example.com/drain']);
  for (const name of ['ConfigMap shop/quota', 'ClusterRole operator']) {
    const object = story.object(diagnosis, name);
    expect(object !== undefined && !isDeleting(object), name).toBe(true);
  }
});
