/** Look-ups against an API server that is a function, with a clock that the test moves. */
import { Readable } from 'node:stream';
import { setImmediate as soon } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { LookUps } from '../../../src/kube/look-ups/look-ups.ts';
import type { Timing } from '../../../src/kube/transport/timing.ts';
import type { Transport, WireResponse } from '../../../src/kube/transport/transport.ts';
import { ConnectionMonitor } from '../../../src/kube/watch/connection-monitor.ts';
import type { Extent } from '../../../src/kube/watch/type-monitor.ts';
import { Pool } from '../../../src/kube/wire/pool.ts';
import type { AnsweredLookUp, LookUp } from '../../../src/model/exchange/changes.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { TypeCatalog } from '../../../src/model/types/type-catalog.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { SourceError } from '../../../src/source/source.ts';

class MovedClock implements Timing {
  time = 0;
  readonly #sleepers = new Set<{ due: number; wake: () => void }>();

  now(): number {
    return this.time;
  }

  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      if (signal.aborted) return resolve();
      const sleeper = { due: this.time + milliseconds, wake: resolve };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        resolve();
      });
    });
  }

  /** Lets so much time pass, with everything that happens in it. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.time + milliseconds;
    for (;;) {
      await settle();
      const next = [...this.#sleepers].sort((a, b) => a.due - b.due)[0];
      if (next === undefined || next.due > until) break;
      this.#sleepers.delete(next);
      this.time = Math.max(this.time, next.due);
      next.wake();
    }
    this.time = until;
    await settle();
  }
}

/** Everything that needs no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await soon();
}

interface Asked {
  readonly path: string;
  readonly at: number;
}

type Answer = { readonly status: number; readonly json: unknown } | 'broken' | Promise<never>;

class Server {
  readonly clock = new MovedClock();
  readonly asked: Asked[] = [];
  readonly bodies: unknown[] = [];
  readonly answers: AnsweredLookUp[] = [];
  busiest = 0;
  count = 0;
  extentOf: (type: ResourceType, namespace: string) => Extent = () => 'cluster';
  readonly found: KubeObject[] = [];
  /** What objects there are, by path. */
  answerTo: (path: string) => Answer = () => notFound('');
  readonly closing = new AbortController();
  readonly lookUps: LookUps;
  #busy = 0;

  constructor(listed: readonly ResourceType[] = []) {
    const transport: Transport = {
      server: 'https://server',
      request: async ({ path, body, signal }) => {
        this.asked.push({ path, at: this.clock.time });
        if (body !== undefined) this.bodies.push(JSON.parse(body));
        this.#busy += 1;
        this.busiest = Math.max(this.busiest, this.#busy);
        try {
          await soon();
          const answer = await Promise.race([this.answerTo(path), aborted(signal)]);
          if (answer === 'broken') throw new SourceError('cannot reach the server');
          return response(answer);
        } finally {
          this.#busy -= 1;
        }
      },
      close: async () => {},
    };
    const catalog = new TypeCatalog(builtInTypes);
    const { signal } = this.closing;
    const connection = new ConnectionMonitor({
      transport,
      timing: this.clock,
      signal,
      report: () => {},
      anew: () => {},
    });
    this.lookUps = new LookUps({
      transport,
      connection,
      pool: new Pool(),
      timing: this.clock,
      signal,
      typeOf: (apiVersion, kind) => catalog.resolveKind(apiVersion, kind),
      listed: () => listed,
      countOf: () => this.count,
      extentOf: (type, namespace) => this.extentOf(type, namespace),
      found: object => this.found.push(object),
      answered: answers => this.answers.push(...answers),
    });
  }

  get gets(): readonly string[] {
    return this.asked.map(({ path }) => path);
  }

  states(): readonly string[] {
    return this.answers.map(({ lookUp, answer }) => `${lookUp.name} ${answer.state}`);
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new SourceError('aborted')));
  });
}

function response({ status, json }: { readonly status: number; readonly json: unknown }): WireResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Readable.from([Buffer.from(JSON.stringify(json))]),
  };
}

function notFound(name: string): Answer {
  const json = { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, details: { name } };
  return { status: 404, json };
}

function refusal(code: number): Answer {
  return { status: code, json: { kind: 'Status', status: 'Failure', code, message: 'no' } };
}

function object(name: string, metadata: object = {}): Answer {
  return {
    status: 200,
    json: { kind: 'PartialObjectMetadata', metadata: { name, namespace: 'shop', uid: name, ...metadata } },
  };
}

function replicaSet(name: string, namespace = 'shop', uid = name): LookUp {
  return { of: 'object', apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace, name, uid: uid as Uid };
}

