import { expect, test } from 'vitest';
import type { Diagnosis } from '../../../../src/cli/documents/definitions.ts';
import { folderOf } from '../../../source/files/reading.ts';
import { command } from '../../console.ts';
import { PASSWORD, released, storedRelease } from '../plan/stored-release.ts';

const manifest = ['settings', 'held', 'gone']
  .map(name => `---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}\n`)
  .join('');
const held = ', finalizers: [example.com/hold], deletionTimestamp: "2026-11-21T11:48:00Z"';
const objects = [
  released({ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' }),
  released({ apiVersion: 'v1', kind: 'ConfigMap', name: 'held', more: held }),
];

async function why(words: string, files: string) {
  const folder = folderOf({ 'all.yaml': files });
  return command(`why ${words} -n shop --closed-world -f ${folder}/all.yaml`);
}

test('why of a release says what it holds, and explains what is being deleted', async () => {
  const { out, exitCode } = await why('helm/web', objects.join('') + storedRelease({ manifest }));
  expect(exitCode).toBe(0);
  expect(out).toContain(
    'Helm release shop/web, revision 1 (deployed), has 2 objects, 1 of them being deleted.',
  );
  expect(out).toContain('  ConfigMaps settings, held');
  expect(out).toContain("Its manifest also names objects that don't exist: ConfigMap gone.");
  expect(out).toContain('held by finalizer example.com/hold');
  expect(out).not.toContain('ConfigMap shop/settings');
  expect(out).not.toContain(PASSWORD);
});

test('why of a release names what cannot be seen of it', async () => {
  const folder = folderOf({ 'all.yaml': (objects[0] ?? '') + storedRelease({ manifest }) });
  const { out } = await command(`why helm/web -n shop -f ${folder}/all.yaml`);
  expect(out).toContain('has 1 object that can be seen, none is being deleted.');
  expect(out).toContain(
    "It is unknown if these exist, because they can't be seen: ConfigMap held and ConfigMap gone.",
  );
  expect(out).not.toContain('Its manifest also names');
});

test('why of a release without deletions ends there, and documents have all of its objects', async () => {
  const quiet = (objects[0] ?? '') + storedRelease({ manifest });
  const { out } = await why('helm/web', quiet);
  expect(out.trim().split('\n').at(-1)).toBe(
    'plan uninstall helm/web forecasts what helm uninstall deletes.',
  );
  const document = JSON.parse((await why('helm/web -o json', quiet)).out) as Diagnosis;
  expect(document.items.map(({ object }) => object.name)).toEqual(['settings']);
  expect((await why('helm/wbe', quiet)).err).toContain('Did you mean web?');
});
