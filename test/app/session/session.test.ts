import { expect, test } from 'vitest';
import type { Ports } from '../../../src/app/background/ports.ts';
import { bannerLine } from '../../../src/app/screen/frame.ts';
import { titleLine } from '../../../src/app/screen/title.ts';
import { ScreenSession } from '../../../src/app/session/session.ts';
import type { SourceBatch, TypeStatus } from '../../../src/model/exchange/changes.ts';
import type { ReadPlan } from '../../../src/model/exchange/reads.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { type Source, SourceError } from '../../../src/source/source.ts';
import type { Line } from '../../../src/text/terminal/style.ts';
import { now, objects } from '../../cli/documents/cluster.ts';

interface Fake {
  readonly source: Source;
  /** The namespaces that were to be read before the rest, in the order in which that was asked. */
  readonly preferred: (string | undefined)[];
  /** How often it was asked to give way to somebody at the keys. */
  gaveWay: number;
  /** What its start waits for. */
  waitFor: (who: string | undefined) => void;
  /** What the cluster tells from now on. */
  deliver: (yaml: string, statuses?: readonly TypeStatus[]) => void;
  /** Tells that the namespace that is read first is known; resolves when the rest may be read. */
  first: () => Promise<void>;
  closed: number;
  warnings: string[];
}

function fake(context: string, starting: Promise<void> = Promise.resolve(), serverVersion?: string): Fake {
  let listen: (batch: SourceBatch) => void = () => {};
  let plan: ReadPlan = {};
  const told: Fake = {
    warnings: [],
    preferred: [],
    gaveWay: 0,
    source: {
      get warnings() {
        return told.warnings;
      },
      info: { source: 'cluster', context, namespace: 'shop', serverVersion },
      start: (listener: (batch: SourceBatch) => void, reading?: ReadPlan) => {
        listen = listener;
        plan = reading ?? {};
        told.preferred.push(reading?.first);
        return starting;
      },
      prefer: (namespace: string) => void told.preferred.push(namespace),
      giveWay: () => {
        told.gaveWay += 1;
      },
      graphComplete: Promise.resolve(),
      factsComplete: new Promise(() => {}),
      close: () => {
        told.closed += 1;
        return Promise.resolve();
      },
    } as Partial<Source> as Source,
    waitFor: waitingFor =>
      listen({
        changes: [],
        connection: { state: 'connecting', ...(waitingFor !== undefined && { waitingFor }) },
      }),
    deliver: (yaml, statuses) =>
      listen({ changes: objects(yaml), ...(statuses !== undefined && { types: builtInTypes, statuses }) }),
    first: () => plan.afterFirst?.() ?? Promise.reject(new Error('nobody waits for it')),
    closed: 0,
  };
  return told;
}

