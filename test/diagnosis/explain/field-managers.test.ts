import { expect, test } from 'vitest';
import {
  finalizerSetBy,
  labelsSetByOthers,
  referenceSetBy,
} from '../../../src/diagnosis/explain/field-managers.ts';

// As the API server writes it.
const object = {
  metadata: {
    name: 'web-2',
    finalizers: ['example.com/drain', 'example.com/"odd"'],
    managedFields: [
      {
        manager: 'kubectl-edit',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-11-20T09:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"example.com/\\"odd\\""': {} } } },
      },
      {
        manager: 'drain-operator',
        operation: 'Apply',
        apiVersion: 'v1',
        time: '2026-11-12T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:finalizers': { 'v:"example.com/drain"': {} } } },
      },
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        apiVersion: 'v1',
        time: '2026-11-11T12:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': {
            'f:finalizers': { 'v:"example.com/drain"': {} },
            'f:ownerReferences': { '.': {}, 'k:{"uid":"web-uid"}': {} },
          },
        },
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

test('tells every manager of a finalizer, the one that wrote first before the others', () => {
  expect(finalizerSetBy(object, 'example.com/drain')).toEqual([
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      subresource: '',
      at: Date.parse('2026-11-11T12:00:00Z'),
    },
    {
      manager: 'drain-operator',
      operation: 'Apply',
      subresource: '',
      at: Date.parse('2026-11-12T12:00:00Z'),
    },
  ]);
  expect(finalizerSetBy(object, 'example.com/"odd"').map(({ manager }) => manager)).toEqual(['kubectl-edit']);
});

test('tells who set the reference to an owner, by its uid', () => {
  expect(referenceSetBy(object, 'web-uid').map(({ manager }) => manager)).toEqual([
    'kube-controller-manager',
  ]);
  expect(referenceSetBy(object, 'another-uid')).toEqual([]);
});

test('says nothing where nothing is known, whatever the JSON', () => {
  expect(finalizerSetBy({}, 'example.com/drain')).toEqual([]);
  expect(finalizerSetBy(object, 'example.com/unset')).toEqual([]);
  const broken = {
    metadata: { managedFields: [null, { fieldsV1: { 'f:metadata': { 'f:finalizers': { 'v:{': {} } } } }] },
  };
  expect(finalizerSetBy(broken, 'example.com/drain')).toEqual([]);
});

test('tells who but kube-controller-manager set labels, and nothing where no field of them is told', () => {
  const entry = (manager: string, labels: readonly string[], more: object = {}) => ({
    manager,
    operation: 'Update',
    time: '2026-11-20T09:00:00Z',
    fieldsV1: { 'f:metadata': { 'f:labels': Object.fromEntries(labels.map(key => [key, {}])) } },
    ...more,
  });
  const of = (...managedFields: readonly object[]) => labelsSetByOthers({ metadata: { managedFields } });
  const made = entry('kube-controller-manager', ['.', 'f:app']);
  expect(of()).toBeUndefined();
  expect(of(entry('kubectl', ['.']))).toBeUndefined();
  expect(of(made, entry('kube-scheduler', ['f:zone'], { subresource: 'binding' }))).toEqual([]);
  expect(
    of(made, entry('kubectl-label', ['f:b', 'f:a']), entry('web', ['f:c'], { time: '2026-11-19T09:00:00Z' })),
  ).toMatchObject([
    { manager: 'web', labels: ['c'] },
    { manager: 'kubectl-label', labels: ['a', 'b'], at: Date.parse('2026-11-20T09:00:00Z') },
  ]);
});
