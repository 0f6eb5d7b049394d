/**
 * What a server does, by its version: the look-up in the table of `behaviours.ts`. Nothing else compares versions of
 * servers.
 */
import {
  type Behaviour,
  type BehaviourName,
  behaviours,
  type FeatureStage,
  NEWEST_READ,
  OLDEST_READ,
} from './behaviours.ts';

export interface Release {
  readonly minor: number;
  /** Undefined for the newest of the minor release. */
  readonly patch: number | undefined;
}

/** `v1.27.3-gke.100`, `1.30`, `v1.30+`; undefined for anything that is no version. Kubernetes 2 is newer than any 1. */
function releaseOf(serverVersion: string | undefined): Release | undefined {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/u.exec(serverVersion ?? '') ?? [];
  if (Number(major) > 1) return { minor: Infinity, patch: undefined };
  if (major !== '1' || minor === undefined) return undefined;
  return { minor: Number(minor), patch: patch === undefined ? undefined : Number(patch) };
}

/**
 * Why the behaviour that is taken isn't known to be the server's: nobody said its version, or it is newer or older than
 * what was read.
 */
export type Unproven = 'unknown' | 'newer' | 'older';

/** The collectors that a simulated cluster can have: today's, and the first that had its present form, of v1.5. */
export const collectorReleases = ['1.36', '1.5'] as const;

export type CollectorRelease = (typeof collectorReleases)[number];

export class ServerBehaviour {
  readonly #release: Release;
  readonly #gates: ReadonlyMap<string, boolean>;
  readonly unproven: Unproven | undefined;
  /** Of a simulated cluster: whose garbage collector it has, and whose rules of deletion (docs/vintage.md). */
  readonly collector: CollectorRelease;

  /**
   * The newest release that was read stands for a server of unknown or newer version. `gates`: feature gates of
   * kube-controller-manager that are known to be set, by name.
   */
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
      given === undefined ? 'unknown' : isNewer ? 'newer' : given.minor < OLDEST_READ ? 'older' : undefined;
  }

  /** `1.33`: the minor release whose behaviour is taken. */
  get release(): string {
    return shownRelease(this.#release.minor);
  }

  get minor(): number {
    return this.#release.minor;
  }

  stageOf(name: BehaviourName): FeatureStage {
    return stageIn(behaviours[name], this.#release);
  }

  /** Whether the server does it: as its gate is set where that is known, else by default. */
  has(name: BehaviourName): boolean {
    const stage = this.stageOf(name);
    if (stage === 'Absent' || stage === 'Stable') return stage === 'Stable';
    return this.#gateOf(name) ?? stage === 'Beta';
  }

  /** The gate that decides, where it may be set either way and nothing tells how it is. */
  openGate(name: BehaviourName): string | undefined {
    const stage = this.stageOf(name);
    if (stage === 'Absent' || stage === 'Stable' || this.#gateOf(name) !== undefined) return undefined;
    return (behaviours[name] as Behaviour).gate;
  }

  /** The same server with a gate set the other way than by default. */
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

/** The minor releases whose sources were read, the oldest first: `1.28`. */
export const releasesRead: readonly string[] = Array.from(
  { length: NEWEST_READ - OLDEST_READ + 1 },
  (_, index) => shownRelease(OLDEST_READ + index),
);

/** As the newest release that was read. */
export const newestBehaviour = new ServerBehaviour(shownRelease(NEWEST_READ));

/** The first minor release that can do it, be it behind a gate: `1.32`. */
export function firstSince(name: BehaviourName): string {
  return shownRelease(behaviours[name].stages[0][0]);
}

/** The first minor release that does it by default: `1.33`. */
export function defaultSince(name: BehaviourName): string {
  const { stages } = behaviours[name] as Behaviour;
  const first = stages.find(([, stage]) => stage === 'Beta' || stage === 'Stable');
  return shownRelease(first?.[0] ?? NEWEST_READ);
}

export function shownRelease(minor: number): string {
  return `1.${minor}`;
}

function stageIn({ stages, backports = [] }: Behaviour, { minor, patch }: Release): FeatureStage {
  const stage = stages.findLast(([since]) => since <= minor)?.[1] ?? 'Absent';
  if (stage !== 'Absent') return stage;
  const backport = backports.map(releaseOf).find(each => each?.minor === minor);
  const has = backport?.patch !== undefined && (patch === undefined || patch >= backport.patch);
  return has ? 'Stable' : 'Absent';
}
