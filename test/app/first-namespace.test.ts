/** The screen while one namespace is known and the rest of the cluster is being read: what is shown, and what is claimed. */
import { describe, expect, test } from 'vitest';
import { diagnostics } from '../../src/app/cluster/diagnostics.ts';
import type { TypeStatus } from '../../src/model/exchange/changes.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { now, objects } from '../cli/documents/cluster.ts';
import { type DriverOptions, ScreenDriver } from './screen-driver.ts';

const shop = `
- { kind: StatefulSet, name: web, deletionTimestamp: '2026-11-21T11:48:00Z', finalizers: [foregroundDeletion] }
- { kind: Pod, name: web-2, owners: [apps/v1 StatefulSet web web +c +b], deletionTimestamp: '2026-11-21T11:48:00Z',
    deletionGracePeriodSeconds: 0, finalizers: [example.com/drain], spec: { nodeName: node-1 } }
`;
const infra = `
- { kind: ConfigMap, name: hen, namespace: infra, owners: [v1 ConfigMap egg] }
- { kind: ConfigMap, name: egg, namespace: infra, owners: [v1 ConfigMap hen] }
`;
const outside = `
- { kind: Namespace, name: shop, namespace: '' }
- { kind: Namespace, name: infra, namespace: '' }
- { kind: Node, name: node-1, namespace: '', status: { conditions: [{ type: Ready, status: 'True' }] } }
`;

const monitored = builtInTypes.filter(ResourceType.isMonitored);

class Reading extends ScreenDriver {
  constructor(options: DriverOptions = {}) {
    super(options);
    this.arrive('', { types: builtInTypes, statuses: this.statuses([]), connection: { state: 'live' } });
    this.send({ type: 'diagnosticsLoaded', diagnostics });
  }

  arrive(yaml: string, more: object = {}): void {
    this.send({ type: 'batch', batch: { changes: yaml === '' ? [] : objects(yaml), ...more }, now });
  }

  /** Everything in these namespaces is known, and of the kinds that are in none, those that are `also`. */
  know(namespaces: readonly string[], also: (kind: string) => boolean = () => false): void {
    this.arrive('', { statuses: this.statuses(namespaces, also) });
  }

  statuses(namespaces: readonly string[], also: (kind: string) => boolean = () => false): TypeStatus[] {
    const known = namespaces.length > 0;
    return monitored.map(type =>
      type.namespaced
        ? { type, state: 'listing', count: 0, facts: known, ...(known && { namespaces }) }
        : { type, state: also(type.kind) ? 'synced' : 'listing', count: 0, facts: true },
    );
  }

  /** Everything. */
  finish(): void {
    this.arrive('', { statuses: monitored.map(type => ({ type, state: 'synced', count: 0, facts: true })) });
    this.send({ type: 'graphComplete', info: this.info() });
    this.facts();
    this.judge();
  }

  asked(type: string): unknown[] {
    return this.effects.filter(effect => effect.type === type);
  }
}

/** The namespace that is shown is known and judged. */
function begun(options: DriverOptions = {}): Reading {
  const screen = new Reading(options);
  screen.arrive(shop);
  screen.know(['shop']);
  screen.judge();
  return screen;
}

