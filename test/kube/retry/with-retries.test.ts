import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ConnectionFailure } from '../../../src/kube/transport/connection-failure.ts';
import type { Transport, WireRequest, WireResponse } from '../../../src/kube/transport/transport.ts';
import type { Wait } from '../../../src/kube/transport/with-retries.ts';
import { withRetries } from '../../../src/kube/transport/with-retries.ts';
import { VirtualClock } from '../virtual-clock.ts';

type Answer = (request: WireRequest) => Promise<WireResponse> | WireResponse;

const ok: Answer = () => ({ status: 200, headers: {}, body: Readable.from(['fine']) });
const busy: Answer = () => ({
  status: 429,
  headers: { 'retry-after': '1' },
  body: Readable.from(['too many requests']),
});
const broken: Answer = () => {
  throw new ConnectionFailure('broken', 'broken');
};
const brokenBody: Answer = () => ({
  status: 200,
  headers: {},
  body: Readable.from(
    (function* () {
      yield 'half';
      throw new Error('reset');
    })(),
  ),
});
/** Never answers, and heeds nothing. */
const deaf: Answer = () => new Promise(() => {});

/** Answers one after the other, the last one for ever. */
function world(answers: readonly Answer[], requestTimeoutMs?: number) {
  const clock = new VirtualClock();
  const sent: string[] = [];
  const waits: Wait[] = [];
  let waiting = 0;
  const login = { who: 'the exec plugin aws of user "me"', lastsMs: 0, isUnderWay: false };
  const inner: Transport = {
    server: 'https://cluster',
    get waiting() {
      return login.isUnderWay ? { who: login.who, since: 0 } : undefined;
    },
    request: async request => {
      login.isUnderWay = login.lastsMs > 0;
      if (login.isUnderWay) await clock.sleep(login.lastsMs, new AbortController().signal);
      login.isUnderWay = false;
      request.signal?.throwIfAborted();
      request.leaving?.();
      const answer = answers[Math.min(sent.length, answers.length - 1)];
      sent.push(`${request.method} ${request.path}`);
      if (answer === undefined) throw new Error('no answer');
      return answer(request);
    },
    close: async () => {},
  };
  const transport = withRetries(inner, {
    timing: clock,
    requestTimeoutMs,
    waiting: wait => {
      waits.push(wait);
      waiting += 1;
      return () => {
        waiting -= 1;
      };
    },
  });
  const ask = async (request: Partial<WireRequest> = {}): Promise<string> => {
    const { status, body } = await transport.request({ method: 'GET', path: '/api', ...request });
    let text = '';
    for await (const chunk of body) text += String(chunk);
    return `${status} ${text}`;
  };
  return {
    clock,
    sent,
    waits,
    ask,
    login,
    get waiting() {
      return waiting;
    },
  };
}

/** What it ends with, and after how many seconds of nobody's time. */
async function ended(promise: Promise<string>, clock: VirtualClock): Promise<string> {
  let said: string | undefined;
  const began = clock.now();
  promise.then(
    text => {
      said = text;
    },
    (error: Error) => {
      said = error.message;
    },
  );
  for (let turns = 0; turns < 100; turns++) {
    for (let i = 0; i < 10; i++) await turn();
    if (said !== undefined) return `${said} after ${Math.round((clock.now() - began) / 1_000)} s`;
    if (clock.next !== undefined) await clock.pass(clock.next);
  }
  throw new Error('it never ends');
}