function nameIn(path: string): string {
  return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
}

function builtIn(kind: string): ResourceType {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(kind);
  return type;
}

const servers: Server[] = [];

function serve(answerTo: Server['answerTo'], listed?: readonly ResourceType[]): Server {
  const server = new Server(listed);
  server.answerTo = answerTo;
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const { closing, lookUps } of servers.splice(0)) {
    closing.abort();
    await lookUps.stop();
  }
});

describe('an object', () => {
  test('is asked for by a GET of its metadata at no version, which is answered with the newest state', async () => {
    const server = serve(path => object(nameIn(path), { uid: 'other' }));
    server.lookUps.want([replicaSet('web')], true);
    await server.clock.pass(0);
    expect(server.gets).toEqual(['/apis/apps/v1/namespaces/shop/replicasets/web']);
    expect(server.answers).toEqual([
      { lookUp: replicaSet('web'), answer: { state: 'found', uid: 'other', foreground: false } },
    ]);
  });

  test('that is being deleted in the foreground says so', async () => {
    const server = serve(path =>
      object(nameIn(path), {
        deletionTimestamp: '2026-11-21T11:00:00Z',
        finalizers: ['foregroundDeletion'],
      }),
    );
    server.lookUps.want([replicaSet('web')], true);
    await server.clock.pass(0);
    expect(server.answers[0]?.answer).toEqual({ state: 'found', uid: 'web', foreground: true });
  });

  test('is absent where the API server says that this very name is not found', async () => {
    const server = serve(path => notFound(nameIn(path)));
    server.lookUps.want([replicaSet('web')], true);
    await server.clock.pass(0);
    expect(server.states()).toEqual(['web absent']);
  });

  test('is not absent where the path is what nothing serves', async () => {
    const server = serve(() => ({ status: 404, json: '404 page not found' }));
    server.lookUps.want([replicaSet('web')], true);
    await server.clock.pass(20_000);
    expect(server.answers.at(-1)?.answer).toEqual({
      state: 'unknown',
      reason: 'replicasets is no longer served',
    });
  });

  test('that may be listed and not read is looked up by a list of its name', async () => {
    const list = { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '5' }, items: [] };
    const types = [builtIn('ReplicaSet')];
    const server = serve(path => (path.includes('?') ? { status: 200, json: list } : refusal(403)), types);
    server.lookUps.want([replicaSet('web')], true);
    await server.clock.pass(0);
    expect(server.states()).toEqual(['web absent']);
    expect(server.gets[1]).toContain('/namespaces/shop/replicasets?fieldSelector=metadata.name');
  });

  test('is given a second in which a watch may bring it, unless somebody waits', async () => {
    const server = serve(path => notFound(nameIn(path)));
    server.lookUps.want([replicaSet('web')], false);
    await server.clock.pass(900);
    expect(server.asked).toEqual([]);
    // It came meanwhile.
    server.lookUps.want([], false);
    await server.clock.pass(60_000);
    expect(server.asked).toEqual([]);
    server.lookUps.want([replicaSet('api')], false);
    server.lookUps.want([replicaSet('api')], true);
    await server.clock.pass(0);
    expect(server.states()).toEqual(['api absent']);
  });

  test('is asked for once, however often it is wanted, and again half a minute after it could not be told', async () => {
    let isForbidden = true;
    const server = serve(path => (isForbidden ? refusal(403) : notFound(nameIn(path))));
    for (let time = 0; time < 5; time += 1) {
      server.lookUps.want([replicaSet('web')], true);
      await server.clock.pass(1_000);
    }
    expect(server.asked).toHaveLength(1);
    expect(server.answers[0]?.answer).toEqual({ state: 'unknown', reason: 'reading it is forbidden' });
    isForbidden = false;
    await server.clock.pass(60_000);
    expect(server.states().at(-1)).toBe('web absent');
  });

  test.each([
    ['an overloaded server', refusal(503)],
    ['a connection that breaks', 'broken' as const],
  ])('is asked for again after %s', async (_, failure) => {
    let failures = 2;
    const server = serve(path => {
      failures -= 1;
      return failures >= 0 ? failure : notFound(nameIn(path));
    });
    server.lookUps.want([replicaSet('web')], true);
    await server.clock.pass(5_000);
    expect(server.states()).toEqual(['web absent']);
    expect(server.asked).toHaveLength(3);
  });

  test('whose request hangs is told to be unknown in the end', async () => {
    const server = serve(() => new Promise<never>(() => {}));
    server.lookUps.want([replicaSet('web')], true);
    await server.clock.pass(60_000);
    expect(server.answers[0]?.answer).toEqual({ state: 'unknown', reason: 'no answer came' });
  });

  test('that may not be read spares the others of its kind and namespace the question', async () => {
    const server = serve(path => (path.includes('/shop/') ? refusal(403) : notFound(nameIn(path))));
    const shop = Array.from({ length: 30 }, (_, index) => replicaSet(`web-${index}`));
    server.count = 1_000_000;
    server.lookUps.want([...shop, replicaSet('api', 'infra')], true);
    await server.clock.pass(1_000);
    expect(server.answers).toHaveLength(31);
    // As many as were under way before the first answer came.
    expect(server.asked.length).toBeLessThanOrEqual(10);
    expect(server.states().filter(each => each.endsWith('unknown'))).toHaveLength(30);
  });
});

