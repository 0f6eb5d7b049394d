/** The screen by keys while one namespace is known and the rest of the cluster is being read. */
import { expect, test } from 'vitest';
import { screenProgram } from './screen-program.ts';
import { keys } from './terminal.ts';

const { synthetic } = screenProgram();

test('a namespace is there, judged, before the rest, and another one that is chosen comes next', async () => {
  const terminal = synthetic({ objects: 7_000, namespaces: 10, restAfter: 'team-2' });
  const open = async (namespace: string): Promise<void> => {
    terminal.send('n');
    await terminal.waitFor('(all namespaces)');
    terminal.send(namespace);
    await terminal.waitFor(`> ${namespace}`);
    terminal.send(keys.enter);
    await terminal.waitFor(`▸ ${namespace}`);
  };
  await terminal.waitFor(/reading the rest: 0 of 4 kinds, 710 objects/u);
  await terminal.waitFor('2 Problems 0');
  expect(terminal.text()).toMatch(/Deployment app-0\b/u);
  expect(terminal.text()).toContain('(d delete)');
  terminal.send('d');
  await terminal.waitFor('Not yet: still reading the rest of the cluster: 0 of 4 kinds so far.');
  await open('team-1');
  await terminal.waitFor(/reading the rest: 0 of 4 kinds, 1,410 objects/u);
  await terminal.waitFor('2 Problems 0');
  expect(terminal.text()).toMatch(/Deployment app-1\b/u);
  await open('team-2');
  await terminal.waitFor(/700 objects {2}4 kinds {2}live/u);
  await terminal.waitFor('2 Problems 0');
  expect(terminal.text()).not.toContain('reading the rest:');
  expect(terminal.text()).not.toContain('(d delete)');
});
