import { expect, test } from 'vitest';
import { managedFieldLines } from '../../../src/app/session/object-documents.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { now, objects } from '../../cli/documents/cluster.ts';

function pod(): KubeObject {
  const [change] = objects('- { kind: Pod, name: web-2 }');
  if (change?.op !== 'upsert') throw new Error('no pod');
  return change.object;
}

const live = {
  metadata: {
    uid: 'web-2',
    finalizers: ['example.com/drain', 'nobody.example.com/x'],
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u-web' }],
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        time: '2026-11-12T12:00:00Z',
        fieldsV1: {
          'f:metadata': { 'f:ownerReferences': { '.': {}, 'k:{"uid":"u-web"}': {} } },
          'f:spec': { 'f:containers': {} },
        },
      },
      {
        manager: 'drain\u001B[31m-operator',
        operation: 'Apply',
        time: '2026-11-12T12:00:00Z',
        fieldsV1: { 'f:metadata': { 'f:finalizers': { 'v:"example.com/drain"': {} } } },
      },
      {
        manager: 'kubelet',
        operation: 'Update',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:phase': {} } },
      },
    ],
  },
};

function told(object: Parameters<typeof managedFieldLines>[0]): string {
  return managedFieldLines(object, pod(), now)
    .map(line => line.map(({ text }) => text).join(''))
    .join('\n');
}

test('says who set each finalizer and each owner reference, and that no writer claims one', () => {
  const text = told(live);
  expect(text).toContain(
    '  example.com/drain\n    set by drain%1B[31m-operator (server-side apply), 9d ago or before (2026-11-12T12:00:00Z)',
  );
  expect(text).toContain('  nobody.example.com/x\n    no writer claims it');
  expect(text).toContain('  StatefulSet web\n    set by kube-controller-manager, 9d ago');
});

test('names everybody who writes to the object and which fields, without values', () => {
  const text = told(live);
  expect(text).toContain('kubelet to status\n    status: phase');
  expect(text).toContain('metadata: ownerReferences; spec: containers');
});

test('takes no other object for the one that was asked about', () => {
  expect(told({ metadata: { ...live.metadata, uid: 'another' } })).toBe(
    'The object was deleted, and another one has its name now.',
  );
  expect(told(undefined)).toBe('The object no longer exists.');
  expect(told({ metadata: { uid: 'web-2' } })).toContain('who set what is unknown');
});
