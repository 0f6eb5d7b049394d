/** How a cell of the fault matrix is brought about, and what its word means. */
import { expect } from 'vitest';
import { AccessQuestion } from '../../../src/actions/prepare/access-questions.ts';
import type { Prepared } from '../../../src/actions/prepare/prepare.ts';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import type { ActAnswer } from '../../../src/model/exchange/act.ts';
import { remedyOf } from '../../forecast/fixtures.ts';
import type { Fault } from './faulty-server.ts';
import { FaultyWorld, type Protocol } from './faulty-world.ts';
import type { StubRequest } from './stub-api.ts';

export type Cell = 'again' | 'told' | 'given up' | 'late' | 'looked at' | 'refused' | 'blind' | 'behind';

export type RequestKind =
  | 'discovery'
  | 'rediscovery'
  | 'review'
  | 'dry run'
  | 'backup GET'
  | 'list'
  | 'watch'
  | 'DELETE'
  | 'PATCH'
  | 'POST';

export interface Trial {
  readonly protocol: Protocol;
  readonly kind: RequestKind;
  readonly fault: Fault;
  readonly cell: Cell;
  /** So many requests of the kind meet it. */
  readonly times: number;
}

const yaml = `
- {kind: ConfigMap, name: target}
- {kind: ConfigMap, name: bystander}
- {kind: ConfigMap, name: held, finalizers: [example.com/hold]}
- {kind: PersistentVolumeClaim, name: data, owners: [v1 ConfigMap bystander bystander]}
- {kind: Service, name: web}
`;
const collection = '/api/v1/namespaces/shop/configmaps';
const target = `${collection}/target`;
const held = `${collection}/held`;

const isWatch = ({ url }: StubRequest): boolean => url.includes('watch=');
const isDryRun = ({ url }: StubRequest): boolean => url.includes('dryRun=');

const matches: Record<RequestKind, (request: StubRequest) => boolean> = {
  discovery: ({ url }) => url === '/api',
  rediscovery: ({ url }) => url === '/api',
  review: ({ url }) => url.startsWith('/apis/authorization.k8s.io/'),
  'dry run': isDryRun,
  'backup GET': ({ method, url }) => method === 'GET' && url === target,
  list: request => /\/(?:configmaps|persistentvolumeclaims)(?:\?|$)/u.test(request.url) && !isWatch(request),
  watch: isWatch,
  DELETE: request => request.method === 'DELETE' && !isDryRun(request),
  PATCH: request => request.method === 'PATCH' && !isDryRun(request),
  POST: ({ method, url }) => method === 'POST' && url === collection,
};

/** What is said of each fault where it is told. */
const words: Record<Fault, RegExp> = {
  '429': /injected 429/u,
  '500': /injected 500/u,
  '503': /injected 503/u,
  reset: /the connection was closed before an answer came/u,
  hang: /no complete answer within 40 s|no answer/u,
  truncated: /broke off/u,
  GOAWAY: /refused the request repeatedly/u,
};

export const ways: Record<RequestKind, (trial: Trial) => Promise<void>> = {
  discovery: trial => asking(trial, world => world.start()),
  review: trial => asking(trial, world => world.source.act?.(AccessQuestion.review(question))),
  'dry run': trial => asking(trial, world => world.source.dryRun?.(deletion)),
  'backup GET': trial => asking(trial, world => world.source.get(configMaps(world), 'shop', 'target')),
  rediscovery: following,
  list: following,
  watch: following,
  DELETE: changing,
  PATCH: changing,
  POST: changing,
};

