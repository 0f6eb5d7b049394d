import { describe, expect, it } from 'vitest';
import type { EntryWriter } from '../../../src/actions/journal/action-journal.ts';
import { Journal } from '../../../src/actions/journal/action-journal.ts';
import type { JournalLine } from '../../../src/actions/journal/journal-entry.ts';
import { withNewOwners } from '../../../src/actions/prepare/expectations.ts';
import type { Prepared } from '../../../src/actions/prepare/prepare.ts';
import { prepare } from '../../../src/actions/prepare/prepare.ts';
import { type CarryOutContext, carryOut } from '../../../src/actions/run/carry-out.ts';
import { untilServed } from '../../../src/actions/run/read-again.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ActAnswer, ActRequest } from '../../../src/model/exchange/act.ts';
import { record } from '../../../src/model/json/json.ts';
import { now, objectOf, viewOf } from '../../forecast/fixtures.ts';
import { lines, temporaryFolder } from '../acting-world.ts';

const view = viewOf(['a', 'b', 'c'].map(name => `- {kind: ConfigMap, name: ${name}}\n`).join(''));

function prepared(...uids: readonly string[]): Prepared {
  const targets = uids.map(uid => objectOf(view, uid));
  const intent = { verb: 'delete', cascade: 'background', targets } as const;
  return prepare(Forecaster.create(view, { now }), intent, { secretData: false });
}

/** A journal whose lines fail from `failing` on, and what was written and sent, in order. */
class Desk {
  readonly order: string[] = [];
  isClosed = false;
  readonly #failing: (line: JournalLine) => boolean;

  constructor(failing: (line: JournalLine) => boolean = () => false) {
    this.#failing = failing;
  }

