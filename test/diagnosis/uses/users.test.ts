/** Reads of users: a limited number, each list once, and none that is known to be empty. */
import { expect, it } from 'vitest';
import { Users } from '../../../src/diagnosis/uses/users.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { viewOf } from '../../cli/documents/cluster.ts';

function worldOf(pods: number) {
  const rows = Array.from({ length: pods }, (_, i) => `- {kind: Pod, name: pod-${i}}\n`);
  const view = viewOf(`- {kind: ConfigMap, name: settings}\n${rows.join('')}`);
  const objects = [...view.graph.nodes()].flatMap(({ object }) => object ?? []);
  const settings = objects.find(({ name }) => name === 'settings');
  if (settings === undefined) throw new Error('no ConfigMap');
  return { view, settings };
}

const podJson = ({ namespace, name }: Pick<KubeObject, 'namespace' | 'name'>) => ({
  metadata: { namespace, name },
  spec: { volumes: [{ configMap: { name: 'settings' } }] },
});

it('reads each object of a kind once where the source has no lists, and says where there are too many', async () => {
  for (const [pods, found] of [
    [30, 30],
    [5_001, 0],
  ] as const) {
    const { view, settings } = worldOf(pods);
    const read: string[] = [];
    const users = new Users(view, {
      read: place => {
        read.push(place.name);
        return Promise.resolve({ state: 'read', json: podJson(place) });
      },
    });
    const { uses, unseen } = await users.of([settings]);
    await users.of([settings]);
    expect(uses).toHaveLength(found);
    expect(read).toHaveLength(found);
    const because = 'too many would have to be read';
    expect(unseen).toEqual(found > 0 ? [] : [{ kinds: ['Pod'], because }]);
  }
});

it('asks for a list once, and names the kinds that could not be listed', async () => {
  const { view, settings } = worldOf(2);
  const listed: string[] = [];
  const users = new Users(view, {
    read: () => Promise.reject(new Error('reads one by one')),
    list: ({ type, namespace }) => {
      listed.push(`${type.resource} in ${namespace}`);
      return Promise.resolve({ state: 'unread', reason: '403' });
    },
  });
  const { unseen } = await users.of([settings, settings]);
  await users.of([settings]);
  expect(listed).toEqual([`pods in ${settings.namespace}`]);
  expect(unseen).toEqual([{ kinds: ['Pod'], because: '403' }]);
});