const question = {
  verb: 'delete',
  group: '',
  resource: 'configmaps',
  subresource: '',
  namespace: 'shop',
  name: 'target',
} as const;
const deletion = {
  method: 'DELETE',
  path: `${target}?dryRun=All`,
  contentType: 'application/json',
  body: { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
} as const;

function configMaps({ view }: FaultyWorld): NonNullable<ReturnType<typeof view.catalog.preferredOf>> {
  const type = view.catalog.preferredOf({ group: '', resource: 'configmaps' });
  if (type === undefined) throw new Error('no ConfigMaps are served');
  return type;
}

/** One request that changes nothing, and what it comes to. */
async function asking(
  trial: Trial,
  ask: (world: FaultyWorld) => Promise<unknown> | undefined,
): Promise<void> {
  const world = await FaultyWorld.of(trial.protocol, yaml);
  if (trial.kind !== 'discovery') await world.live();
  const hits = world.disturb({ ...trial, match: matches[trial.kind] });
  const { value, error, seconds } = await world.ends(Promise.resolve(ask(world)));
  const said = error?.message ?? messageOf(value);
  if (trial.cell === 'again') {
    expect(said).toBe('');
    expect(hits.all()).toBe(2);
    expect(seconds).toBeLessThanOrEqual(2);
    if (seconds > 0) expect(world.told.join()).toMatch(/answered \d|which is/u);
  } else if (trial.cell === 'given up') {
    expect(said).toMatch(words[trial.fault]);
    expect(hits.all()).toBeGreaterThan(2);
    expect(seconds).toBeLessThanOrEqual(60);
  } else {
    expect(['told', 'late']).toContain(trial.cell);
    expect(said).toMatch(words[trial.fault]);
    expect(hits.all()).toBe(1);
    expect(seconds).toBe(trial.cell === 'late' ? 40 : 0);
  }
  expect(world.api.carriedOut).toEqual([]);
  // What went wrong with this one is no matter for the others.
  if (trial.kind !== 'discovery' || said === '') await world.until(() => world.isCurrent, 120_000);
}

/** The refusal in an answer; `''` where it is none. */
function messageOf(value: unknown): string {
  const { status = 200, body } = (value ?? {}) as Partial<ActAnswer>;
  return status < 300 ? '' : String((body as { message?: unknown }).message);
}

/** Discovery, lists or watches are disturbed while somebody else changes the cluster. */
async function following(trial: Trial): Promise<void> {
  const { protocol, kind, fault, cell, times } = trial;
  const world = await FaultyWorld.of(protocol, yaml);
  if (kind !== 'list') await world.live();
  // Discovery is read every half a minute, as kube-controller-manager does.
  if (kind === 'rediscovery') world.mostStale += 30_000;
  const hits = world.disturb({ ...trial, match: matches[kind] });
  if (kind === 'list') await world.ends(world.start());
  else if (kind === 'watch') world.server.endWatches();
  else world.api.serveMore();
  world.api.stir();
  if (times === 1) {
    await world.until(() => world.isCurrent && hits.disturbed() > 0, 100_000);
    return;
  }
  const isSaid = (): boolean => {
    const { connection, statuses } = world.view;
    if (cell === 'behind') return connection.state === 'catchingUp';
    return [...statuses.values()].every(
      ({ state, reason = '' }) => state === 'blind' && words[fault].test(reason),
    );
  };
  await world.until(isSaid, world.mostStale);
  // Nobody waits for ever for what cannot be read.
  await world.ends(world.source.graphComplete);
  world.api.stir();
  await world.pass(120_000);
  expect(isSaid()).toBe(true);
  world.server.lift();
  // What hangs is given up after 90 s; pauses are half a minute, and longer by chance.
  await world.until(() => world.isCurrent, 100_000);
}

interface Made {
  readonly prepared: Prepared;
  /** What is found where it was carried out, and where it was not. */
  readonly found: readonly [string, string];
}

const actions: Partial<Record<RequestKind, (world: FaultyWorld) => Promise<Made>>> = {
  DELETE: async world => ({ prepared: deletionOf(world, 'target'), found: ['gone', 'same'] }),
  PATCH: async world => {
    await world.ends(actionRun.perform(deletionOf(world, 'held'), world.ports()));
    await world.until(() => world.isCurrent, 60_000);
    const object = world.object('held');
    const remedy = remedyOf(world.view, object, 'remove-finalizer/example.com/hold');
    const intent = { verb: 'unblock', target: object, remedy } as const;
    return { prepared: actionRun.prepare(intent, world.ports()), found: ['gone', 'same'] };
  },
  POST: async world => {
    await world.ends(actionRun.perform(deletionOf(world, 'target'), world.ports()));
    await world.until(() => world.isCurrent, 60_000);
    const [entry] = await world.journal.list();
    if (entry === undefined) throw new Error('no entry');
    const kept = await world.journal.backupOf(entry);
    const intent = Undo.intent(entry, Undo.plan(entry, kept, world.view), kept, world.view);
    if (intent === undefined) throw new Error('nothing to undo');
    return { prepared: actionRun.prepare(intent, world.ports()), found: ['made', 'absent'] };
  },
};

function deletionOf(world: FaultyWorld, name: string): Prepared {
  const intent = { verb: 'delete', cascade: 'background', targets: [world.object(name)] } as const;
  return actionRun.prepare(intent, world.ports());
}

/** An action of one request from its forecast to its end. */
async function changing(trial: Trial): Promise<void> {
  const isDoubtful = trial.cell === 'looked at';
  for (const isCarriedOut of isDoubtful ? [true, false] : [false]) await change(trial, isCarriedOut);
}

async function change(trial: Trial, isCarriedOut: boolean): Promise<void> {
  const { protocol, kind, fault, cell } = trial;
  const world = await FaultyWorld.of(protocol, yaml);
  await world.live();
  const made = await actions[kind]?.(world);
  if (made === undefined) throw new Error(`no action sends a ${kind}`);
  const before = world.api.carriedOut.length;
  const hits = world.disturb({ ...trial, match: matches[kind], isCarriedOut });
  const { value: ended, error, seconds } = await world.ends(actionRun.perform(made.prepared, world.ports()));
  if (ended === undefined) throw error ?? new Error('it has no end');
  const carriedOut = world.api.carriedOut.length - before;
  // However often it was sent, it was done once at most.
  expect(carriedOut).toBeLessThanOrEqual(1);
  if (cell === 'again') {
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(ended.found).toBeUndefined();
    expect([hits.all(), carriedOut]).toEqual([2, 1]);
  } else if (cell === 'refused') {
    expect(ended.because).toMatch(words[fault]);
    expect(['refused', 'unfinished']).toContain(ended.state);
    expect(ended.found).toBeUndefined();
    expect([ended.taken, carriedOut]).toEqual([0, 0]);
    expect(seconds).toBeLessThanOrEqual(60);
  } else {
    expect(cell).toBe('looked at');
    const isAnswer = fault === '500' || fault === '503';
    expect(ended.state).toBe(isCarriedOut ? 'reached' : isAnswer ? 'refused' : 'unfinished');
    expect(ended.found?.now.is).toBe(made.found[isCarriedOut ? 0 : 1]);
    expect(carriedOut).toBe(isCarriedOut ? 1 : 0);
    // 503 with Retry-After says that nobody looked at it, as often as it is sent.
    if (fault !== '503') expect(hits.all()).toBe(1);
    expect(seconds).toBeLessThanOrEqual(fault === '503' ? 65 : 45);
  }
  world.server.lift();
  await world.until(() => world.isCurrent, 120_000);
  expect(world.has(kind === 'PATCH' ? held : target)).toBe((kind === 'POST') === (carriedOut === 1));
}
