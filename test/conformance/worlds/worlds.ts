/**
 * Rounds of random worlds, many at once on a real control plane: each has its plan made, its action taken, and what is left
 * compared with what was foretold, before its handlers have begun to work (`slow` worlds) and afterwards. What a plan itself
 * names as not certain is told apart from divergences.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { isPlayed } from '../../../src/source/demo/scenario.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import type { LeftObject } from '../end-state.ts';
import { graphTypes } from '../fuzz/random-graphs.ts';
import { PrefixedPlayer } from '../prefixed-player.ts';
import { type PlaneOptions, type RunningPlane, startPlane } from '../real/plane.ts';
import { collectorIsAtWork, together } from '../real/run.ts';
import { RealWorld } from '../real/world.ts';
import { actualEnd } from './ends.ts';
import { Handlers } from './handlers.ts';
import { byWorld, LiveCluster } from './live-cluster.ts';
import { applicationDefinition, applicationType, isManagers, Managers } from './managers.ts';
import { planOf } from './plan-of.ts';
import {
  randomAction,
  randomWorld,
  WEBHOOK_SERVICE,
  type World,
  type WorldAction,
  webhookNamespaces,
} from './random-worlds.ts';
import { type Phase, type Verdict, verdictOf } from './verdict.ts';
import { Webhooks } from './webhooks.ts';

export interface WorldsOptions {
  /** One for each world. */
  readonly seeds: readonly number[];
  /** Worlds at a time. */
  readonly batch?: number;
  readonly say?: (line: string) => void;
  readonly plane?: Partial<PlaneOptions>;
  /** Called after each batch. */
  readonly played?: (rounds: readonly Round[]) => void;
  /** Called before the actions; what it returns, when everything has ended. */
  readonly beside?: (stage: ActedStage) => Promise<() => Promise<void>>;
}

export interface ActedStage {
  readonly plane: RunningPlane;
  readonly live: LiveCluster;
  readonly acted: readonly Acted[];
}

/** A world whose plan was made and whose action was taken. */
export interface Acted {
  readonly world: World;
  readonly player: PrefixedPlayer;
  readonly action: WorldAction;
  /** What was there of it. */
  readonly before: readonly KubeObject[];
  readonly plan: Plan;
}

export interface Round {
  readonly acted: Acted;
  /** After the action alone, in slow worlds; and at the end. */
  readonly verdicts: Readonly<Partial<Record<Phase, Verdict>>>;
}

/** Milliseconds without a change that count as rest. */
const QUIET = 2500;

/**
 * Milliseconds until a difference counts as one: the namespace controller tries again after up to a minute, and on a busy
 * machine late.
 */
const PATIENCE = 180_000;

export async function playWorlds(options: WorldsOptions): Promise<readonly Round[]> {
  const { seeds, batch = 250, say = () => {}, beside, played } = options;
  const results: Round[] = [];
  for (let first = 0; first < seeds.length; first += batch) {
    const batched = seeds.slice(first, first + batch);
    const prefixes = batched.map((_, index) => `w${first + index}`);
    const folder = await mkdtemp(join(tmpdir(), 'gc-tree-worlds-'));
    guardFolder(folder);
    const services = prefixes.flatMap(prefix =>
      webhookNamespaces.map(namespace => `${WEBHOOK_SERVICE}.${prefix}-${namespace}`),
    );
    const webhooks = await Webhooks.start(folder, services);
    const worlds = batched.map((seed, index) => randomWorld(seed, prefixes[index] ?? '', webhooks.backend));
    const plane = await startPlane({ scheduler: false, ...options.plane });
    try {
      const rounds = await playBatch({ plane, webhooks, folder, say, beside }, worlds);
      played?.(rounds);
      results.push(...rounds);
    } finally {
      await plane.stop();
      await webhooks.stop();
    }
  }
  return results;
}

interface Stage {
  readonly plane: RunningPlane;
  readonly webhooks: Webhooks;
  /** For catalogues. */
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly beside: WorldsOptions['beside'];
}

