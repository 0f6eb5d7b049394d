/**
 * The versions of Kubernetes that the tests can run against: the one that `test/controlplane/go.mod` pins, and older and
 * newer ones below `versions`, of which `GC_TREE_KUBERNETES=1.33` chooses one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerBehaviour } from '../../../src/model/server/server-behaviour.ts';
import { CONTROL_PLANE_MODULE } from './go-module.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const OTHERS = join(CONTROL_PLANE_MODULE, 'versions');

export interface PinnedVersion {
  /** `1.33` */
  readonly minor: string;
  /** `v1.33.13` */
  readonly version: string;
  /** The folder of the go.mod that pins it. */
  readonly module: string;
}

function pinnedIn(module: string): PinnedVersion {
  const text = readFileSync(join(module, 'go.mod'), 'utf8');
  const [, version, minor] = /^\s*k8s\.io\/kubernetes (v(\d+\.\d+)\.\d+)/mu.exec(text) ?? [];
  if (version === undefined || minor === undefined) throw new Error(`${module}/go.mod pins no Kubernetes`);
  return { minor, version, module };
}

/** What all tests run against unless told otherwise. */
export const usualVersion = pinnedIn(CONTROL_PLANE_MODULE);

/** The oldest first. */
export function pinnedVersions(): readonly PinnedVersion[] {
  const others = readdirSync(OTHERS).map(name => pinnedIn(join(OTHERS, name)));
  return [...others, usualVersion].sort((a, b) => minorNumber(a) - minorNumber(b));
}

export function minorNumber({ minor }: Pick<PinnedVersion, 'minor'>): number {
  return Number(minor.split('.')[1]);
}

/** The one that `GC_TREE_KUBERNETES` names; throws where none is pinned. */
export function testedVersion(): PinnedVersion {
  const wanted = process.env['GC_TREE_KUBERNETES'];
  if (wanted === undefined || wanted === '') return usualVersion;
  const found = pinnedVersions().find(({ minor }) => minor === wanted);
  if (found === undefined) {
    const known = pinnedVersions().map(({ minor }) => minor);
    throw new Error(`GC_TREE_KUBERNETES=${wanted} is none of ${known.join(', ')}`);
  }
  return found;
}

/** One of `versions`, another each day: which of them a run that has no time for all is about. */
export function versionOfTheDay(versions: readonly PinnedVersion[], now: number): PinnedVersion | undefined {
  return versions[Math.floor(now / DAY_MS) % versions.length];
}

/** What its servers do. */
export function testedBehaviour(): ServerBehaviour {
  return new ServerBehaviour(testedVersion().version);
}
