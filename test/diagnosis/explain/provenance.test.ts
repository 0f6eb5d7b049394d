import { expect, test } from 'vitest';
import { finalizerSetBy, referenceSetBy } from '../../../src/diagnosis/explain/provenance.ts';

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