describe('the namespace on the screen', () => {
  test('is judged as soon as it is known, and not before', () => {
    const screen = new Reading();
    screen.arrive(shop);
    expect(screen.title()).toMatch(/listing 0 of \d+ kinds, 2 objects$/);
    expect(screen.tabs()).toContain('2 Problems …');
    expect(screen.asked('judge')).toEqual([]);
    screen.know(['shop']);
    expect(screen.asked('judge')).not.toEqual([]);
    screen.judge();
    expect(screen.title()).toMatch(
      /reading the rest: 0 of \d+ kinds, 2 objects {2}1 cause holds 2 objects: 2 {2}✗ 1 ⚠ 1$/,
    );
    expect(screen.tabs()).toContain('2 Problems 2');
    expect(screen.rows()[0]).toMatch(/StatefulSet web.*✗ waits for web-2: example\.com\/drain \(assumed\)/);
    expect(screen.rows()[1]).toMatch(/held by example\.com\/drain \(assumed\)/);
    expect(screen.details()).toMatch(/waits for Pod web-2, which is held by the finalizer/);
  });

  test('keeps its findings and their number while the rest comes in, of which nothing is judged', () => {
    const screen = begun();
    const before = [screen.rows(), screen.tabs()];
    screen.arrive(outside + infra);
    screen.know(['shop'], kind => kind !== 'Node');
    screen.judge();
    expect([screen.rows(), screen.tabs()]).toEqual(before);
    expect(screen.state.cluster?.problems?.diagnosis.size).toBe(2);
    screen.finish();
    // Node and handler are known now, which makes certain what was assumed.
    expect(screen.rows()[1]).toMatch(/Pod web-2.*held by example\.com\/drain {2}/);
    expect(screen.tabs()).toMatch(/2 Problems 2 /u);
    expect(screen.title()).toMatch(/2 objects {2}\d+ kinds {2}live {2}1 cause holds 2 objects: 2 {2}✗ 2$/);
    expect(screen.state.cluster?.problems?.counts()).toMatchObject({
      problems: 2,
      elsewhere: { problems: 2 },
    });
  });

  test.each([[[]], [['j']]])('keeps the worst row in sight until a key is pressed: %s', keys => {
    const cycles = Array.from(
      { length: 30 },
      (_, i) => `- { kind: ConfigMap, name: a${i}, owners: [v1 ConfigMap a${i}] }\n`,
    ).join('');
    const screen = new Reading({ rows: 12 });
    screen.arrive(cycles);
    screen.know(['shop']);
    screen.judge();
    expect(screen.rows()[0]).toMatch(/^>.*ConfigMap a0 /);
    screen.press(...keys).arrive(shop);
    screen.judge();
    screen.finish();
    const cursor = screen.rows().find(row => row.startsWith('>'));
    expect(cursor).toMatch(keys.length === 0 ? /StatefulSet web .*✗/ : /ConfigMap a0 \(cycle\)/);
    if (keys.length === 0) expect(screen.rows()[0]).toBe(cursor);
  });

  test('says how far the rest is four times a second, whatever comes in', () => {
    const screen = begun();
    const before = screen.title();
    screen.arrive(outside);
    expect(screen.title()).toBe(before);
    screen.wait(250);
    expect(screen.title()).toMatch(/reading the rest: 0 of \d+ kinds, 5 objects/);
  });

  test('follows what happens in it meanwhile', () => {
    const screen = begun();
    screen.remove('[{ kind: Pod, name: web-2, owners: [apps/v1 StatefulSet web web +c +b] }]');
    screen.change('[{ kind: StatefulSet, name: web }]');
    screen.judge();
    // The rest may have something to say of it.
    expect(screen.tabs()).toContain('2 Problems 0+');
    expect(screen.press('2').rows()[0]).toBe('No problems found in namespace shop.');
    expect(screen.rows()[1]).toMatch(/^Not everything has arrived yet: 0 of \d+ kinds\./);
    expect(screen.rows().join('\n')).not.toContain('elsewhere:');
  });

  test('says that it is empty as soon as that is known', () => {
    const screen = new Reading();
    expect(screen.rows()).toEqual(['Nothing has arrived yet.']);
    screen.know(['shop']);
    expect(screen.rows()).toEqual(['No objects in this namespace. n chooses another one, or all of them.']);
  });

  test('says where the next objects are if a recording has none yet', () => {
    const recording = { from: 0, to: 1e12, cutOff: false };
    const screen = ScreenDriver.complete('[]', { info: { source: 'replay', recording } });
    expect(screen.rows()[0]).toMatch(
      /^No objects in this namespace at this moment\. \. goes to the next change/u,
    );
  });

  test('is acted upon only when everything is in, and a key says how far that is', () => {
    const screen = begun();
    for (const key of ['d', 'o', 'p', 'u']) {
      expect(screen.press(key).state.dialog).toBeUndefined();
      expect(screen.banner()).toMatch(
        /^ Not yet: still reading the rest of the cluster: 0 of \d+ kinds so far\.$/,
      );
    }
    expect(screen.footer()).toContain('(d delete)');
    screen.finish();
    expect(screen.footer()).toContain('d delete');
    expect(screen.footer()).not.toContain('(d delete)');
    expect(screen.press('p').state.dialog).toMatchObject({ kind: 'action' });
  });

  test('lists pods that PodGC deletes only when everything is in', () => {
    const screen = begun();
    expect(screen.tabs()).toContain('3 PodGC …');
    expect(screen.press('3').rows()).toEqual([
      'Still loading. Pods that PodGC deletes are shown once everything has arrived.',
    ]);
    screen.finish();
    expect(screen.tabs()).toContain('3 PodGC 1');
  });
});

describe('another namespace, before everything is in', () => {
  const toInfra = ['n', ...'infra', 'enter'];

  test('goes to the front, and is judged in place of the first one once it is known', () => {
    const screen = begun();
    screen.arrive(outside + infra);
    screen.press(...toInfra);
    expect(screen.asked('prefer')).toEqual([{ type: 'prefer', namespace: 'infra' }]);
    expect(screen.title()).toMatch(/listing 0 of \d+ kinds, 7 objects$/);
    expect(screen.tabs()).toContain('2 Problems …');
    screen.press('2');
    expect(screen.rows()).toEqual(['Still loading. Problems are shown once everything has arrived.']);
    screen.press('1').know(['shop', 'infra']);
    screen.judge();
    expect(screen.tabs()).toContain('2 Problems 2');
    expect(screen.rows().join('\n')).toContain('(owner cycle)');
    expect([...(screen.state.cluster?.problems?.diagnosis.all() ?? [])].map(({ code }) => code)).toEqual([
      'OwnerCycle',
      'OwnerCycle',
    ]);
    screen.press('n', ...'shop', 'enter');
    expect(screen.tabs()).toContain('2 Problems …');
    screen.judge();
    expect(screen.tabs()).toContain('2 Problems 2');
    expect(screen.rows()[0]).toMatch(/✗ waits for web-2: example\.com\/drain/);
  });

  test('is not asked for once everything is known', () => {
    const screen = begun();
    screen.arrive(outside + infra);
    screen.finish();
    screen.press(...toInfra);
    expect(screen.asked('prefer')).toEqual([]);
    expect(screen.tabs()).toContain('2 Problems 2');
  });

  test('may be all of them: then nothing is counted before everything is in', () => {
    const screen = begun();
    screen.arrive(outside + infra);
    screen.press('n', ...'(all', 'enter');
    expect(screen.state.cluster?.namespace).toBeUndefined();
    expect(screen.asked('prefer')).toEqual([]);
    expect(screen.title()).toMatch(/listing 0 of \d+ kinds, 7 objects$/);
    expect(screen.tabs()).toContain('2 Problems …');
    // What is known of the first one is shown all the same.
    expect(screen.rows().join('\n')).toMatch(/StatefulSet web.*✗ waits for web-2: example\.com\/drain/);
    screen.finish();
    expect(screen.tabs()).toContain('2 Problems 4');
  });
});
