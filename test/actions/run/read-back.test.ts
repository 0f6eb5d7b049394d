import { describe, expect, it } from 'vitest';
import { tookEffect } from '../../../src/actions/journal/journal-entry.ts';
import type { Prepared } from '../../../src/actions/prepare/prepare.ts';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { ActingSource, Ended } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import type { ActAnswer } from '../../../src/model/exchange/act.ts';
import { failureWords } from '../../../src/text/actions/failure.ts';
import { ActingWorld, REVIEWS } from '../acting-world.ts';

const yaml = `
- {kind: ConfigMap, name: one}
- {kind: ConfigMap, name: kept, finalizers: [example.com/hold]}
`;

const error500: ActAnswer = { status: 500, body: { message: 'etcdserver: request timed out' } };

class Unsent extends Error {
  readonly unsent = true;
}

/** How a request ends for whoever sent it; thrown where it is an error. */
const endings = {
  lost: new Error('the connection broke'),
  failed: error500,
  unsent: new Unsent('connection refused'),
} as const;

/** Changes end as told, whether they were carried out or not. */
function ending(world: ActingWorld, how: keyof typeof endings, isCarriedOut: boolean): ActingSource {
  const { source } = world;
  return {
    ...source,
    act: async request => {
      if (request.path === REVIEWS) return source.act(request);
      if (isCarriedOut) await source.act(request);
      const end = endings[how];
      if (end instanceof Error) throw end;
      return end;
    },
  };
}

const actions = {
  DELETE: (world: ActingWorld) => world.delete('background', 'one'),
  'DELETE of what is held': (world: ActingWorld) => world.delete('background', 'kept'),
  PATCH: async (world: ActingWorld) => {
    await actionRun.perform(world.delete('background', 'kept'), world.ports());
    return world.unblock('kept', 'remove-finalizer/example.com/hold');
  },
  POST: async (world: ActingWorld): Promise<Prepared> => {
    await actionRun.perform(world.delete('background', 'one'), world.ports());
    const [entry] = await world.journal.list();
    if (entry === undefined) throw new Error('no entry');
    const kept = await world.journal.backupOf(entry);
    const intent = Undo.intent(entry, Undo.plan(entry, kept, world.view), kept, world.view);
    if (intent === undefined) throw new Error('nothing to do');
    return actionRun.prepare(intent, world.ports());
  },
} as const;

async function ended(
  action: keyof typeof actions,
  how: keyof typeof endings,
  isCarriedOut: boolean,
): Promise<{ readonly world: ActingWorld; readonly sent: number; readonly ended: Ended }> {
  const world = await ActingWorld.of(yaml);
  const prepared = await actions[action](world);
  const before = world.sent.length;
  const result = await actionRun.perform(prepared, world.ports({ source: ending(world, how, isCarriedOut) }));
  return { world, sent: world.sent.length - before, ended: result };
}