async function playBatch(
  { plane, webhooks, folder, say, beside }: Stage,
  worlds: readonly World[],
): Promise<readonly Round[]> {
  const began = Date.now();
  const timed = (what: string): void => say(`${what}: ${Math.round((Date.now() - began) / 1000)} s`);
  const { cluster } = plane;
  const real = new RealWorld(cluster.api, [...graphTypes, applicationType]);
  await real.create(applicationDefinition);
  const players = worlds.map(({ scenario, prefix }) => new PrefixedPlayer(scenario, prefix, real));
  await together(players, async player => {
    await player.prepare();
    const [first] = player.scenario.steps.filter(isPlayed);
    if (first !== undefined) await player.play(first);
  });
  // References that come after their owner's deletion has begun are not noticed: no snapshot tells which these are.
  await plane.controllerManager.start();
  timed(`${worlds.length} worlds made`);
  const prefixes = new Set(worlds.map(({ prefix }) => prefix));
  const live = await LiveCluster.open(await cluster.kubeconfig(), prefix => prefixes.has(prefix));
  const handlers = new Handlers(cluster);
  const managers = new Managers(cluster.api, live);
  let end = async (): Promise<void> => {};
  try {
    await collectorIsAtWork(cluster, 'sentinel-made');
    await live.rest(QUIET);
    await together(players, async player => {
      for (const step of player.scenario.steps.filter(isPlayed).slice(1)) await player.play(step);
    });
    const kinds = kindsOf(worlds);
    const types = live.view.catalog.types.filter(({ preferred, kind }) => preferred && kinds.has(kind));
    await handlers.start(worlds, types);
    await collectorIsAtWork(cluster, 'sentinel-whole');
    await live.rest(QUIET);
    timed('at rest');
    const acted = await plansOf(live, worlds, players, folder);
    timed('plans made');
    if (beside !== undefined) end = await beside({ plane, live, acted });
    for (const each of acted) if (each.world.pace === 'prompt') haveManaged(managers, each);
    await together(acted, async ({ player, plan, action: { cascade } }) => {
      for (const { apiVersion, kind, namespace = '', name } of plan.action.targets)
        await real.delete({ apiVersion, kind, namespace, name }, { cascade });
      player.statuses.push(0);
    });
    const judged = async (phase: Phase, of: readonly Acted[]): Promise<ReadonlyMap<Acted, Verdict>> => {
      const deadline = Date.now() + PATIENCE;
      for (;;) {
        await live.rest(QUIET);
        const { objects } = await real.left();
        const left = new Map(objects.map(each => [each.uid, each]));
        const verdicts = new Map(of.map(each => [each, judge(each, { phase, left, handlers, webhooks })]));
        const open = [...verdicts.values()].filter(({ is }) => is === 'diverges').length;
        if (open === 0 || Date.now() > deadline) return verdicts;
        await sleep(500);
      }
    };
    const held = await judged(
      'held',
      acted.filter(({ world }) => world.pace === 'slow'),
    );
    timed('judged before the slow handlers begin');
    handlers.release();
    for (const each of acted) if (each.world.pace === 'slow') haveManaged(managers, each);
    const handled = await judged('handled', acted);
    timed('judged');
    await end();
    return acted.map(each => {
      const [before, after] = [held.get(each), handled.get(each)];
      return { acted: each, verdicts: { ...(before && { held: before }), ...(after && { handled: after }) } };
    });
  } finally {
    await managers.stop();
    await handlers.stop();
    await live.close();
  }
}

function haveManaged(managers: Managers, { world: { prefix, manager }, player, before }: Acted): void {
  if (manager?.acts !== true) return;
  managers.follow(prefix, manager, new Set(before.flatMap(({ uid }) => player.naming.made.get(uid) ?? [])));
}

/** What is compared: kinds that the worlds have, and that controllers make for them. */
function kindsOf(worlds: readonly World[]): ReadonlySet<string> {
  const kinds = new Set(['ConfigMap', 'Secret', 'Pod', 'ReplicaSet', 'Namespace']);
  for (const { scenario } of worlds)
    for (const step of scenario.steps)
      if (isPlayed(step) && 'create' in step) for (const { kind } of step.create) kinds.add(kind);
  return kinds;
}

/** One after the other: a process has one catalogue. */
async function plansOf(
  live: LiveCluster,
  worlds: readonly World[],
  players: readonly PrefixedPlayer[],
  folder: string,
): Promise<readonly Acted[]> {
  const kinds = kindsOf(worlds);
  const objects = byWorld(live.view, new Set(worlds.map(({ prefix }) => prefix)));
  const around = objects.get('') ?? [];
  const acted: Acted[] = [];
  for (const [index, world] of worlds.entries()) {
    const player = players[index];
    if (player === undefined) continue;
    const own = objects.get(world.prefix) ?? [];
    const there = new Set(own.flatMap(({ uid }) => player.naming.made.get(uid) ?? []));
    const action = randomAction(world, there);
    if (action === undefined) continue;
    const plan = await planOf(live, { world, player, action, objects: [...around, ...own], folder });
    acted.push({ world, player, action, before: own.filter(({ type }) => kinds.has(type.kind)), plan });
  }
  return acted;
}

interface Reality {
  readonly phase: Phase;
  readonly left: ReadonlyMap<string, LeftObject>;
  readonly handlers: Handlers;
  readonly webhooks: Webhooks;
}

function judge({ world, plan, before }: Acted, { phase, left, handlers, webhooks }: Reality): Verdict {
  const removalsOf = (finalizer: string): number => handlers.of(world.prefix, finalizer)?.removals ?? 0;
  const acts = (finalizer: string): boolean =>
    isManagers(finalizer) ? world.manager?.acts === true : handlers.of(world.prefix, finalizer) !== undefined;
  const refused = webhooks.refused(world.prefix);
  const real = actualEnd(before, left);
  const { webhooks: asked, manager } = world;
  return verdictOf({ phase, plan, before, real, left, removalsOf, acts, webhooks: asked, refused, manager });
}
