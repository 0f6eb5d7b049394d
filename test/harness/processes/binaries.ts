/** The six programs of the test control plane, in the versions that the go.mod files of `test/controlplane` pin. */
import { writeKwokStages } from '../nodes/kwok-stages.ts';
import { ControlPlaneUnavailable } from './go-module.ts';
import { areBuilt, type GoPrograms, goPrograms, inFolder, missingIn } from './go-programs.ts';
import { type PinnedVersion, pinnedVersions, testedVersion, usualVersion } from './versions.ts';

/** `server` is etcd: a Go binary is called like the last element of its package path. */
const binaryNames = [
  'server',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;
/** What is of the version that is tested; etcd, kubectl and kwok serve all of them. */
const serverNames = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
type BinaryName = (typeof binaryNames)[number];

/** Absolute path of each program. */
export type Binaries = Readonly<Record<BinaryName, string>>;

function linkerFlags(version: string): string {
  const [major, minor] = version.slice(1).split('.');
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(pkg => [
    `-X ${pkg}.gitVersion=${version}`,
    `-X ${pkg}.gitMajor=${major}`,
    `-X ${pkg}.gitMinor=${minor}`,
  ]);
  // Without a version the API server reports v0.0.0, and clients choose features by it.
  return ['-s -w', ...settings].join(' ');
}

/**
 * The programs, built if need be, the servers in the version that `GC_TREE_KUBERNETES` chooses; `say` gets lines of
 * progress. `GC_TREE_CONTROLPLANE_BIN` names a folder of ready ones instead. Rejects with `ControlPlaneUnavailable` where Go is missing or the build fails.
 */
export async function controlPlaneBinaries(
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<Binaries> {
  const ready = process.env['GC_TREE_CONTROLPLANE_BIN'];
  if (ready) {
    const missing = missingIn(ready, binaryNames);
    if (missing.length > 0) {
      throw new ControlPlaneUnavailable(
        `GC_TREE_CONTROLPLANE_BIN=${ready} has no ${missing.join(', ')} (etcd is called "server")`,
      );
    }
    return inFolder(ready, binaryNames);
  }
  const { module, version } = usualVersion;
  const programs = {
    module,
    what: `control plane (Kubernetes ${version}, etcd, kwok)`,
    names: binaryNames,
    linkerFlags: linkerFlags(version),
    takes: '10 to 13 minutes',
    complete: writeKwokStages,
  };
  const usual = await goPrograms(programs, say);
  const tested = testedVersion();
  return tested.version === version ? usual : { ...usual, ...(await goPrograms(serversOf(tested), say)) };
}

/** Other versions than the usual one whose servers have been built on this machine, the oldest first. */
export async function builtVersions(): Promise<readonly PinnedVersion[]> {
  const found: PinnedVersion[] = [];
  for (const each of pinnedVersions()) {
    if (each.version !== usualVersion.version && (await areBuilt(serversOf(each)))) found.push(each);
  }
  return found;
}

function serversOf({ module, version }: PinnedVersion): GoPrograms<(typeof serverNames)[number]> {
  return {
    module,
    what: `servers of Kubernetes ${version}`,
    names: serverNames,
    linkerFlags: linkerFlags(version),
    takes: 'some minutes',
  };
}
