/** A server's behaviour by version, looked up in `behaviours.ts`. No other code compares server versions. */
import {
  type Behaviour,
  type BehaviourName,
  behaviours,
  type FeatureStage,
  NEWEST_READ,
  OLDEST_READ,
  OLDEST_RUN,
} from './behaviours.ts';

export interface Release {
  readonly minor: number;
  /** Undefined for the newest patch release. */
  readonly patch: number | undefined;
}

/** Parses `v1.27.3-gke.100`, `1.30`, `v1.30+`; undefined for no version. Kubernetes 2 is newer than any 1. */
function releaseOf(serverVersion: string | undefined): Release | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/u.exec(serverVersion ?? '') ?? [];
  if (Number(major) > 1) return { minor: Infinity, patch: undefined };
  if (major !== '1' || minor === undefined) return undefined;
  return { minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) };
}

/** The server's version is unknown, or one that no test ran on, so its behaviour is assumed. */
export type Unproven = 'unknown' | 'newer' | 'older';

/** Collectors of a simulated cluster: today's, and v1.5's, the first in its present form. */
const collectorReleases = ['1.36', '1.5'] as const;

export type CollectorRelease = (typeof collectorReleases)[number];

export class ServerBehaviour {
  readonly #release: Release;
  readonly #gates: ReadonlyMap<string, boolean>;
  readonly unproven: Unproven | undefined;
  /** Collector and deletion rules of a simulated cluster (docs/collector.md). */
  readonly collector: CollectorRelease;

  /** Assumes the newest known release for an unknown or newer version. `gates`: the manager's known gates by name. */
  constructor(
    serverVersion: string | undefined,
    gates: ReadonlyMap<string, boolean> = new Map(),
    collector: CollectorRelease = '1.36',
  ) {
    this.collector = collector;
    const given = releaseOf(serverVersion);
    const isNewer = given === undefined || given.minor > NEWEST_READ;
    this.#release = isNewer ? { minor: NEWEST_READ, patch: undefined } : given;
    this.#gates = gates;
    this.unproven =
      given === undefined ? 'unknown' : isNewer ? 'newer' : given.minor < OLDEST_RUN ? 'older' : undefined;
  }

  get release(): string {
    return shownRelease(this.#release.minor);
  }

  get minor(): number {
    return this.#release.minor;
  }

  stageOf(name: BehaviourName): FeatureStage {
    return stageIn(behaviours[name], this.#release);
  }

  has(name: BehaviourName): boolean {
    const stage = this.stageOf(name);
    if (stage === 'Absent' || stage === 'Stable') return stage === 'Stable';
    return this.#gateOf(name) ?? stage === 'Beta';
  }

  /** Returns true if the version is known, and has it. */
  surelyHas(name: BehaviourName): boolean {
    return this.unproven !== 'unknown' && this.has(name);
  }

  /** Returns the gate that decides, if it can be set and its setting is unknown. */
  openGate(name: BehaviourName): string | undefined {
    const stage = this.stageOf(name);
    if (stage === 'Absent' || stage === 'Stable' || this.#gateOf(name) !== undefined) return undefined;
    return (behaviours[name] as Behaviour).gate;
  }

  withGate(gate: string, on: boolean): ServerBehaviour {
    const { minor, patch } = this.#release;
    const version = patch === undefined ? `1.${minor}` : `1.${minor}.${patch}`;
    return new ServerBehaviour(version, new Map([...this.#gates, [gate, on]]), this.collector);
  }

  #gateOf(name: BehaviourName): boolean | undefined {
    const { gate, program } = behaviours[name] as Behaviour;
    return gate === undefined || program !== 'kube-controller-manager' ? undefined : this.#gates.get(gate);
  }
}

const releasesRead: readonly string[] = Array.from({ length: NEWEST_READ - OLDEST_READ + 1 }, (_, index) =>
  shownRelease(OLDEST_READ + index),
);

const newestBehaviour = new ServerBehaviour(shownRelease(NEWEST_READ));

/** Returns the first minor release that can do it, even if only behind a gate: `1.32`. */
function firstSince(name: BehaviourName): string {
  return shownRelease(behaviours[name].stages[0][0]);
}

function defaultSince(name: BehaviourName): string {
  const { stages } = behaviours[name] as Behaviour;
  const first = stages.find(([, stage]) => stage === 'Beta' || stage === 'Stable');
  return shownRelease(first?.[0] ?? NEWEST_READ);
}

function shownRelease(minor: number): string {
  return `1.${minor}`;
}

function stageIn({ stages, backports = [] }: Behaviour, { minor, patch }: Release): FeatureStage {
  const stage = stages.findLast(([since]) => since <= minor)?.[1] ?? 'Absent';
  if (stage !== 'Absent') return stage;
  const backport = backports.map(releaseOf).find(each => each?.minor === minor);
  const has = backport?.patch !== undefined && (patch === undefined || patch >= backport.patch);
  return has ? 'Stable' : 'Absent';
}

export const serverReleases = {
  read: releasesRead,
  oldestRun: shownRelease(OLDEST_RUN),
  ofCollector: collectorReleases,
  newest: newestBehaviour,
  defaultSince,
  firstSince,
  shown: shownRelease,
};
