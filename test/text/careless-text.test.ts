import { expect, test } from 'vitest';
import { carelessText } from './careless-text.ts';

test.each([
  'and yet there is 2 ConfigMaps',
  'Did the command in front of the pipe fail?.',
  '3 Endpointses are deleted',
  'completes if 2 handlers remove their finalizers: .',
  '└─ owned by there; the reference calls it ConfigMap b',
  'example.com/drain: **.**',
  '1 objects in 3 namespaces',
  '12 object is deleted',
  'held by (), and then deleted',
  'the the owner',
  'kubectl gc-tree: no such file,.',
])('finds the slip in: %s', line => expect(carelessText(line)).toBeDefined());

test.each([
  'Deleting Namespace t in the background: 1 object is deleted, 2 are altered.',
  'PodDisruptionBudget shop/cloner: 1 of 1 pods healthy, 1 wanted',
  'Pod shop/cache-a is being deleted; first in line: batch/report-1-a and 2 more.',
  'fe80::1 answers with 404, see ../manifests/a.yaml...',
  'an API server that serves no v1 configmap',
])('takes nothing for a slip in: %s', line => expect(carelessText(line)).toBeUndefined());
