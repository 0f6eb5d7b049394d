/** The screen asks about what no list holds, and shows what is answered. */

import { expect, test } from 'vitest';
import { currentNode } from '../../src/app/views/current.ts';
import type { LookUp, LookUpAnswer } from '../../src/model/exchange/changes.ts';
import type { Uid } from '../../src/model/object.ts';
import { SmallSource } from '../cli/console.ts';
import { objects } from '../cli/documents/cluster.ts';
import { sessionOn } from './source-session.ts';

class AskedSource extends SmallSource {
  /** What was wanted last. */
  wanted: readonly LookUp[] = [];
  calls = 0;

  lookUp(wanted: Iterable<LookUp>): void {
    this.calls += 1;
    this.wanted = [...wanted];
  }

  answer(answerTo: (lookUp: LookUp) => LookUpAnswer): void {
    const lookUps = this.wanted.map(lookUp => ({ lookUp, answer: answerTo(lookUp) }));
    this.emit({ changes: [], lookUps });
  }

  get names(): readonly string[] {
    return this.wanted.map(({ name }) => name);
  }
}

function start(source: AskedSource) {
  const { session, second } = sessionOn(source);
  return {
    session,
    settle: () => second(30),
    /** `CollectionOverdue assumed` of one object. */
    found: (uid: string) =>
      session
        .getState()
        .cluster?.problems?.of(uid as Uid)
        .map(({ code, certainty }) => `${code} ${certainty}`),
  };
}

const token = '- {kind: Secret, name: token, owners: [v1 ConfigMap lost]}';

/** Everything that is loaded at the first need is there. */
async function ready(run: ReturnType<typeof start>): Promise<void> {
  await expect
    .poll(async () => {
      await run.settle();
      return run.session.getState().cluster?.problems?.complete;
    })
    .toBe(true);
  await run.settle();
}

test('an owner that no list holds is asked about, and what is said of it follows the answer', async () => {
  const source = new AskedSource(token);
  const run = start(source);
  await ready(run);
  expect(source.names).toContain('lost');
  expect(run.found('token')).toEqual(['CollectionOverdue assumed']);
  source.answer(() => ({ state: 'absent' }));
  await run.settle();
  await run.settle();
  expect(run.found('token')).toEqual(['CollectionOverdue exact']);
  expect(source.wanted).toEqual([]);
  await run.session.close();
});

test('an owner that was found holds its dependent, and is asked about until the watch brings it', async () => {
  const source = new AskedSource(token);
  const run = start(source);
  await ready(run);
  source.answer(() => ({ state: 'found', uid: 'lost' as Uid, foreground: false }));
  await run.settle();
  await run.settle();
  expect(run.found('token')).toEqual([]);
  expect(source.names).toEqual(['lost']);
  source.emit({ changes: objects('- {kind: ConfigMap, name: lost}') });
  await run.settle();
  await run.settle();
  expect(source.wanted).toEqual([]);
  await run.session.close();
});

test('a healthy cluster is never asked about, and a quiet one not again', async () => {
  const healthy = new AskedSource(`${token}\n- {kind: ConfigMap, name: lost}`);
  const calm = start(healthy);
  await ready(calm);
  for (let second = 0; second < 5; second += 1) await calm.settle();
  expect(healthy.wanted).toEqual([]);
  await calm.session.close();
  const source = new AskedSource(token);
  const run = start(source);
  await ready(run);
  const { calls } = source;
  for (let second = 0; second < 5; second += 1) await run.settle();
  expect(source.calls).toBe(calls);
  await run.session.close();
});

test('the object under the cursor goes first', async () => {
  const source = new AskedSource(`
- {kind: Secret, name: a, owners: [v1 ConfigMap lost-a]}
- {kind: Secret, name: b, owners: [v1 ConfigMap lost-b]}`);
  const run = start(source);
  await ready(run);
  const under = currentNode(run.session.getState())?.identity;
  run.session.dispatch({ type: 'key', key: { name: 'end' } });
  await run.settle();
  await run.settle();
  const last = currentNode(run.session.getState())?.identity;
  expect(last?.name).not.toBe(under?.name);
  expect(source.names[0]).toBe(last?.name === 'b' || last?.name === 'lost-b' ? 'lost-b' : 'lost-a');
  await run.session.close();
});