describe('three thousand owners that ten thousand objects refer to', () => {
  const owners = Array.from({ length: 3_000 }, (_, index) => replicaSet(`web-${index}`, `ns-${index % 300}`));

  test('are asked for by one list where that is less than asking for each', async () => {
    const items = [{ metadata: { name: 'web-7', namespace: 'ns-7', uid: 'web-7' } }];
    const list = { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '5' }, items };
    const server = serve(() => ({ status: 200, json: list }));
    server.count = 4_500;
    server.lookUps.want(owners, true);
    await server.clock.pass(0);
    // Without a version: from the newest state.
    expect(server.gets).toEqual(['/apis/apps/v1/replicasets']);
    expect(server.answers).toHaveLength(3_000);
    expect(server.states().filter(each => each.endsWith('found'))).toEqual(['web-7 found']);
  });

  test('are asked for one by one where the list is refused, eight at once and fifty a second', async () => {
    const server = serve(path => (path.endsWith('/replicasets') ? refusal(403) : notFound(nameIn(path))));
    server.count = 4_500;
    server.lookUps.want(owners, true);
    await server.clock.pass(8_000);
    expect(server.busiest).toBeLessThanOrEqual(8);
    expect(server.asked.length).toBeLessThanOrEqual(50 + 8 * 50 + 1);
    expect(server.asked.length).toBeGreaterThan(350);
    for (let second = 0; second < 7; second += 1) {
      const within = server.asked.filter(({ at }) => at > second * 1_000 && at <= (second + 1) * 1_000);
      expect(within.length).toBeLessThanOrEqual(51);
    }
    // As whoever asks does: what is answered isn't wanted any more.
    while (server.answers.length < 3_000) {
      const told = new Set(server.answers.map(({ lookUp }) => lookUp.name));
      server.lookUps.want(
        owners.filter(({ name }) => !told.has(name)),
        true,
      );
      await server.clock.pass(1_000);
    }
    expect(new Set(server.gets).size).toBe(server.gets.length);
  });

  test('are asked for one by one where the kind has far more objects than that', async () => {
    const server = serve(path => notFound(nameIn(path)));
    server.count = 1_000_000;
    server.lookUps.want(owners, true);
    await server.clock.pass(1_000);
    expect(server.gets.every(path => path.includes('/replicasets/web-'))).toBe(true);
  });

  test('are asked for by a list of each namespace where only namespaces are read', async () => {
    const server = serve(() => ({ status: 200, json: { metadata: { resourceVersion: '5' }, items: [] } }));
    server.extentOf = () => 'namespace';
    const ofTwo = owners.map(owner => ({ ...owner, namespace: owner.name.endsWith('0') ? 'shop' : 'other' }));
    server.lookUps.want(ofTwo, true);
    await server.clock.pass(0);
    expect(server.gets.toSorted()).toEqual([
      '/apis/apps/v1/namespaces/other/replicasets',
      '/apis/apps/v1/namespaces/shop/replicasets',
    ]);
    expect(server.answers).toHaveLength(3_000);
    expect(server.found).toEqual([]);
  });

  test('are handed on, as far as they are found, where nothing of their kind is read', async () => {
    const items = [{ metadata: { name: 'n-7', uid: 'n-7' } }, { metadata: { name: 'other', uid: 'o' } }];
    const server = serve(() => ({
      status: 200,
      json: { kind: 'NodeList', metadata: { resourceVersion: '5' }, items },
    }));
    server.extentOf = () => 'none';
    const nodes = Array.from({ length: 30 }, (_, index): LookUp => {
      const uid = `n-${index}` as Uid;
      return { of: 'object', apiVersion: 'v1', kind: 'Node', namespace: '', name: `n-${index}`, uid };
    });
    server.lookUps.want(nodes, true);
    await server.clock.pass(0);
    expect(server.gets).toEqual(['/api/v1/nodes']);
    expect(server.found.map(({ name, facts }) => [name, facts?.kind])).toEqual([['n-7', 'Node']]);
    expect(server.answers).toHaveLength(30);
  });

  test('wait for what somebody wants to know first', async () => {
    const server = serve(path => notFound(nameIn(path)));
    server.count = 1_000_000;
    server.lookUps.want(owners, true);
    await server.clock.pass(1_000);
    server.lookUps.want([replicaSet('target'), ...owners], true);
    await server.clock.pass(100);
    expect(server.states()).toContain('target absent');
  });
});

