import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../src/model/json/json.ts';
import { objectJson } from '../../src/model/object-json.ts';
import { AnyObject, kindsWithFacts, typeOf } from './any-object.ts';

describe('an object rendered as JSON is read back alike', () => {
  test.each([...kindsWithFacts, 'ConfigMap', 'Secret'])('%s', kind => {
    const type = typeOf(kind);
    for (let seed = 1; seed <= 400; seed++) {
      const object = objectJson.read(type, new AnyObject(seed).of(kind));
      if (object === undefined) throw new Error('no object');
      const json = objectJson.write(object);
      const sent = JSON.parse(JSON.stringify(json)) as JsonRecord;
      expect(objectJson.read(type, sent), `seed ${seed}`).toEqual(object);
    }
  });
});

test('what a person reads is in the form of the API server', () => {
  const type = typeOf('Pod');
  const object = objectJson.read(type, {
    metadata: { name: 'web-0', namespace: 'shop', uid: 'u', creationTimestamp: '2026-11-21T12:00:00Z' },
    spec: { nodeName: 'node-1', containers: [{ name: 'app' }] },
    status: { phase: 'Running', containerStatuses: [{ ready: true }] },
  });
  if (object === undefined) throw new Error('no object');
  expect(objectJson.write(object)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-0', namespace: 'shop', uid: 'u', creationTimestamp: '2026-11-21T12:00:00Z' },
    spec: { nodeName: 'node-1', containers: [{ name: 'main' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'main', ready: true, restartCount: 0, state: { running: {} } }],
    },
  });
});
