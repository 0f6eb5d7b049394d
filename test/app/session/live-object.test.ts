import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { liveObjectLines, redacted } from '../../../src/app/session/object-documents.ts';

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'db',
    managedFields: [{ manager: 'kubectl' }],
    annotations: {
      team: 'hunter2',
      'objectset.rio.cattle.io/applied': gzipSync('{"stringData":{"password":"hunter2"}}').toString('base64'),
      'objectset.rio.cattle.io/owner-name': 'db-operator',
      'kubectl.kubernetes.io/last-applied-configuration': '{"stringData":{"password":"hunter2"}}',
    },
  },
  data: { password: 'aHVudGVyMg==' },
  stringData: { token: 'hunter2' },
};

test('nothing that a Secret keeps is shown, not even in its annotations', () => {
  const lines = liveObjectLines(secret);
  const text = lines.map(line => line.map(span => span.text).join('')).join('\n');
  expect(text).toContain('password: (hidden)');
  expect(text).toContain('team: (hidden)');
  expect(text).toContain('objectset.rio.cattle.io/owner-name: db-operator');
  expect(text).not.toMatch(/hunter2|aHVudGVyMg|H4sI/);
});

test('nothing that a Secret keeps is shown where an object of another kind carries one', () => {
  const { metadata } = secret;
  const work = {
    kind: 'ManifestWork',
    metadata: { name: 'edge', annotations: { copy: 'hunter2' } },
    spec: {
      workload: {
        manifests: [
          { ...secret, metadata },
          { kind: 'ConfigMap', data: { a: 'plain' } },
        ],
      },
    },
  };
  const text = liveObjectLines(work)
    .map(line => line.map(span => span.text).join(''))
    .join('\n');
  expect(text).toContain('a: plain');
  expect(text).not.toMatch(/hunter2|aHVudGVyMg/);
});

test('managed fields come last of the metadata, so that what they are about is read before', () => {
  const object = { kind: 'ConfigMap', metadata: { managedFields: [], name: 'a' }, data: { key: 'value' } };
  expect(redacted(object)).toEqual(object);
  expect(Object.keys(redacted(object)['metadata'] ?? {})).toEqual(['name', 'managedFields']);
});

test('control sequences in values do not reach the screen', () => {
  const lines = liveObjectLines({ kind: 'ConfigMap', data: { a: '\u001B]0;owned\u0007x\u202E' } });
  const text = lines.flat().map(span => span.text);
  // oxlint-disable-next-line no-control-regex -- that is what must be gone
  expect(text.join('')).not.toMatch(/[\u0000-\u001F\u202E]/);
});

test('an object that was deleted is said not to exist any more', () => {
  const [line] = liveObjectLines(undefined);
  expect(line?.[0]?.text).toBe('The object no longer exists.');
});
