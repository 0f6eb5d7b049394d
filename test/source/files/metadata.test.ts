/** Metadata that kubectl refuses, and what is left out of folders. */
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { metadataFault } from '../../../src/source/files/metadata.ts';
import { oddManifests } from './odd-metadata.ts';
import { failure, folderOf, moveOf, objects, read, readText } from './reading.ts';

const owner = 'apiVersion: v1, kind: ConfigMap, name: b';

describe('metadata that kubectl refuses is refused with its line', () => {
  test.each([
    [`ownerReferences:\n  - {${owner}}`, 'line 5: ConfigMap: metadata.ownerReferences[0] has no uid'],
    [
      `ownerReferences:\n  - {${owner}, uid: ""}`,
      'line 5: ConfigMap: metadata.ownerReferences[0].uid is empty',
    ],
    [
      `ownerReferences:\n  - {${owner}, uid: 5}`,
      'line 5: ConfigMap: metadata.ownerReferences[0].uid is not text',
    ],
    [`ownerReferences: {${owner}, uid: a}`, 'line 4: ConfigMap: metadata.ownerReferences is not a list'],
    ['finalizers: example.com/a', 'line 4: ConfigMap: metadata.finalizers is not a list'],
    ['labels: {app: 5}', 'line 4: ConfigMap: metadata.labels.app is not text: put it in quotes'],
    ['annotations:\n    a: true', 'line 5: ConfigMap: metadata.annotations.a is not text'],
    ['namespace: 5', 'line 4: ConfigMap: metadata.namespace is not text'],
  ])('%s', async (field, expected) => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  ${field}\n  name: a\n`;
    expect(await failure(['-'], { stdin: text })).toContain(`standard input, ${expected}`);
  });

  test('of a dump with masked uids it is not', async () => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  uid: REDACTED\n  finalizers: [old]\n  ownerReferences: [{${owner}, uid: REDACTED}]\n`;
    expect(objects(await readText(text))).toHaveLength(1);
  });

  test.each(['', ', uid: ""', ', uid: null', ', uid: 5'])(
    'a stored reference that says "%s" is matched by its name, as assumed',
    async uid => {
      const stored = (name: string, rest: string): string =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, uid: ${name}-1, ${rest}}\n`;
      const dump = `${stored('a', `ownerReferences: [{${owner}${uid}}]`)}---\n`;
      const there = await readText(`${dump}${stored('b', 'generation: 1')}`, { closedWorld: true });
      expect(objects(there)).toEqual([
        'v1 ConfigMap default/a < ConfigMap b Solid',
        'v1 ConfigMap default/b',
      ]);
      expect(moveOf(there, 'a')).toBe('None assumed');
      const gone = await readText(dump, { closedWorld: true });
      expect(objects(gone)).toEqual(['v1 ConfigMap default/a < ConfigMap b Absent']);
      expect(moveOf(gone, 'a')).toBe('DeleteBackground assumed');
    },
  );

  test('in about as many random manifests as kubectl refuses', () => {
    const faulty = oddManifests(1, 300).filter(
      ({ file, text }) => file.endsWith('json') && metadataFault(JSON.parse(text)),
    );
    expect(faulty.length).toBeGreaterThan(20);
  });
});

test('a key that stands twice counts where it stands last', async () => {
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\n';
  expect(objects(await readText(text))).toEqual(['v1 ConfigMap default/b']);
});

test('what cannot be read in a folder is named, and what is no manifest does not count', async () => {
  const folder = folderOf({
    'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    'kindless.yaml': 'apiVersion: v1\nmetadata: {name: b}\n',
    'nameless.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {labels: {a: b}}\n',
    'template.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.name }}\n',
    'values.yaml': 'replicas: 1\n',
    'Chart.yaml': 'apiVersion: v2\nname: a\nversion: 1.0.0\n',
    'kustomization.yaml':
      'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [a.yaml]\n',
  });
  const { source, view } = await read([folder], { closedWorld: true });
  expect(view.complete).toBe(false);
  expect(view.failedGroups.map(({ resource }) => path.basename(resource))).toEqual([
    'kindless.yaml',
    'nameless.yaml',
    'template.yaml',
  ]);
  expect(source.warnings.at(-1)).toMatch(/^3 files that are no manifests were skipped: /u);
  expect(await failure([folder], { strict: true })).toContain('kindless.yaml');
});

test('a list that holds nothing says so', async () => {
  const { source } = await readText('apiVersion: v1\nkind: List\nitems: []\n');
  expect(source.warnings).toEqual(['-: no object in there.']);
});