describe('a request of which nobody knows whether it took effect', () => {
  it.each([
    ['DELETE', 'lost', true, 'reached', 'gone'],
    ['DELETE', 'lost', false, 'unfinished', 'same'],
    ['DELETE', 'failed', true, 'reached', 'gone'],
    ['DELETE', 'failed', false, 'refused', 'same'],
    ['DELETE of what is held', 'lost', true, 'reached', 'deleting'],
    ['DELETE of what is held', 'lost', false, 'unfinished', 'same'],
    ['DELETE of what is held', 'failed', true, 'reached', 'deleting'],
    ['DELETE of what is held', 'failed', false, 'refused', 'same'],
    ['PATCH', 'lost', true, 'reached', 'gone'],
    ['PATCH', 'lost', false, 'unfinished', 'same'],
    ['PATCH', 'failed', true, 'reached', 'gone'],
    ['PATCH', 'failed', false, 'refused', 'same'],
    ['POST', 'lost', true, 'reached', 'made'],
    ['POST', 'lost', false, 'unfinished', 'absent'],
    ['POST', 'failed', true, 'reached', 'made'],
    ['POST', 'failed', false, 'refused', 'absent'],
  ] as const)(
    '%s, %s, carried out: %s: is %s, for the object was found %s',
    async (action, how, isCarriedOut, state, found) => {
      const result = await ended(action, how, isCarriedOut);
      expect(result.ended).toMatchObject({ state, found: { now: { is: found } } });
      // It was sent once.
      expect(result.sent).toBe(isCarriedOut ? 1 : 0);
      const [entry] = await result.world.journal.list();
      expect(entry && tookEffect(entry)).toBe('perhaps');
    },
  );

  it('ends the action where it was not the last, at once: nothing else is sent that could be waited for', async () => {
    const world = await ActingWorld.of(yaml);
    const source = ending(world, 'lost', true);
    const began = world.now;
    const result = await actionRun.perform(
      world.delete('background', 'one', 'kept'),
      world.ports({ source }),
    );
    expect(result).toMatchObject({ state: 'unfinished', found: { now: { is: 'gone' } }, taken: 0 });
    expect(world.sent).toHaveLength(1);
    expect(world.now - began).toBeLessThan(10_000);
  });

  it('is no such request where the API server was not reached', async () => {
    const { ended: result, world } = await ended('DELETE', 'unsent', false);
    expect(result).toMatchObject({ state: 'unfinished', because: 'connection refused', taken: 0 });
    expect(result.found).toBeUndefined();
    const [entry] = await world.journal.list();
    expect(entry?.requests).toEqual([{ state: 'notSent' }]);
    expect(entry && tookEffect(entry)).toBe('no');
  });

  it('is said to be unknown where its object cannot be read either, after a while', async () => {
    const world = await ActingWorld.of(yaml);
    const source = ending(world, 'lost', false);
    let reads = 0;
    const prepared = world.delete('background', 'one');
    const began = world.now;
    const result = await actionRun.perform(
      prepared,
      world.ports({
        source: {
          ...source,
          get: (...what) => {
            // The first two are for the forecast and the backup.
            reads += 1;
            return reads > 2 ? Promise.reject(new Error('no route')) : source.get(...what);
          },
        },
        timeout: 0,
      }),
    );
    expect(result).toMatchObject({
      state: 'unfinished',
      found: { now: { is: 'unread', because: 'no route' } },
    });
    expect(result.because).toContain('may have taken effect: the connection broke');
    expect(world.now - began).toBeGreaterThanOrEqual(15_000);
  });

  it("takes somebody else's change of an object that is to be deleted for what it is", async () => {
    const world = await ActingWorld.of(yaml);
    const { source } = world;
    const result = await actionRun.perform(
      world.delete('background', 'one'),
      world.ports({
        source: {
          ...source,
          act: request => {
            if (request.path === REVIEWS) return source.act(request);
            world.touch('one');
            return Promise.reject(new Error('the connection broke'));
          },
        },
      }),
    );
    expect(result).toMatchObject({
      state: 'unfinished',
      because: 'no answer came: the connection broke',
      found: { now: { is: 'changed' } },
    });
    expect(result.found && failureWords.found(result.found)).toMatch(
      /isn't newly being deleted, and has no finalizers/u,
    );
  });
});

describe('what was found', () => {
  const request = { method: 'DELETE', path: '/', contentType: '', body: {} } as const;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'one', uid: 'one' as never };
  it.each([
    [
      { is: 'same', resourceVersion: '7', finalizers: [] },
      'So far it has had no effect: ConfigMap shop/one was read again and is unchanged (resourceVersion 7).',
    ],
    [
      { is: 'deleting', since: '2026-11-21T12:00:00Z', finalizers: ['a/b', 'c/d'] },
      'ConfigMap shop/one was read again: it has been deleting since 2026-11-21T12:00:00Z, with the finalizers a/b, c/d.',
    ],
    [{ is: 'gone' }, 'ConfigMap shop/one was looked for again: it is gone.'],
    [
      { is: 'replaced', uid: 'other' },
      'ConfigMap shop/one was read again: another object has its name now (uid other).',
    ],
    [{ is: 'made', uid: 'new' }, 'ConfigMap shop/one was looked for: it exists (uid new).'],
    [{ is: 'absent' }, "So far it has had no effect: ConfigMap shop/one was looked for and doesn't exist."],
    [
      { is: 'unread', because: 'no route' },
      'ConfigMap shop/one cannot be read to see whether it had an effect: no route',
    ],
  ] as const)('is said of %j', (now, sentence) => {
    expect(failureWords.found({ request, object, now })).toBe(sentence);
  });
});
