/**
 * Many scenarios at once on a real control plane, each in namespaces of its own, step by step together: the
 * controller manager starts and stops for all of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import {
  type ControlStep,
  isPlayed,
  type PlayedStep,
  type Scenario,
  type WaitStep,
} from '../../../src/source/demo/scenario.ts';
import type { ApiClient } from '../../harness/api-client.ts';
import type { Cluster, ComponentControl } from '../../harness/cluster.ts';
import { type Difference, differences, type EndState, endState, type LeftObject } from '../end-state.ts';
import { PrefixedPlayer } from '../prefixed-player.ts';
import { withStatuses } from '../simulate.ts';
import { setNode } from './nodes.ts';
import { RealWorld } from './world.ts';

/** Requests of different scenarios under way at once. */
const CONCURRENCY = 8;

/** What doesn't come to rest in so many milliseconds never does. */
export const RESTLESS_MS = 180_000;

/** At rest nothing changes for as long as so many of the slowest looks take. */
const LOOKS_AT_REST = 5;

type Control = Exclude<ControlStep, WaitStep>;

interface Segment {
  readonly play: readonly PlayedStep[];
  /** Undefined at the end. */
  readonly control: Control | undefined;
}

/** A scenario's steps between those that concern the whole control plane. */
function segments(scenario: Scenario): readonly Segment[] {
  const found: Segment[] = [];
  let play: PlayedStep[] = [];
  for (const step of scenario.steps) {
    if (isPlayed(step)) {
      play.push(step);
      continue;
    }
    // Nobody waits here: only ages would differ.
    if (step !== 'settle' && 'wait' in step) continue;
    found.push({ play, control: step });
    play = [];
  }
  // Every run settles at its end anyway.
  if (play.length === 0 && found.at(-1)?.control === 'settle') play = [...(found.pop()?.play ?? [])];
  return [...found, { play, control: undefined }];
}

/** Scenarios with the same signature can run together. */
export function signature(scenario: Scenario): string {
  const controls = segments(scenario).map(({ control }) => JSON.stringify(control ?? 'end'));
  return [...controls, scenario.quiet ?? '', scenario.nodes ?? 0].join(' ');
}

export interface RealPlane {
  readonly cluster: Cluster;
  /** What a scenario's requests go through; the cluster's own unless there are several API servers. */
  readonly api?: ApiClient;
  readonly controllerManager: ComponentControl;
  readonly customTypes: readonly ResourceType[];
}

export interface Run {
  readonly scenario: Scenario;
  readonly expected: EndState;
  /** Objects whose end may differ; their differences are told apart. */
  readonly timingDependent: ReadonlyMap<string, unknown>;
}

export interface Compared {
  readonly scenario: Scenario;
  readonly real: EndState;
  /** Divergences. */
  readonly differences: readonly Difference[];
  /** Differences of objects whose end depends on timing. */
  readonly excused: readonly Difference[];
}

export interface BatchOptions extends PlayOptions {
  /** Seconds until a difference counts as one: back-off can make the real end late. */
  readonly patience: number;
}

export interface PlayOptions {
  /** Begins the name of everything that is made; different for every batch on a control plane. */
  readonly prefix: string;
  /** Seconds without a change that count as rest. */
  readonly quiet: number;
}

export interface PlayedBatch {
  readonly world: RealWorld;
  /** In the order of the scenarios. */
  readonly players: readonly PrefixedPlayer[];
  /** When the last step was played, in milliseconds since the epoch. */
  readonly playedAt: number;
  /** Until the collector has dealt with what it heard of, where it runs, and nothing changes any more. */
  readonly settle: () => Promise<void>;
}

/**
 * Plays the scenarios, all of one signature, until everything is at rest. The prefix of the scenario at `index` is
 * `<prefix><index>`.
 */