function spansText(line: Line): string {
  return line
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** A session whose timers run when the test says so. */
function start(
  sources: Readonly<Record<string, Fake>>,
  heapLimit = Number.POSITIVE_INFINITY,
  allNamespaces = true,
) {
  const timers: (() => void)[] = [];
  const later = (run: () => void) => {
    timers.push(run);
    return () => timers.splice(timers.indexOf(run), 1);
  };
  const ports: Partial<Ports> = {
    open: async (context = 'first') => {
      const found = sources[context];
      if (found === undefined) throw new SourceError(`no context "${context}".`);
      return found.source;
    },
    contexts: () => Promise.resolve(['broken', 'second']),
    now: () => now,
    heapLimit: () => heapLimit,
    // The seconds go on for ever, and nothing here depends on them.
    after: (milliseconds, run) => (milliseconds >= 1_000 ? () => {} : later(run)),
    soon: later,
  };
  const screen = { namespace: undefined, allNamespaces, ascii: false, color: true } as const;
  const session = new ScreenSession({
    screen: { ...screen, screenReader: false, readOnly: false },
    columns: 120,
    rows: 40,
    ports: ports as Ports,
  });
  session.start();
  const turn = async (): Promise<void> => {
    await new Promise(resolve => setImmediate(resolve));
    for (const run of timers.splice(0)) run();
  };
  return {
    session,
    turn,
    async settle() {
      for (let i = 0; i < 20; i++) await turn();
    },
    title: () => spansText(titleLine(session.getState())),
    banner: () => spansText(bannerLine(session.getState())),
    names: () =>
      session
        .getState()
        .cluster?.rows.window(0, 100)
        .map(item => (item.kind === 'object' ? item.node.identity.name : item.group.key)),
    open: (context: string) => {
      session.dispatch({ type: 'key', key: { text: 'x' } });
      session.dispatch({ type: 'contexts', names: [context] });
      session.dispatch({ type: 'key', key: { name: 'enter' } });
    },
  };
}

test('the cluster that is shown is followed on after another one could not be opened', async () => {
  const first = fake('first');
  const run = start({ first });
  await run.settle();
  first.deliver('[{ kind: ConfigMap, name: a }]');
  await run.settle();
  expect(run.names()).toEqual(['shop', 'a']);
  run.open('broken');
  await run.settle();
  expect(run.session.getState().dialog).toMatchObject({ title: 'Could not open broken' });
  first.deliver('[{ kind: ConfigMap, name: b }]');
  await run.settle();
  expect(run.names()).toEqual(['shop', 'a', 'b']);
  expect(first.closed).toBe(0);
});

test('of the cluster that was shown before nothing is taken over any more, and it is closed', async () => {
  const first = fake('first');
  const second = fake('second');
  const run = start({ first, second });
  await run.settle();
  first.deliver('[{ kind: ConfigMap, name: a }]');
  await run.settle();
  first.deliver('[{ kind: ConfigMap, name: late }]');
  run.open('second');
  await run.settle();
  second.deliver('[{ kind: ConfigMap, name: z }]');
  first.deliver('[{ kind: ConfigMap, name: later }]');
  await run.settle();
  expect(run.names()).toEqual(['shop', 'z']);
  expect(first.closed).toBe(1);
  await run.session.close();
  expect(second.closed).toBe(1);
});

test('a cluster whose start hangs is closed when the screen is left', async () => {
  const first = fake('first', new Promise(() => {}));
  const run = start({ first });
  await run.settle();
  await run.session.close();
  expect(first.closed).toBe(1);
});

test('a cluster whose start hangs is closed when another one is chosen, and the one that is shown stays', async () => {
  const first = fake('first');
  const hanging = fake('hanging', new Promise(() => {}));
  const third = fake('third');
  const run = start({ first, hanging, third });
  await run.settle();
  run.open('hanging');
  await run.settle();
  expect([first.closed, hanging.closed]).toEqual([0, 0]);
  run.open('third');
  await run.settle();
  expect([first.closed, hanging.closed, third.closed]).toEqual([1, 1, 0]);
});

test('what the start of a cluster waits for is said in the title, and of another one below it', async () => {
  const first = fake('first', new Promise(() => {}));
  const run = start({ first });
  await run.settle();
  expect(run.title()).toBe('gc-tree  connecting…');
  first.waitFor('the exec plugin aws of user "prod"');
  await run.settle();
  expect(run.title()).toBe('gc-tree  connecting, waiting for the exec plugin aws of user "prod"…');
  first.waitFor(undefined);
  await run.settle();
  expect(run.title()).toBe('gc-tree  connecting…');

  const shown = fake('first');
  const second = fake('second', new Promise(() => {}));
  const next = start({ first: shown, second });
  await next.settle();
  next.open('second');
  await next.settle();
  second.waitFor('the exec plugin aws of user "prod"');
  await next.settle();
  expect(next.banner()).toBe('Opening second, waiting for the exec plugin aws of user "prod"…');
  expect(next.title()).not.toContain('waiting');
});

test('what the API server warns of is shown once', async () => {
  const first = fake('first');
  const run = start({ first });
  await run.settle();
  first.warnings = ['read only from \u001b[31mFriday on'];
  first.deliver('[{ kind: ConfigMap, name: a }]');
  await run.settle();
  const notice = () => run.session.getState().notice;
  expect(notice()).toMatchObject({ text: 'Warning: read only from %1B[31mFriday on', style: 'warning' });
  const before = notice();
  first.deliver('[{ kind: ConfigMap, name: b }]');
  await run.settle();
  expect(notice()).toBe(before);
  first.warnings = [...first.warnings, 'second', 'third'];
  first.deliver('[{ kind: ConfigMap, name: c }]');
  await run.settle();
  expect(notice()?.text).toBe('Warning: second (and 1 more, which are printed at the end)');
});

test('a server is told of that is newer than the versions that were read', async () => {
  const run = start({ first: fake('first', undefined, 'v1.38.0') });
  await run.settle();
  expect(run.session.getState().notice).toMatchObject({
    text: 'Warning: Kubernetes v1.38.0 is newer than this tool knows. Answers assume that it behaves like 1.37; this is not tested.',
    style: 'warning',
  });
  const known = start({ first: fake('first', undefined, 'v1.36.3') });
  await known.settle();
  expect(known.session.getState().notice).toBeUndefined();
});

test('the namespace of the context is read first, and then whichever is chosen before everything is in', async () => {
  const first = fake('first');
  const second = fake('second');
  const run = start({ first, second });
  await run.settle();
  expect(first.preferred).toEqual(['shop']);
  first.deliver('[{ kind: ConfigMap, name: a, namespace: infra }]');
  await run.settle();
  for (const text of ['n', ...'infra']) run.session.dispatch({ type: 'key', key: { text } });
  run.session.dispatch({ type: 'key', key: { name: 'enter' } });
  expect(first.preferred).toEqual(['shop', 'infra']);
  run.open('second');
  await run.settle();
  expect(second.preferred).toEqual(['shop']);
});

test('what is read gives way to whoever is at the keys, and to nothing else', async () => {
  const source = fake('first');
  const run = start({ first: source });
  await run.settle();
  source.deliver('[{ kind: ConfigMap, name: a, namespace: shop }]');
  await run.settle();
  expect(source.gaveWay).toBe(0);
  run.session.dispatch({ type: 'key', key: { text: 'j' } });
  run.session.dispatch({ type: 'wheel', lines: 1, column: 1, row: 5 });
  expect(source.gaveWay).toBe(2);
});

test('before more objects have arrived than fit into memory, that is told with what helps', async () => {
  const first = fake('first');
  // Room for the program and a few objects.
  const run = start({ first }, 53_335_000);
  await run.settle();
  first.deliver('[{ kind: ConfigMap, name: a }]');
  await run.settle();
  expect(run.banner()).toBe('');
  first.deliver('[{ kind: ConfigMap, name: b }, { kind: ConfigMap, name: c }]');
  await run.settle();
  expect(run.banner()).toContain('Memory may run out: 3 objects so far, and Node gives this program 51 MB.');
  expect(run.session.getState().notice?.text).toContain('NODE_OPTIONS=--max-old-space-size=204 ');
});

/** All that is in these namespaces is known, and nothing else. */
function knownIn(namespaces: readonly string[]): TypeStatus[] {
  return builtInTypes
    .filter(ResourceType.isMonitored)
    .map(type => ({ type, state: 'listing', count: 0, facts: true, ...(type.namespaced && { namespaces }) }));
}

/** What the promise resolves with; time passes until then. */
async function during<T>({ turn }: { readonly turn: () => Promise<void> }, promise: Promise<T>): Promise<T> {
  let isDone = false;
  void promise.then(() => {
    isDone = true;
  });
  while (!isDone) await turn();
  return promise;
}

test('the rest is read once the namespace on the screen was judged', async () => {
  const source = fake('first');
  const run = start({ first: source }, undefined, false);
  await run.settle();
  const wasJudged = source.first().then(() => run.session.getState().cluster?.problems?.complete);
  source.deliver('[{ kind: ConfigMap, name: a }]', knownIn(['shop']));
  await expect(during(run, wasJudged)).resolves.toBe(true);
});

test('the rest waits for the namespace that was chosen meanwhile', async () => {
  const source = fake('first');
  const run = start({ first: source }, undefined, false);
  await run.settle();
  source.deliver('[{ kind: Namespace, name: infra, namespace: "" }]');
  await run.settle();
  for (const text of 'ninfra') run.session.dispatch({ type: 'key', key: { text } });
  run.session.dispatch({ type: 'key', key: { name: 'enter' } });
  expect(source.preferred).toEqual(['shop', 'infra']);
  source.deliver('[{ kind: ConfigMap, name: a }]', knownIn(['shop']));
  const wasKnown = source.first().then(() => run.session.getState().cluster?.scopeKnown);
  await run.settle();
  source.deliver('[]', knownIn(['shop', 'infra']));
  await expect(during(run, wasKnown)).resolves.toBe(true);
});

test('the rest waits for nothing where all namespaces are on the screen', async () => {
  const source = fake('first');
  const run = start({ first: source });
  await run.settle();
  await during(run, source.first());
});