  acting(send: (request: ActRequest) => Promise<ActAnswer>): CarryOutContext {
    const writer: EntryWriter = {
      id: '20261121T101500Z-aaaaaa',
      write: line => {
        if (this.#failing(line)) return Promise.reject(new Error('no space left on device'));
        this.order.push('request' in line ? `${line.step} ${line.request}` : line.step);
        return Promise.resolve();
      },
      close: () => {
        this.isClosed = true;
        return Promise.resolve();
      },
    };
    return {
      journal: {
        begin: (_: unknown, backup: readonly unknown[]) => {
          this.order.push(`backup of ${backup.length}`);
          return Promise.resolve(writer);
        },
      } as unknown as Journal,
      now: () => now,
      reading: {
        read: ({ uid }) => Promise.resolve({ metadata: { uid } }),
        known: () => undefined,
        unreadable: new Set(),
      },
      send: request => {
        this.order.push(lines([request]).join());
        return send(request);
      },
      cluster: 'k',
      context: 'test',
      secretData: false,
    };
  }
}

const taken = (): Promise<ActAnswer> => Promise.resolve({ status: 200, body: {} });
const full = (step: JournalLine['step'], request: number) => (line: JournalLine) =>
  line.step === step && 'request' in line && line.request === request;

describe('carrying an action out', () => {
  it.each([
    [false, undefined],
    [true, { password: 'c2VjcmV0' }],
  ])('journals the data of a Secret that is made again only if asked to: %s', async (secretData, data) => {
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { password: 'c2VjcmV0' },
    };
    const request: ActRequest = {
      method: 'POST',
      path: '/api/v1/namespaces/shop/secrets',
      contentType: 'application/json',
      body,
    };
    const sent: ActRequest[] = [];
    const acting = new Desk().acting(each => {
      sent.push(each);
      return taken();
    });
    const journal = new Journal(await temporaryFolder());
    const done = await carryOut(
      { ...prepared('a'), requests: [request] },
      { ...acting, journal, secretData },
    );
    await done.end('reached', '');
    expect(sent).toEqual([request]);
    const [kept] = (await journal.entry(done.entry))?.intended.requests ?? [];
    expect(kept?.body).toMatchObject({ kind: 'Secret', metadata: { name: 's' } });
    expect(record(kept?.body)['data']).toEqual(data);
  });

  it('writes the backup and each step before the request that it speaks of', async () => {
    const desk = new Desk();
    const sent = await carryOut(prepared('a', 'b'), desk.acting(taken));
    expect(sent.state).toBe('sent');
    expect(await sent.end('reached', '')).toBe(true);
    expect(desk.order).toEqual([
      'backup of 2',
      'sending 0',
      'DELETE a',
      'answered 0',
      'sending 1',
      'DELETE b',
      'answered 1',
      'ended',
    ]);
    expect(desk.isClosed).toBe(true);
  });

  it('sends nothing where the journal cannot be begun, or an object cannot be read', async () => {
    const desk = new Desk();
    const acting = desk.acting(taken);
    const journal = new Journal('/dev/null');
    await expect(carryOut(prepared('a'), { ...acting, journal })).rejects.toThrow(/ENOTDIR/u);
    const read = (): Promise<never> => Promise.reject(new Error('403'));
    const reading = { ...acting.reading, read };
    await expect(carryOut(prepared('a'), { ...acting, reading })).rejects.toThrow('403');
    expect(desk.order).toEqual([]);
  });

  it('sends nothing where the first step cannot be written', async () => {
    const desk = new Desk(full('sending', 0));
    await expect(carryOut(prepared('a'), desk.acting(taken))).rejects.toThrow('no space left');
    expect(desk.order).toEqual(['backup of 1']);
    expect(desk.isClosed).toBe(true);
  });

  it.each([
    ['a later step', full('sending', 1)],
    ['an answer', full('answered', 0)],
  ])('stops, and says so, where %s cannot be written after something was sent', async (_, failing) => {
    const desk = new Desk(failing);
    const sent = await carryOut(prepared('a', 'b'), desk.acting(taken));
    expect(sent).toMatchObject({ state: 'stopped', answers: [{ status: 200 }] });
    expect(sent.message).toContain('no space left');
    expect(desk.order).not.toContain('DELETE b');
  });

  it('has sent everything although the last answer could not be written', async () => {
    const desk = new Desk(full('answered', 1));
    expect(await carryOut(prepared('a', 'b'), desk.acting(taken))).toMatchObject({ state: 'sent' });
  });

  it('says where it could not write how it ended', async () => {
    const desk = new Desk(line => line.step === 'ended');
    const sent = await carryOut(prepared('a'), desk.acting(taken));
    expect(await sent.end('reached', '')).toBe(false);
    expect(desk.isClosed).toBe(true);
  });

  it.each([
    [409, 'conflict'],
    [404, 'conflict'],
    [422, 'conflict'],
    [403, 'refused'],
    [429, 'refused'],
    // Nobody knows what became of these.
    [408, 'failed'],
    [500, 'failed'],
    [502, 'failed'],
    [503, 'failed'],
    [504, 'failed'],
  ] as const)('stops at a %d, which is %s', async (status, state) => {
    const desk = new Desk();
    const send = (): Promise<ActAnswer> => Promise.resolve({ status, body: { message: 'no' } });
    expect(await carryOut(prepared('a', 'b'), desk.acting(send))).toMatchObject({ state, message: 'no' });
    expect(desk.order).toEqual(['backup of 2', 'sending 0', 'DELETE a', 'answered 0']);
  });

  it.each([
    [
      'is served by then',
      undefined,
      'sent',
      ['sending 0', 'DELETE a', 'answered 0', 'sending 1', 'DELETE b', 'answered 1'],
    ],
    ['is not served', 'not yet', 'stopped', ['sending 0', 'DELETE a', 'answered 0']],
  ] as const)(
    'waits before a request of a kind that is defined anew, and goes on where it %s',
    async (_, hindrance, state, order) => {
      const desk = new Desk();
      const { requests, ...rest } = prepared('a', 'b');
      const [first, second] = requests;
      if (first === undefined || second === undefined) throw new Error('no requests');
      const asked: ActRequest[] = [];
      const ready = (request: ActRequest) => {
        asked.push(request);
        return Promise.resolve(hindrance);
      };
      const waits = { ...second, definition: 'widgets.example.com' };
      const acting = { ...desk.acting(taken), ready };
      expect(await carryOut({ ...rest, requests: [first, waits] }, acting)).toMatchObject({ state });
      expect(desk.order).toEqual(['backup of 2', ...order]);
      expect(asked).toEqual([waits]);
    },
  );

  it('writes a private journal that another process can read', async () => {
    const journal = new Journal(await temporaryFolder());
    const sent = await carryOut(prepared('a'), { ...new Desk().acting(taken), journal });
    await sent.end('reached', 'as forecast');
    expect(await new Journal(journal.folder).list()).toMatchObject([
      {
        intended: { id: sent.entry, title: 'delete ConfigMap shop/a, background', object: { name: 'a' } },
        requests: [{ state: 'answered', status: 200 }],
        ended: { outcome: 'reached', because: 'as forecast' },
      },
    ]);
  });
});