export async function playBatch(
  plane: RealPlane,
  scenarios: readonly Scenario[],
  { prefix, quiet }: PlayOptions,
): Promise<PlayedBatch> {
  const { cluster, controllerManager, customTypes } = plane;
  const world = new RealWorld(plane.api ?? cluster.api, customTypes);
  const players = scenarios.map(
    (scenario, index) => new PrefixedPlayer(scenario, `${prefix}${index}`, world),
  );
  if (controllerManager.running) await controllerManager.stop();
  await together(players, player => player.prepare());
  const steps = players.map(player => segments(player.scenario));
  let sentinels = 0;
  let playedAt = Date.now();
  const settle = async (): Promise<void> => {
    sentinels++;
    if (controllerManager.running) await collectorIsAtWork(cluster, `${prefix}sentinel-${sentinels}`);
    await rest(world, quiet);
  };
  for (const [index, { control }] of (steps[0] ?? []).entries()) {
    await together(players, async (player, at) => {
      for (const step of steps[at]?.[index]?.play ?? []) await player.play(step);
    });
    playedAt = Date.now();
    if (control === undefined || control === 'settle') await settle();
    else if ('node' in control) await setNode(plane, control.node);
    else if (control.controllerManager === 'stop') await controllerManager.stop();
    else {
      await rest(world, 1);
      await controllerManager.start();
    }
  }
  return { world, players, playedAt, settle };
}

/** Runs the scenarios, all of one signature, and compares each with what the simulation says. */
export async function runBatch(
  plane: RealPlane,
  scenarios: readonly Run[],
  options: BatchOptions,
): Promise<readonly Compared[]> {
  const batch = await playBatch(
    plane,
    scenarios.map(({ scenario }) => scenario),
    options,
  );
  return compareEnds(batch, scenarios, options.patience);
}

/** Compares what was played with what the simulation says; `patience` in seconds. */
export function compareEnds(
  { world, players }: PlayedBatch,
  scenarios: readonly Run[],
  patience: number,
): Promise<readonly Compared[]> {
  return patiently(patience, async () => {
    const { objects } = await world.left();
    const byRun = byOwner(objects, players);
    return players.map((player, index) => {
      const run = scenarios[index];
      const scenario = run?.scenario ?? player.scenario;
      const real = withStatuses(endState(byRun[index] ?? [], player.naming), player);
      const all = differences(run?.expected ?? new Map(), real);
      const isExcused = ({ object }: Difference): boolean => run?.timingDependent.has(object) ?? false;
      return {
        scenario,
        real,
        differences: all.filter(each => !isExcused(each)),
        excused: all.filter(isExcused),
      };
    });
  });
}

/** Acts on all of them, a few at a time. */
export async function together<T>(
  items: readonly T[],
  act: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, player] of queue) await act(player, index);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

function byOwner(
  objects: readonly LeftObject[],
  players: readonly PrefixedPlayer[],
): readonly LeftObject[][] {
  return players.map(player => objects.filter(object => player.owns(object)));
}

/** Compares until all are alike, or for so many seconds. */
async function patiently(
  patience: number,
  compare: () => Promise<readonly Compared[]>,
): Promise<readonly Compared[]> {
  const deadline = Date.now() + patience * 1000;
  for (;;) {
    const compared = await compare();
    if (compared.every(each => each.differences.length === 0) || Date.now() > deadline) return compared;
    await sleep(1000);
  }
}

/** A dependent without its owner is collected as soon as workers run and have dealt with what came before. */
export async function collectorIsAtWork(cluster: Cluster, name: string): Promise<void> {
  const path = '/api/v1/namespaces/default/configmaps';
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never-made', uid: crypto.randomUUID() };
  const metadata = { name, ownerReferences: [owner] };
  await cluster.api.json({
    method: 'POST',
    path,
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
  });
  const deadline = Date.now() + 300_000;
  while ((await cluster.api.send({ path: `${path}/${name}` })).status !== 404) {
    if (Date.now() > deadline) throw new Error('the garbage collector does not work');
    await sleep(100);
  }
}

/**
 * Until nothing has changed for so many seconds, and longer where answers are slow: controllers are then, too. What never
 * rests is given up.
 */
async function rest(world: RealWorld, quiet: number): Promise<void> {
  const deadline = Date.now() + RESTLESS_MS;
  let mark: string | undefined;
  let since = Date.now();
  let slowest = 0;
  for (;;) {
    const asked = Date.now();
    const now = await world.left();
    slowest = Math.max(slowest, Date.now() - asked);
    if (now.mark !== mark) {
      ({ mark } = now);
      since = Date.now();
    } else if (Date.now() - since >= Math.max(quiet * 1000, LOOKS_AT_REST * slowest) || Date.now() > deadline)
      return;
    await sleep(300);
  }
}
