/** The screen shows what the object at the end of the way says of why it stays, and keeps that fresh. */
import { beforeAll, expect, test } from 'vitest';
import { detailsLines } from '../../src/app/views/object-details.ts';
import type { Said } from '../../src/model/said.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { type JsonObject, SourceError } from '../../src/source/source.ts';
import { SmallSource } from '../cli/console.ts';
import { now, objects } from '../cli/documents/cluster.ts';
import { sessionOn } from './source-session.ts';

const held = (version: number): string => `
- {kind: ConfigMap, name: front, uid: front, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: Ingress, name: web, uid: web, resourceVersion: "${version}", deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/drain], owners: [v1 ConfigMap front front +b]}`;

class SayingSource extends SmallSource {
  message = 'the pool is not empty';
  fails = false;
  readonly read: string[] = [];

  override get({ kind }: ResourceType, _namespace: string, name: string): Promise<JsonObject | undefined> {
    this.read.push(`${kind} ${name}`);
    if (this.fails) return Promise.reject(new SourceError('403'));
    const { message } = this;
    return Promise.resolve({
      metadata: { uid: name },
      status: { conditions: [{ type: 'Synced', status: 'False', reason: 'ReconcileError', message }] },
    });
  }
}

function start(source: SayingSource, columns = 160, rows = 60) {
  const { session, second } = sessionOn(source, columns, rows);
  return {
    session,
    /** Opens, and goes from the cause to the first object that it holds. */
    arrive: async () => {
      for (let round = 0; round < 3; round += 1) await second(20);
      session.dispatch({ type: 'key', key: { text: 'j' } });
      for (let round = 0; round < 3; round += 1) await second(20);
    },
    settle: async () => {
      for (let round = 0; round < 3; round += 1) await second(20);
    },
    details: () =>
      detailsLines(session.getState(), 60)
        .map(spans =>
          spans
            .map(({ text }) => text)
            .join('')
            .trim(),
        )
        .join(' '),
  };
}

// The screen loads the rules by itself, which may take longer than a test settles.
beforeAll(() => import('../../src/app/cluster/diagnostics.ts'));

test('the details say what the object at the end says, and follow it when it changes', async () => {
  const source = new SayingSource(held(1));
  const { session, arrive, settle, details } = start(source);
  await arrive();
  expect(details()).toContain('the status of Ingress web says Synced=False (ReconcileError)');
  expect(details()).toContain(
    'What it says Ingress web: Synced=False (ReconcileError): the pool is not empty',
  );
  await settle();
  expect(source.read).toEqual(['Ingress web']);
  source.message = 'two backends are left';
  source.emit({ changes: objects(held(2)) });
  await settle();
  expect(details()).toContain('ReconcileError): "two backends are left"');
  expect(source.read).toEqual(['Ingress web', 'Ingress web']);
  await session.close();
});

test('events are asked for again while the details are shown, though nothing else changes', async () => {
  let asked = 0;
  class Observed extends SayingSource {
    events(): Promise<readonly Said[]> {
      asked += 1;
      const event = { from: 'event', type: 'Normal', status: '', reason: 'Deleting', at: now } as const;
      return Promise.resolve([{ ...event, message: `for the ${asked}. time`, failing: false }]);
    }
  }
  const { session, arrive, settle, details } = start(new Observed(held(1)));
  await arrive();
  expect(details()).toContain('for the 1. time');
  await settle();
  expect(asked).toBe(1);
  for (let i = 0; i < 12; i += 1) await settle();
  expect(details()).toContain('for the 2. time');
  await session.close();
});

test('nothing is asked while no details are shown', async () => {
  const source = new SayingSource(held(1));
  const { session, settle } = start(source, 80, 12);
  await settle();
  expect(source.read).toEqual([]);
  await session.close();
});

test('what cannot be read leaves the details as they are', async () => {
  const source = new SayingSource(held(1));
  source.fails = true;
  const { session, arrive, details } = start(source);
  await arrive();
  expect(source.read).toHaveLength(1);
  expect(details()).toContain('held by finalizer example.com/drain');
  expect(details()).not.toContain('What it says');
  await session.close();
});