describe('waiting until a definition is served', () => {
  const request: ActRequest = {
    method: 'POST',
    path: '/apis/example.com/v1/namespaces/shop/widgets',
    contentType: 'application/json',
    body: { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } },
    definition: 'widgets.example.com',
  };

  /** The statuses are answered one after the other, the last of them for ever. */
  async function waited(...statuses: readonly number[]) {
    const asked: string[] = [];
    let clock = 0;
    const left = [...statuses];
    const hindrance = await untilServed(request, {
      view,
      source: {
        get: () => Promise.reject(new Error('nothing is read')),
        act: () => Promise.reject(new Error('nothing is changed')),
        dryRun: ({ path }) => {
          asked.push(path);
          const status = (left.length > 1 ? left.shift() : left[0]) ?? 500;
          return Promise.resolve({ status, body: { message: `said ${status}` } });
        },
      },
      now: () => clock,
      changed: milliseconds => {
        clock += milliseconds;
        return Promise.resolve();
      },
    });
    return { hindrance, asked, seconds: clock / 1000 };
  }

  it('tries the request, and nothing but that, until it would be taken', async () => {
    const { hindrance, asked } = await waited(404, 404, 503, 201);
    expect(hindrance).toBeUndefined();
    expect(asked).toEqual(Array(4).fill(`${request.path}?dryRun=All`));
  });

  it("ends at once with the server's words where it would be refused", async () => {
    expect(await waited(404, 422, 201)).toMatchObject({ hindrance: 'said 422', asked: { length: 2 } });
  });

  it('ends after half a minute', async () => {
    const { hindrance, seconds } = await waited(404);
    expect(hindrance).toMatch(
      /^CustomResourceDefinition widgets\.example\.com is created, and not served yet/u,
    );
    expect(seconds).toBe(30);
  });
});

describe('references to objects that are made again', () => {
  it('leaves alone what a patch tests: that is as it is now', () => {
    const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid });
    const path = '/metadata/ownerReferences';
    const body = [
      { op: 'test', path, value: [owner('old')] },
      { op: 'add', path, value: [owner('old')] },
    ];
    expect(
      withNewOwners({ method: 'PATCH', path: '/', contentType: '', body }, new Map([['old', 'new']])).body,
    ).toEqual([
      { op: 'test', path, value: [owner('old')] },
      { op: 'add', path, value: [owner('new')] },
    ]);
  });

  it('get the new uid, and nothing else does', () => {
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'top', uid: 'old' };
    const body = {
      metadata: { uid: 'old', ownerReferences: [reference, { ...reference, uid: 'other' }] },
      data: { uid: 'old' },
    };
    const request = { method: 'POST', path: '/', contentType: '', body } as const;
    expect(withNewOwners(request, new Map([['old', 'new']])).body).toEqual({
      metadata: {
        uid: 'old',
        ownerReferences: [
          { ...reference, uid: 'new' },
          { ...reference, uid: 'other' },
        ],
      },
      data: { uid: 'old' },
    });
  });
});
