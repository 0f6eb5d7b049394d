/** What the live source reads before the server has said what it serves, and what it makes of it then. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClusterSource } from '../../src/kube/cluster-source.ts';
import { withRequest } from '../../src/kube/transport/transport.ts';
import type { SourceBatch } from '../../src/model/exchange/changes.ts';
import type { ReadPlan } from '../../src/model/exchange/reads.ts';
import type { ResourceType } from '../../src/model/types/resource-type.ts';
import { SourceError } from '../../src/source/source.ts';
import { FakeApi } from './fake-api.ts';
import { catalogueOf, claims, soon, widgets } from './follow.ts';
import { VirtualClock } from './virtual-clock.ts';

let api: FakeApi;
const readers: Reader[] = [];

beforeEach(async () => {
  api = new FakeApi();
  await api.start();
  api.put('shop', 'data', { resource: 'persistentvolumeclaims' });
  api.put('shop', 'gear', { resource: 'widgets' });
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map(({ source }) => source.close()));
  await api.stop();
});

const namespaces: ResourceType = {
  ...claims,
  kind: 'Namespace',
  resource: 'namespaces',
  singular: 'namespace',
  namespaced: false,
};
const claimList = '/api/v1/persistentvolumeclaims';
const widgetList = '/apis/example.com/v1/widgets';

/** A source that remembers `recalled` of a server that serves `served`, and is told so by `discover`, or not by `fail`. */
class Reader {
  readonly source: ClusterSource;
  readonly clock = new VirtualClock();
  readonly batches: SourceBatch[] = [];
  readonly #discovery = Promise.withResolvers<void>();
  /** Answers that were read to their end. */
  #ended = 0;