describe('a small request', () => {
  it('is sent again as often as the server asks to wait, and says so meanwhile', async () => {
    const { clock, sent, ask, waits, ...state } = world([busy, busy, ok]);
    expect(await ended(ask(), clock)).toBe('200 fine after 2 s');
    expect(sent).toHaveLength(3);
    expect(waits.map(({ path, status, pause }) => `${path} ${status} ${pause}`)).toEqual([
      '/api 429 1000',
      '/api 429 1000',
    ]);
    expect(state.waiting).toBe(0);
  });

  it('ends with the last answer after a minute', async () => {
    const { clock, sent, ask } = world([busy]);
    expect(await ended(ask({ method: 'DELETE' }), clock)).toBe('429 too many requests after 56 s');
    expect(sent).toHaveLength(11);
  });

  it('that only asks is sent again where its answer breaks off', async () => {
    for (const request of [{}, { method: 'POST', harmless: true }] as const) {
      const { clock, sent, ask } = world([brokenBody, broken, ok]);
      expect(await ended(ask(request), clock)).toBe('200 fine after 0 s');
      expect(sent).toHaveLength(3);
    }
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('that changes something (%s) is not', async method => {
    for (const answer of [broken, brokenBody]) {
      const { clock, sent, ask } = world([answer, ok]);
      expect(await ended(ask({ method }), clock)).toMatch(/broke.* after 0 s/);
      expect(sent).toHaveLength(1);
    }
  });

  it('that nobody looked at is sent again, also where it changes something', async () => {
    const refused: Answer = () => {
      throw new ConnectionFailure('refused stream', 'unprocessed');
    };
    const { clock, sent, ask } = world([refused, refused, ok]);
    expect(await ended(ask({ method: 'PATCH' }), clock)).toBe('200 fine after 2 s');
    expect(sent).toHaveLength(3);
  });

  it('is given up after 40 s, in its body too, and not sent again', async () => {
    const stalled: Answer = () => ({ status: 200, headers: {}, body: new Readable({ read: () => {} }) });
    for (const answer of [deaf, stalled]) {
      const { clock, sent, ask } = world([answer]);
      expect(await ended(ask(), clock)).toBe(
        'cannot reach https://cluster: no complete answer within 40 s. after 40 s',
      );
      expect(sent).toHaveLength(1);
    }
  });

  it('ends at once when its signal aborts, whatever it waits for', async () => {
    for (const answer of [deaf, busy]) {
      const abort = new AbortController();
      const { clock, ask, ...state } = world([answer]);
      const pending = ended(ask({ signal: abort.signal }), clock);
      await turn();
      abort.abort(new Error('enough'));
      expect(await pending).toBe('enough after 0 s');
      expect(state.waiting).toBe(0);
    }
  });

  it('is not sent again once that is said to be enough: the last answer stands', async () => {
    const enough = new AbortController();
    const { clock, sent, ask } = world([busy, ok]);
    const pending = ended(ask({ method: 'DELETE', enough: enough.signal }), clock);
    await turn();
    enough.abort();
    expect(await pending).toBe('429 too many requests after 0 s');
    expect(sent).toHaveLength(1);
  });

  it('of a probe ends with the first answer, whatever it is', async () => {
    const { clock, sent, ask } = world([busy, ok]);
    expect(await ended(ask({ anyAnswer: true }), clock)).toBe('429 too many requests after 0 s');
    expect(sent).toHaveLength(1);
  });
});

describe('--request-timeout', () => {
  it('bounds a request with all its repetitions', async () => {
    const slow: Answer = () => new Promise(() => {});
    const { clock, ask } = world([busy, slow], 5_000);
    expect(await ended(ask(), clock)).toBe(
      'cannot reach https://cluster: no complete answer within --request-timeout. after 5 s',
    );
  });

  it('may be longer than what is usual, and 0 is never', async () => {
    expect(await ended(...asked(world([deaf], 300_000)))).toContain('after 300 s');
    const { clock, ask } = world([deaf], 0);
    void ask();
    await turn();
    expect(clock.next).toBeUndefined();
  });

  it('makes the answer stand that asks for a longer wait', async () => {
    expect(await ended(...asked(world([busy], 500)))).toBe('429 too many requests after 0 s');
  });
});

describe('a login that takes its time', () => {
  it('does not count for the deadline of a small request', async () => {
    const { clock, ask, login } = world([ok]);
    login.lastsMs = 150_000;
    expect(await ended(ask(), clock)).toBe('200 fine after 150 s');
    const slow = world([deaf]);
    slow.login.lastsMs = 100_000;
    expect(await ended(slow.ask(), slow.clock)).toContain('no complete answer within 40 s. after 140 s');
  });

  it('counts for --request-timeout, and is named as what nobody waited for any longer', async () => {
    for (const request of [{ method: 'POST' }, { path: '/api/v1/pods?watch=1', stream: true }] as const) {
      const { clock, sent, ask, login } = world([ok], 5_000);
      login.lastsMs = 60_000;
      const asked = ask(request);
      // It wasn't sent, and whoever wanted a change knows that.
      const fate = asked.then(
        () => '',
        (error: ConnectionFailure) => error.fate,
      );
      expect(await ended(asked, clock)).toBe(
        `${login.who} did not answer within --request-timeout. after 5 s`,
      );
      expect(await fate).toBe('unsent');
      expect(sent).toEqual([]);
    }
  });
});

describe('a list or watch', () => {
  it('is sent again where a kept connection had gone, and left to its reflector else', async () => {
    const { clock, sent, ask } = world([broken, broken, brokenBody]);
    expect(await ended(ask({ stream: true }), clock)).toBe('reset after 0 s');
    expect(sent).toHaveLength(3);
    const refused = world([busy, ok]);
    expect(await ended(refused.ask({ stream: true }), refused.clock)).toContain('429');
  });

  it('has no deadline but --request-timeout, and a watch not even that', async () => {
    const { clock, ask } = world([deaf], 5_000);
    expect(await ended(ask({ stream: true }), clock)).toContain('--request-timeout. after 5 s');
    const watch = world([deaf], 5_000);
    void watch.ask({ stream: true, path: '/api/v1/pods?watch=1' });
    await turn();
    expect(watch.clock.next).toBeUndefined();
  });
});

function asked({ ask, clock }: ReturnType<typeof world>): [Promise<string>, VirtualClock] {
  return [ask(), clock];
}
