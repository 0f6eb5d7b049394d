import { describe, expect, it } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { ActingSource, Question, RunPorts } from '../../../src/actions/run/run-ports.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { record } from '../../../src/model/json/json.ts';
import type { Uid } from '../../../src/model/object.ts';
import { SourceError } from '../../../src/source/source.ts';
import { deployment, nodes } from '../../forecast/fixtures.ts';
import { ActingWorld, lines, REVIEWS, reviewed } from '../acting-world.ts';

const family = `
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: left, owners: [v1 ConfigMap top top +b]}
- {kind: ConfigMap, name: right, owners: [v1 ConfigMap top top]}
`;
const alone = `
- {kind: ConfigMap, name: one}
- {kind: ConfigMap, name: two}
- {kind: ConfigMap, name: three}
`;
const held = `
- {kind: ConfigMap, name: held, finalizers: [example.com/hold]}
- {kind: ConfigMap, name: child, owners: [v1 ConfigMap held held +b]}
`;

describe('a remedy that rests on something being absent', () => {
  const lost = {
    of: 'object',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'lost',
    uid: 'lost' as Uid,
  } as const;

  it.each([
    ['under the very uid', 'lost', 'stale'],
    ['as another object of that name', 'younger', 'reached'],
  ])('looks again before it is sent: what it takes to be absent is there %s', async (_, uid, state) => {
    const world = await ActingWorld.of(held);
    const prepared = world.unblock('held', 'remove-finalizer/example.com/hold');
    const { source } = world;
    const ended = await actionRun.perform(
      prepared,
      world.ports({
        source: {
          ...source,
          get: (type, namespace, name, signal) =>
            name === 'lost'
              ? Promise.resolve({ metadata: { name, namespace, uid } })
              : source.get(type, namespace, name, signal),
        },
        absencesBehind: () => [lost],
      }),
    );
    expect(ended.state).toBe(state);
    expect(world.sent).toHaveLength(state === 'stale' ? 0 : 1);
    if (state === 'stale') expect(ended.because).toContain('ConfigMap lost is there');
  });
});