describe('who refers to an object', () => {
  const web: LookUp = { ...replicaSet('web'), of: 'dependents' };
  const types = [builtIn('Pod'), builtIn('ConfigMap'), builtIn('ClusterRole')];
  const listOf = (...items: readonly object[]): Answer => ({
    status: 200,
    json: { kind: 'PartialObjectMetadataList', metadata: { resourceVersion: '5' }, items },
  });
  const dependent = {
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      uid: 'web-1',
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web' }],
    },
  };

  test('is found among all that is in its namespace, and in none', async () => {
    const server = serve(path => (path.endsWith('/pods') ? listOf(dependent) : listOf()), types);
    server.lookUps.want([web], true);
    await server.clock.pass(0);
    expect(server.answers).toEqual([{ lookUp: web, answer: { state: 'dependents', uids: ['web-1'] } }]);
    expect([...server.gets].sort()).toEqual([
      '/api/v1/namespaces/shop/configmaps',
      '/api/v1/namespaces/shop/pods',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    ]);
  });

  test('is not known where one of the kinds cannot be listed', async () => {
    const server = serve(path => (path.endsWith('/pods') ? refusal(403) : listOf()), types);
    server.lookUps.want([web], true);
    await server.clock.pass(0);
    expect(server.answers[0]?.answer).toEqual({ state: 'unknown', reason: 'reading it is forbidden' });
  });
});

function permission(kind: string, name = '', user = 'system:serviceaccount:tools:drainer'): LookUp {
  const apiVersion = kind === 'ConfigMap' ? 'v1' : 'apps/v1';
  return { of: 'permission', apiVersion, kind, namespace: 'shop', name, uid: '', user };
}

function review(allowed: boolean, evaluationError?: string): Answer {
  return { status: 201, json: { kind: 'SubjectAccessReview', status: { allowed, evaluationError } } };
}

describe('a permission', () => {
  test('is asked about with the groups of the account, and once where it is given', async () => {
    const server = serve(() => review(true));
    server.lookUps.want([permission('ConfigMap')], true);
    await server.clock.pass(0);
    expect(server.gets).toEqual(['/apis/authorization.k8s.io/v1/subjectaccessreviews']);
    expect(server.bodies).toMatchObject([
      {
        spec: {
          user: 'system:serviceaccount:tools:drainer',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:tools', 'system:authenticated'],
          resourceAttributes: {
            group: '',
            resource: 'configmaps',
            namespace: 'shop',
            verb: 'patch',
            name: '',
          },
        },
      },
    ]);
    expect(server.answers.map(({ answer }) => answer)).toEqual([{ state: 'allowed' }]);
  });

  test('is denied where neither verb is allowed, of a built-in kind not with its status either', async () => {
    const server = serve(() => review(false));
    server.lookUps.want([permission('ConfigMap', 'cart')], true);
    await server.clock.pass(0);
    const asked = server.bodies.map(each => {
      const { verb, subresource } = (each as { spec: { resourceAttributes: Record<string, string> } }).spec
        .resourceAttributes;
      return `${verb} ${subresource}`;
    });
    expect(asked).toEqual(['patch ', 'update ', 'patch status', 'update status']);
    expect(server.answers.map(({ answer }) => answer)).toEqual([{ state: 'denied' }]);
  });

  test('is not known where an authorizer failed, or nobody may ask: then about no other user either', async () => {
    const failing = serve(() => review(false, 'webhook: timeout'));
    failing.lookUps.want([permission('ConfigMap')], true);
    await failing.clock.pass(0);
    expect(failing.answers.map(({ answer }) => answer.state)).toEqual(['unknown']);
    const server = serve(() => refusal(403));
    const others = Array.from({ length: 20 }, (_, i) =>
      permission('ConfigMap', '', `system:serviceaccount:a:${i}`),
    );
    server.lookUps.want(others, true);
    await server.clock.pass(1000);
    expect(server.answers.every(({ answer }) => answer.state === 'unknown')).toBe(true);
    expect(new Set(server.answers.map(({ lookUp }) => lookUp.user)).size).toBe(20);
    // Those that were under way when the first refusal came.
    expect(server.gets.length).toBeLessThanOrEqual(8);
  });
});