  constructor(recalled: readonly ResourceType[], served: readonly ResourceType[]) {
    readers.push(this);
    const transport = api.transport();
    this.source = new ClusterSource({
      transport: withRequest(transport, async request => {
        const response = await transport.request(request);
        response.body.once('end', () => this.#ended++);
        return response;
      }),
      discovery: {
        refresh: () => this.#discovery.promise.then(() => catalogueOf(served)),
        cached: () => Promise.resolve(undefined),
        recalled: () => Promise.resolve({ ...catalogueOf(recalled), serverVersion: undefined }),
      },
      context: 'fake',
      namespace: 'default',
      timing: this.clock,
    });
  }

  start(reading: ReadPlan = {}): Promise<void> {
    const started = this.source.start(batch => this.batches.push(batch), { follows: false, ...reading });
    started.catch(() => {});
    return started;
  }

  discover(): void {
    this.#discovery.resolve();
  }

  fail(error: SourceError): void {
    this.#discovery.reject(error);
  }

  /** These were asked for, and each has been answered to its end. */
  async listed(...paths: readonly string[]): Promise<void> {
    await soon(() => expect(api.requests.toSorted()).toEqual(paths));
    await soon(() => expect(this.#ended).toBe(paths.length));
    // Whoever listens to the end beside has been told.
    await delay(0);
  }

  async complete(): Promise<void> {
    let isComplete = false;
    void this.source.factsComplete.then(() => {
      isComplete = true;
    });
    while (!isComplete) {
      await this.clock.pass(10);
      await delay(1);
    }
  }

  get names(): string[] {
    const changes = this.batches.flatMap(batch => batch.changes);
    return changes.flatMap(change => (change.op === 'upsert' ? change.object.name : `-${change.uid}`));
  }

  get answers(): string[] {
    const answered = this.batches.flatMap(({ lookUps = [] }) => lookUps);
    return answered.map(({ lookUp, answer }) => `${lookUp.kind} ${lookUp.name} ${answer.state}`);
  }

  get statuses() {
    return this.batches.flatMap(({ statuses = [] }) => statuses);
  }
}

describe('what was served the last time', () => {
  it('is listed before the server says what it serves, and not told before', async () => {
    const reader = new Reader([claims, widgets], [claims, widgets]);
    const started = reader.start();
    await reader.listed(claimList, widgetList);
    expect(reader.batches).toEqual([]);
    expect(reader.source.info.serverVersion).toBeUndefined();
    reader.discover();
    await started;
    await reader.complete();
    expect(reader.names.toSorted()).toEqual(['data', 'gear']);
    expect(reader.source.info.serverVersion).toBe('v1.36.3');
    expect(api.requests.filter(request => request.startsWith(widgetList))).toHaveLength(1);
  });

  it('leaves no objects and no statuses behind where something of it is not served any more', async () => {
    const reader = new Reader([claims, widgets], [claims]);
    const started = reader.start();
    await reader.listed(claimList, widgetList);
    reader.discover();
    await started;
    await reader.complete();
    expect(new Set(reader.names)).toEqual(new Set(['data']));
    expect(reader.statuses.filter(({ type }) => type !== claims)).toEqual([]);
    expect(reader.statuses.at(-1)).toMatchObject({ state: 'synced', count: 1 });
  });

  it('leaves no blind spot behind where the server knows nothing of it', async () => {
    api.standing.set('/widgets', { kind: 'status', code: 404 });
    const reader = new Reader([claims, widgets], [claims]);
    const started = reader.start();
    await reader.listed(claimList, widgetList);
    reader.discover();
    await started;
    await reader.complete();
    expect(reader.statuses.filter(({ state }) => state === 'blind')).toEqual([]);
  });

  it('is completed by what is served beside', async () => {
    const reader = new Reader([claims], [claims, widgets]);
    const started = reader.start();
    await reader.listed(claimList);
    reader.discover();
    await started;
    await reader.complete();
    expect(new Set(reader.names)).toEqual(new Set(['data', 'gear']));
  });

  it('is told as objects of the type that is served, not of one like it', async () => {
    const reader = new Reader([{ ...widgets, shortNames: ['wd'] }], [widgets]);
    const started = reader.start();
    await reader.listed(widgetList);
    reader.discover();
    await started;
    await reader.complete();
    const types = reader.batches.flatMap(({ changes }) =>
      changes.flatMap(change => (change.op === 'upsert' ? change.object.type : [])),
    );
    expect(types).toHaveLength(1);
    expect(types[0]).toBe(widgets);
    for (const { type } of reader.statuses) expect(type).toBe(widgets);
  });

  it('is forgotten where the server refuses, which is told as ever', async () => {
    api.standing.set('/', { kind: 'status', code: 401 });
    const reader = new Reader([claims], [claims]);
    const started = reader.start();
    await reader.listed(claimList);
    reader.fail(new SourceError('it refused the credentials (401).'));
    await expect(started).rejects.toThrow('it refused the credentials (401).');
    await reader.clock.pass(60_000);
    expect(api.requests).toEqual([claimList]);
    expect(api.looks).toBe(0);
    expect(reader.batches).toEqual([]);
  });

  it('is forgotten where the server says nothing for long, and read once it does', async () => {
    const reader = new Reader([widgets], [widgets]);
    const started = reader.start();
    await reader.listed(widgetList);
    await reader.clock.pass(2_000);
    reader.discover();
    await started;
    await reader.complete();
    expect(api.requests).toEqual([widgetList, widgetList]);
    expect(reader.names).toEqual(['gear']);
  });

  it('is not read where the question is about something else', async () => {
    const reader = new Reader([claims], [claims, widgets]);
    const asked: number[] = [];
    const started = reader.start({
      scope: catalog => {
        asked.push(catalog.types.length);
        if (!catalog.types.includes(widgets)) throw new SourceError('no resource type "widgets"');
        return { namespaces: ['shop'] };
      },
    });
    await soon(() => expect(asked).toEqual([1]));
    expect(api.requests).toEqual([]);
    reader.discover();
    await started;
    await reader.complete();
    expect(asked).toEqual([1, 2]);
    expect(reader.names.toSorted()).toEqual(['data', 'gear']);
  });

  it('is read in the scope of the question', async () => {
    const reader = new Reader([claims, widgets], [claims, widgets]);
    const started = reader.start({ scope: () => ({ namespaces: ['shop'] }) });
    const lists = [
      '/api/v1/namespaces/shop/persistentvolumeclaims',
      '/apis/example.com/v1/namespaces/shop/widgets',
    ];
    await reader.listed(...lists);
    reader.discover();
    await started;
    await reader.complete();
    expect(api.requests.toSorted()).toEqual(lists);
    expect(reader.batches[0]?.scope).toEqual({ namespaces: ['shop'] });
  });

  it('is read with the namespace of the question itself, which is answered once', async () => {
    api.put('', 'shop', { resource: 'namespaces' });
    const served = [namespaces, widgets];
    const reader = new Reader(served, served);
    const started = reader.start({ scope: () => ({ namespaces: ['shop'] }) });
    await reader.listed('/api/v1/namespaces/shop', '/apis/example.com/v1/namespaces/shop/widgets');
    reader.discover();
    await started;
    await reader.complete();
    expect(api.requests).toHaveLength(2);
    expect(reader.answers).toEqual(['Namespace shop found']);
    expect(reader.names.toSorted()).toEqual(['gear', 'shop']);
  });

  it('is told as soon as nothing more is to come', async () => {
    api.put('', 'shop', { resource: 'namespaces' });
    const reader = new Reader([], [namespaces, claims, widgets]);
    const started = reader.start({ scope: () => ({ namespaces: ['shop'] }) });
    reader.discover();
    await started;
    // No time passes, in which changes would be collected.
    await reader.source.factsComplete;
    expect(reader.names.toSorted()).toEqual(['data', 'gear', 'shop']);
    reader.source.want([{ type: namespaces, namespace: '', name: 'other' }]);
    await soon(() => expect(reader.answers).toContain('Namespace other absent'));
  });

  it('leaves no answer about the namespace behind where it is forgotten', async () => {
    const reader = new Reader([namespaces, widgets], [namespaces]);
    const started = reader.start({ scope: () => ({ namespaces: ['shop'] }) });
    await reader.listed('/api/v1/namespaces/shop', '/apis/example.com/v1/namespaces/shop/widgets');
    api.put('', 'shop', { resource: 'namespaces' });
    reader.discover();
    await started;
    await reader.complete();
    expect(reader.answers).toEqual(['Namespace shop found']);
    expect(reader.names).toEqual(['shop']);
  });

  it('is read in one namespace, and the rest once that is confirmed', async () => {
    api.put('other', 'gear', { resource: 'widgets' });
    const reader = new Reader([claims, widgets], [claims, widgets]);
    const started = reader.start({ first: 'shop' });
    const own = [
      '/api/v1/namespaces/shop/persistentvolumeclaims',
      '/apis/example.com/v1/namespaces/shop/widgets',
    ];
    await reader.listed(...own);
    reader.discover();
    await started;
    await reader.complete();
    expect(api.requests.slice(2).toSorted()).toEqual([claimList, widgetList]);
    expect(reader.names.toSorted()).toEqual(['data', 'gear', 'gear']);
  });

  it('has the namespace shown once, where it is read again because something else is served', async () => {
    api.put('other', 'gear', { resource: 'widgets' });
    const shown: string[][] = [];
    const reader = new Reader([claims], [claims, widgets]);
    const started = reader.start({
      first: 'shop',
      afterFirst: () => {
        shown.push(reader.names.toSorted());
        return Promise.resolve();
      },
    });
    await reader.listed('/api/v1/namespaces/shop/persistentvolumeclaims');
    expect(shown).toEqual([]);
    reader.discover();
    await started;
    await reader.complete();
    expect(shown).toEqual([['data', 'gear']]);
    expect(reader.names.toSorted()).toEqual(['data', 'gear', 'gear']);
  });

  it('is asked for at once where it is in one namespace, so that all of it takes one round trip', async () => {
    const kinds = Array.from({ length: 40 }, (_, index): ResourceType => {
      return { ...widgets, kind: `Widget${index}`, resource: `widgets${index}` };
    });
    api.standing.set('/widgets', { kind: 'stall', after: 0 });
    const reader = new Reader(kinds, kinds);
    void reader.start({ scope: () => ({ namespaces: ['shop'] }) });
    await soon(() => expect(api.requests).toHaveLength(kinds.length));
  });
});