describe('an action from its forecast to its end', () => {
  it('is examined, confirmed, sent and followed, in this order', async () => {
    const world = await ActingWorld.of(family);
    const asked: Question[] = [];
    const ended = await actionRun.perform(
      world.delete('foreground', 'top'),
      world.ports({
        confirm: question => {
          asked.push(question);
          expect(world.sent).toEqual([]);
          return Promise.resolve(true);
        },
      }),
    );
    expect(ended).toMatchObject({ state: 'reached', taken: 1, departures: [] });
    expect(asked).toHaveLength(1);
    const events = world.events.map(({ event }) => event);
    expect(events.slice(0, 4)).toEqual(['examining', 'examined', 'sending', 'sent']);
    expect(new Set(events.slice(4))).toEqual(new Set(['progress']));
    expect(world.has('left')).toBe(false);
    expect(await world.journal.list()).toMatchObject([{ ended: { outcome: 'reached' } }]);
  });

  it('sends nothing and writes nothing where nobody confirms', async () => {
    const world = await ActingWorld.of(family);
    const ended = await actionRun.perform(
      world.delete('background', 'top'),
      world.ports({ confirm: () => Promise.resolve(false) }),
    );
    expect(ended).toMatchObject({ state: 'cancelled', taken: 0, entries: [] });
    expect(world.sent).toEqual([]);
    expect(await world.journal.list()).toEqual([]);
  });

  describe('on what may be deleted and not be read', () => {
    const secrets = `
- {kind: ConfigMap, name: top}
- {kind: Secret, name: key, finalizers: [example.com/hold], labels: {app: shop}, owners: [v1 ConfigMap top top +b]}`;

    /** `reviews`: whether the API server says so when it is asked before. */
    async function blind({ reviews = true } = {}): Promise<ActingWorld> {
      const world = await ActingWorld.of(secrets);
      world.intercept = ({ body }) => {
        const { verb, resource } = record(record(record(body)['spec'])['resourceAttributes']);
        return verb === 'get' && resource === 'secrets' && reviews ? reviewed(false) : undefined;
      };
      return world;
    }

    function portsOf(world: ActingWorld, more: Partial<RunPorts> = {}): RunPorts {
      const { source } = world;
      const get: ActingSource['get'] = (type, ...place) =>
        type.kind === 'Secret'
          ? Promise.reject(new SourceError('cannot read Secret', { status: 403 }))
          : source.get(type, ...place);
      return world.ports({ source: { ...source, get }, ...more });
    }

    it('goes on with the metadata that is known, says so before, and wants the word', async () => {
      const world = await blind();
      const asked: Question[] = [];
      const confirm = (question: Question): Promise<boolean> => {
        asked.push(question);
        return Promise.resolve(true);
      };
      const prepared = actionRun.prepare(
        { verb: 'delete', cascade: 'background', targets: [world.object('key')] },
        world.ports({ secretData: true }),
      );
      const ended = await actionRun.perform(prepared, portsOf(world, { confirm, secretData: true }));
      expect(ended).toMatchObject({ state: 'reached', taken: 1 });
      const [question, ...more] = asked;
      expect(more).toEqual([]);
      expect(question?.examination.unreadable.map(({ objects }) => objects.map(({ name }) => name))).toEqual([
        ['key'],
      ]);
      expect(question?.prepared.confirmation).toMatchObject({ kind: 'typed', word: 'key' });
      const [entry] = await world.journal.list();
      const kept = entry === undefined ? [] : await world.journal.backupOf(entry);
      expect(kept).toMatchObject([
        {
          object: { kind: 'Secret', name: 'key' },
          without: 'content',
          json: {
            metadata: {
              uid: 'key',
              labels: { app: 'shop' },
              finalizers: ['example.com/hold'],
              ownerReferences: [{ name: 'top', blockOwnerDeletion: true }],
            },
          },
        },
      ]);
    });

    it('asks again where that only shows when the backup is read, and sends nothing before', async () => {
      const world = await blind({ reviews: false });
      const asked: Question[] = [];
      const confirm = (question: Question): Promise<boolean> => {
        asked.push(question);
        expect(world.sent).toEqual([]);
        return Promise.resolve(true);
      };
      const ended = await actionRun.perform(world.delete('foreground', 'top'), portsOf(world, { confirm }));
      expect(ended.state).toBe('reached');
      expect(asked.map(({ examination }) => examination.unreadable.length)).toEqual([0, 1]);
      expect(asked[1]?.prepared.confirmation).toMatchObject({ kind: 'typed' });
    });

    it('still does nothing where it cannot be read for another reason', async () => {
      const world = await blind();
      const { source } = world;
      const get: ActingSource['get'] = () =>
        Promise.reject(new SourceError('cannot read Secret', { status: 503 }));
      const ports = world.ports({ source: { ...source, get } });
      await expect(actionRun.perform(world.delete('background', 'key'), ports)).rejects.toThrow(
        'cannot read Secret',
      );
      expect(world.sent).toEqual([]);
    });

    it('does not count as lost what is only altered', async () => {
      const world = await blind();
      const asked: Question[] = [];
      const confirm = (question: Question): Promise<boolean> => {
        asked.push(question);
        return Promise.resolve(true);
      };
      const ended = await actionRun.perform(world.delete('orphan', 'top'), portsOf(world, { confirm }));
      expect(ended.state).toBe('reached');
      expect(asked[0]?.prepared.confirmation).toMatchObject({ because: '2 objects are deleted or altered' });
      const [entry] = await world.journal.list();
      if (entry === undefined) throw new Error('no entry');
      const { requests, lost } = Undo.plan(entry, await world.journal.backupOf(entry), world.view);
      expect(lines(requests)).toEqual(['POST top', 'PATCH key']);
      expect(lost).toEqual([]);
    });
  });

  it('names the permissions that are missing, and neither asks nor sends', async () => {
    const world = await ActingWorld.of(family);
    world.intercept = request => (request.path === REVIEWS ? reviewed(false) : undefined);
    const ended = await actionRun.perform(
      world.delete('background', 'top'),
      world.ports({ confirm: () => Promise.reject(new Error('asked')) }),
    );
    expect(ended.state).toBe('denied');
    expect(ended.examination?.denied).toMatchObject([
      { verb: 'delete', resource: 'configmaps', name: 'top' },
    ]);
    expect(world.sent).toEqual([]);
  });

  it("ends with the server's words where the dry run is refused", async () => {
    const world = await ActingWorld.of(family);
    const source = {
      ...world.source,
      dryRun: () => Promise.resolve({ status: 403, body: { message: 'admission webhook says no' } }),
    };
    const ended = await actionRun.perform(world.delete('background', 'top'), world.ports({ source }));
    expect(ended).toMatchObject({ state: 'refused', because: 'admission webhook says no', entries: [] });
    expect(world.sent).toEqual([]);
  });

  it('stops at the first request that is refused, and counts those before it', async () => {
    const world = await ActingWorld.of(alone);
    world.intercept = request =>
      request.path.endsWith('/two') ? { status: 403, body: { message: 'not this one' } } : undefined;
    const ended = await actionRun.perform(world.delete('background', 'one', 'two', 'three'), world.ports());
    expect(ended).toMatchObject({ state: 'refused', because: 'not this one', taken: 1 });
    expect(lines(world.sent)).toEqual(['DELETE one', 'DELETE two']);
    const [entry] = await world.journal.list();
    expect(entry?.requests.map(({ state }) => state)).toEqual(['answered', 'answered', 'notSent']);
    expect(entry?.ended?.outcome).toBe('refused');
  });

  it('goes on with the rest after a conflict in the middle, without a second question', async () => {
    const world = await ActingWorld.of(alone);
    let conflicts = 0;
    world.intercept = request => {
      if (!request.path.endsWith('/two') || conflicts > 0) return undefined;
      conflicts += 1;
      world.touch('two');
      return { status: 409, body: { message: 'the object has been modified' } };
    };
    let questions = 0;
    const ended = await actionRun.perform(
      world.delete('background', 'one', 'two', 'three'),
      world.ports({
        confirm: () => {
          questions += 1;
          return Promise.resolve(true);
        },
      }),
    );
    expect(ended).toMatchObject({ state: 'reached', taken: 3 });
    expect(lines(world.sent)).toEqual(['DELETE one', 'DELETE two', 'DELETE two', 'DELETE three']);
    expect(questions).toBe(1);
  });

  it('sends nothing a second time, in the middle, for what was being deleted before', async () => {
    const world = await ActingWorld.of(`
- {kind: ConfigMap, name: going, deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0, finalizers: [example.com/hold]}
- {kind: ConfigMap, name: two}
`);
    world.intercept = request => {
      if (!request.path.endsWith('/two') || world.sent.length > 2) return undefined;
      world.touch('two');
      return { status: 409, body: { message: 'the object has been modified' } };
    };
    const ended = await actionRun.perform(world.delete('background', 'going', 'two'), world.ports());
    expect(ended.taken).toBe(2);
    expect(lines(world.sent)).toEqual(['DELETE going', 'DELETE two', 'DELETE two']);
  });

  it('counts as done what has gone with the others in the middle', async () => {
    const world = await ActingWorld.of(family);
    const prepared = world.delete('background', 'top', 'left');
    let isCollected = false;
    world.intercept = request => {
      if (!request.path.endsWith('/left') || isCollected) return undefined;
      // The collector is quicker than the second request.
      isCollected = true;
      world.cluster.run({ tasks: 1000 });
      return undefined;
    };
    const ended = await actionRun.perform(prepared, world.ports());
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    const [entry] = await world.journal.list();
    expect(entry?.requests).toMatchObject([{ status: 200 }, { status: 404 }]);
    expect(entry?.ended?.outcome).toBe('reached');
  });

  it('takes a conflict without any change for the refusal that it is', async () => {
    const world = await ActingWorld.of(alone);
    world.intercept = request =>
      request.path === REVIEWS ? undefined : { status: 422, body: { message: 'spec is invalid' } };
    const ended = await actionRun.perform(world.delete('background', 'one'), world.ports());
    expect(ended).toMatchObject({ state: 'refused', because: 'spec is invalid', taken: 0 });
    expect(world.sent).toHaveLength(1);
  });

  it('waits for the watch before it makes a new forecast, and gives up where it does not come', async () => {
    const world = await ActingWorld.of(alone);
    const prepared = world.delete('background', 'one');
    world.isWatching = false;
    world.touch('one');
    expect(await actionRun.perform(prepared, world.ports())).toMatchObject({ state: 'stale', taken: 0 });
    expect(world.sent).toEqual([]);
    const again = actionRun.perform(prepared, {
      ...world.ports(),
      changed: () => {
        world.resume();
        world.cluster.runFor(100);
        return Promise.resolve();
      },
    });
    expect(await again).toMatchObject({ state: 'reached', taken: 1 });
  });

  it('gives up on an object that changes all the time', async () => {
    const world = await ActingWorld.of(alone);
    world.intercept = request => {
      if (request.method === 'DELETE') world.touch('one');
      return undefined;
    };
    const ended = await actionRun.perform(world.delete('background', 'one'), world.ports());
    expect(ended).toMatchObject({ state: 'refused', taken: 0 });
    expect(ended.because).toMatch(/keeps changing/u);
    expect(world.has('one')).toBe(true);
  });

  it('says that a request without an answer may have taken effect, and looks whether it has', async () => {
    const world = await ActingWorld.of(alone);
    const { source } = world;
    const losing = (isServed: boolean) => ({
      ...source,
      act: async (request: Parameters<typeof source.act>[0]) => {
        if (request.method === 'DELETE') {
          if (isServed) await source.act(request);
          throw new Error('the connection was lost');
        }
        return source.act(request);
      },
    });
    const lost = await actionRun.perform(
      world.delete('background', 'one'),
      world.ports({ source: losing(false) }),
    );
    expect(lost).toMatchObject({ state: 'unfinished', because: 'no answer came: the connection was lost' });
    // It was read again, and not sent again.
    expect(lost.found?.now.is).toBe('same');
    expect(world.sent).toEqual([]);
    const served = await actionRun.perform(
      world.delete('background', 'one'),
      world.ports({ source: losing(true) }),
    );
    expect(served.state).toBe('reached');
    const [latest] = await world.journal.list();
    expect(latest?.requests).toEqual([{ state: 'unknown' }]);
  });

  it('sends nothing after a request without an answer', async () => {
    const world = await ActingWorld.of(alone);
    world.intercept = request => {
      if (request.path.endsWith('/two')) throw new Error('the connection was lost');
      return undefined;
    };
    const ended = await actionRun.perform(world.delete('background', 'one', 'two', 'three'), world.ports());
    expect(ended).toMatchObject({ state: 'unfinished', taken: 1 });
    expect(world.has('three')).toBe(true);
    const [entry] = await world.journal.list();
    expect(entry?.requests.map(({ state }) => state)).toEqual(['answered', 'unknown', 'notSent']);
  });

  it('is unfinished where the time is up before what was forecast has come', async () => {
    const world = await ActingWorld.of(held);
    const ended = await actionRun.perform(world.delete('foreground', 'held'), world.ports({ timeout: 0 }));
    expect(ended).toMatchObject({ state: 'unfinished', taken: 1 });
    expect(ended.progress?.pending).not.toEqual([]);
  });

  it('has reached its end once that has held for a second, and never while the cluster is not heard', async () => {
    const world = await ActingWorld.of(alone);
    const began = world.now;
    const ended = await actionRun.perform(world.delete('background', 'one'), world.ports());
    expect(ended.state).toBe('reached');
    expect(world.now - began).toBeGreaterThanOrEqual(1_000);
    const connection = { state: 'lost', reason: 'refused', since: world.now } as const;
    world.view.apply({ changes: [], connection }, world.now);
    const unheard = await actionRun.perform(
      world.delete('background', 'two'),
      world.ports({ timeout: 5_000 }),
    );
    expect(unheard).toMatchObject({ state: 'unfinished', progress: { done: 1, pending: [] } });
  });

  it('reaches a forecast that says stuck when it is stuck as it says', async () => {
    const world = await ActingWorld.of(held);
    const prepared = world.delete('foreground', 'held');
    expect(prepared.forecast.outcome).toBe('Stuck');
    expect(await actionRun.perform(prepared, world.ports())).toMatchObject({ state: 'reached' });
    expect(world.object('held').finalizers).toContain('example.com/hold');
  });

  it('stops when it is told to: before the requests, between two of them, and while it follows', async () => {
    const world = await ActingWorld.of(alone);
    const early = new AbortController();
    const ended = await actionRun.perform(
      world.delete('background', 'one'),
      world.ports({
        signal: early.signal,
        confirm: () => {
          early.abort();
          return Promise.resolve(true);
        },
      }),
    );
    expect(ended).toMatchObject({ state: 'cancelled', taken: 0 });
    expect(world.sent).toEqual([]);
    for (const [name, taken] of [
      ['one', 1],
      ['two', 2],
    ] as const) {
      const again = await ActingWorld.of(alone);
      const late = new AbortController();
      again.intercept = request => {
        if (request.path.endsWith(`/${name}`)) late.abort();
        return undefined;
      };
      expect(
        await actionRun.perform(
          again.delete('background', 'one', 'two'),
          again.ports({ signal: late.signal }),
        ),
      ).toMatchObject({ state: 'unfinished', taken });
      expect(again.sent).toHaveLength(taken);
    }
  });

  it('unblocks with a remedy, and the remedy of the object as it is now', async () => {
    const world = await ActingWorld.of(held);
    await actionRun.perform(world.delete('foreground', 'held'), world.ports());
    const prepared = world.unblock('held', 'remove-finalizer/example.com/hold');
    world.touch('held');
    const ended = await actionRun.perform(prepared, world.ports());
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(world.has('held')).toBe(false);
  });

  it('has nothing to do where a remedy has lost its cause', async () => {
    const world = await ActingWorld.of(held);
    await actionRun.perform(world.delete('foreground', 'held'), world.ports());
    const prepared = world.unblock('held', 'remove-finalizer/example.com/hold');
    const ended = await actionRun.perform(prepared, world.ports({ remedyFor: () => undefined }));
    expect(ended).toMatchObject({ state: 'moot', taken: 0, entries: [] });
  });

  it('undoes a deletion, and follows what is made again under its new uid', async () => {
    const world = await ActingWorld.of(nodes + deployment('api', 2));
    const before = world.sent.length;
    const orphaned = await actionRun.perform(world.delete('orphan', 'api'), world.ports());
    expect(orphaned.state).toBe('reached');
    expect(world.object('api-h').owners).toEqual([]);
    const entry = await world.journal.entry(orphaned.entries[0] ?? '');
    if (entry === undefined) throw new Error('no entry');
    const kept = await world.journal.backupOf(entry);
    const undo = Undo.plan(entry, kept, world.view);
    expect(undo.extent).toBe('whole');
    const intent = Undo.intent(entry, undo, kept, world.view);
    if (intent === undefined) throw new Error('nothing to do');
    const ended = await actionRun.perform(actionRun.prepare(intent, world.ports()), world.ports());
    expect(ended).toMatchObject({ state: 'reached', departures: [] });
    expect(ended.progress?.total).toBeGreaterThan(0);
    expect(lines(world.sent.slice(before + 1))).toEqual(['POST api', 'PATCH api-h']);
    const [owner] = world.object('api-h').owners;
    expect(owner).toMatchObject({ kind: 'Deployment', name: 'api', controller: true });
    expect(owner?.uid).not.toBe('api');
    expect(world.has(owner?.uid ?? '')).toBe(true);
    expect(await world.journal.entry(ended.entries[0] ?? '')).toMatchObject({
      intended: { verb: 'undo', undoes: entry.intended.id },
    });
  });

  it('undoes an undo: what was recreated goes, and what it owns by now is left as it was before', async () => {
    const world = await ActingWorld.of(nodes + deployment('api', 2));
    const undoing = async (id: string | undefined) => {
      const entry = await world.journal.entry(id ?? '');
      if (entry === undefined) throw new Error('no entry');
      const kept = await world.journal.backupOf(entry);
      const undo = Undo.plan(entry, kept, world.view);
      const intent = Undo.intent(entry, undo, kept, world.view);
      if (intent === undefined) throw new Error('nothing to do');
      return {
        undo,
        ended: await actionRun.perform(actionRun.prepare(intent, world.ports()), world.ports()),
      };
    };
    const orphaned = await actionRun.perform(world.delete('orphan', 'api'), world.ports());
    const first = await undoing(orphaned.entries[0]);
    const [again] = world.object('api-h').owners;
    expect(world.has(again?.uid ?? '')).toBe(true);
    const before = world.sent.length;
    const second = await undoing(first.ended.entries[0]);
    expect(second.undo).toMatchObject({ extent: 'whole', lost: [] });
    expect(second.ended).toMatchObject({ state: 'reached', departures: [] });
    expect(lines(world.sent.slice(before))).toEqual(['DELETE api']);
    expect(world.sent.at(-1)?.body).toMatchObject({
      propagationPolicy: 'Orphan',
      preconditions: { uid: again?.uid },
    });
    expect(world.has(again?.uid ?? '')).toBe(false);
    expect(world.object('api-h').owners).toEqual([]);
    // And back once more.
    expect((await undoing(second.ended.entries[0])).ended).toMatchObject({
      state: 'reached',
      departures: [],
    });
    expect(world.object('api-h').owners).toMatchObject([{ kind: 'Deployment', name: 'api' }]);
  });

  it('takes back the rest after an undo that came half-way, and calls nothing of the first half lost', async () => {
    const world = await ActingWorld.of(family);
    const deleted = await actionRun.perform(world.delete('background', 'top'), world.ports());
    const undoing = async () => {
      const entry = await world.journal.entry(deleted.entries[0] ?? '');
      if (entry === undefined) throw new Error('no entry');
      const kept = await world.journal.backupOf(entry);
      const undo = Undo.plan(entry, kept, world.view);
      return { undo, intent: Undo.intent(entry, undo, kept, world.view) };
    };
    const run = async () => {
      const { intent } = await undoing();
      if (intent === undefined) throw new Error('nothing to do');
      const before = world.sent.length;
      await actionRun.perform(actionRun.prepare(intent, world.ports()), world.ports());
      return lines(world.sent.slice(before));
    };
    let created = 0;
    world.intercept = ({ path }) =>
      path.endsWith('/configmaps') && ++created > 1
        ? { status: 403, body: { message: 'enough' } }
        : undefined;
    expect(await run()).toEqual(['POST top', 'POST left']);
    world.intercept = () => undefined;
    expect((await undoing()).undo).toMatchObject({ extent: 'whole', lost: [] });
    expect(await run()).toEqual(['POST left', 'POST right']);
    expect((await undoing()).undo).toMatchObject({ extent: 'nothing', lost: [] });
    // What somebody else has created meanwhile is none of it.
    const [entry] = (await world.journal.list()).toReversed();
    if (entry === undefined) throw new Error('no entry');
    const others = (await world.journal.backupOf(entry)).map(each => ({ ...each, newUid: 'another' }));
    expect(Undo.plan(entry, others, world.view).lost[0]).toContain('another object of this name');
  });

  it('goes on with an undo where a controller was quicker to adopt, without a second question', async () => {
    const world = await ActingWorld.of(nodes + deployment('api', 1));
    const orphaned = await actionRun.perform(world.delete('orphan', 'api'), world.ports());
    const [entry] = await world.journal.list();
    if (entry === undefined) throw new Error('no entry');
    const kept = await world.journal.backupOf(entry);
    const intent = Undo.intent(entry, Undo.plan(entry, kept, world.view), kept, world.view);
    if (intent === undefined) throw new Error('nothing to do');
    expect(orphaned.state).toBe('reached');
    world.intercept = request => {
      // The Deployment controller has seen the new Deployment, and adopts its ReplicaSet.
      if (request.method === 'PATCH') world.cluster.run({ tasks: 1000 });
      return undefined;
    };
    let questions = 0;
    const ended = await actionRun.perform(
      actionRun.prepare(intent, world.ports()),
      world.ports({
        confirm: () => {
          questions += 1;
          return Promise.resolve(true);
        },
      }),
    );
    expect(ended).toMatchObject({ state: 'reached', taken: 1, departures: [] });
    expect(questions).toBe(1);
    expect(world.object('api-h').owners).toMatchObject([
      { kind: 'Deployment', name: 'api', controller: true },
    ]);
  });

  it('asks again where more would go by now than was confirmed', async () => {
    const world = await ActingWorld.of(alone);
    const questions: Question[] = [];
    const ended = await actionRun.perform(
      world.delete('background', 'one'),
      world.ports({
        confirm: question => {
          questions.push(question);
          const { type, uid } = world.object('one');
          const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', uid };
          const owners = [{ ...owner, controller: undefined, blockOwnerDeletion: undefined }];
          world.cluster.as('somebody').create({ type, namespace: 'shop', name: 'late', owners });
          return Promise.resolve(questions.length === 1);
        },
      }),
    );
    expect(ended).toMatchObject({ state: 'cancelled', taken: 0 });
    expect(questions.map(({ prepared }) => prepared.forecast.deleted.length)).toEqual([1, 2]);
    expect(questions[1]?.before).toBe(questions[0]?.prepared);
    expect(world.sent).toEqual([]);
  });

  it('follows what the first requests have begun, after a new forecast in the middle', async () => {
    const world = await ActingWorld.of(held + alone);
    let conflicts = 0;
    world.intercept = request => {
      if (!request.path.endsWith('/one') || conflicts > 0) return undefined;
      conflicts += 1;
      // By now the first is on its way, whatever becomes of the second.
      world.cluster.run({ tasks: 1000 });
      world.touch('one');
      return { status: 409, body: { message: 'the object has been modified' } };
    };
    const ended = await actionRun.perform(world.delete('background', 'held', 'one'), world.ports());
    expect(ended).toMatchObject({ state: 'reached', taken: 2 });
    // The one that is held, and the one that is gone.
    expect(ended.progress).toMatchObject({ done: 2, total: 2 });
  });

  it('sends no second request for what is being deleted with the others', async () => {
    const world = await ActingWorld.of(`
- {kind: ConfigMap, name: top}
- {kind: ConfigMap, name: left, finalizers: [example.com/hold], owners: [v1 ConfigMap top top]}
- {kind: ConfigMap, name: one}
`);
    let isCollected = false;
    world.intercept = request => {
      if (!request.path.endsWith('/left') || isCollected) return undefined;
      isCollected = true;
      world.cluster.run({ tasks: 1000 });
      return undefined;
    };
    const ended = await actionRun.perform(world.delete('background', 'top', 'left', 'one'), world.ports());
    expect(ended).toMatchObject({ state: 'reached', taken: 2 });
    expect(lines(world.sent)).toEqual(['DELETE top', 'DELETE left', 'DELETE one']);
  });

  it('goes on with the rest of an undo after a conflict in the middle', async () => {
    const world = await ActingWorld.of(nodes + family);
    await actionRun.perform(world.delete('orphan', 'top'), world.ports());
    const [entry] = await world.journal.list();
    if (entry === undefined) throw new Error('no entry');
    const kept = await world.journal.backupOf(entry);
    const intent = Undo.intent(entry, Undo.plan(entry, kept, world.view), kept, world.view);
    if (intent === undefined) throw new Error('nothing to do');
    let conflicts = 0;
    world.intercept = request => {
      if (request.method !== 'PATCH' || conflicts > 0) return undefined;
      conflicts += 1;
      world.touch('left');
      return undefined;
    };
    let questions = 0;
    const ended = await actionRun.perform(
      actionRun.prepare(intent, world.ports()),
      world.ports({
        confirm: () => {
          questions += 1;
          return Promise.resolve(true);
        },
      }),
    );
    expect(ended).toMatchObject({ state: 'reached', taken: 3 });
    expect(questions).toBe(1);
    expect(lines(world.sent.slice(1))).toEqual(['POST top', 'PATCH left', 'PATCH left', 'PATCH right']);
    const [again] = world.object('left').owners;
    expect(again).toMatchObject({ name: 'top', blockOwnerDeletion: true });
    expect(world.has(again?.uid ?? '')).toBe(true);
  });
});
