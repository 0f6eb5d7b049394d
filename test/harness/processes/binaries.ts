/** The six programs of the test control plane, in the versions that `test/controlplane/go.mod` pins. */
import { writeKwokStages } from '../nodes/kwok-stages.ts';
import { CONTROL_PLANE_MODULE, ControlPlaneUnavailable } from './go-module.ts';
import { goPrograms, inFolder, missingIn } from './go-programs.ts';

const KUBERNETES_VERSION = 'v1.36.3';

/** `server` is etcd: a Go binary is called like the last element of its package path. */
const binaryNames = [
  'server',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const;
type BinaryName = (typeof binaryNames)[number];

/** Absolute path of each program. */
export type Binaries = Readonly<Record<BinaryName, string>>;

function linkerFlags(): string {
  const [major, minor] = KUBERNETES_VERSION.slice(1).split('.');
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap(pkg => [
    `-X ${pkg}.gitVersion=${KUBERNETES_VERSION}`,
    `-X ${pkg}.gitMajor=${major}`,
    `-X ${pkg}.gitMinor=${minor}`,
  ]);
  // Without a version the API server reports v0.0.0, and clients choose features by it.
  return ['-s -w', ...settings].join(' ');
}

/**
 * The programs, built if need be; `say` gets lines of progress. `GC_TREE_CONTROLPLANE_BIN` names a folder of
 * ready ones instead. Rejects with `ControlPlaneUnavailable` where Go is missing or the build fails.
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
  const programs = {
    module: CONTROL_PLANE_MODULE,
    what: `control plane (Kubernetes ${KUBERNETES_VERSION}, etcd, kwok)`,
    names: binaryNames,
    linkerFlags: linkerFlags(),
    takes: '10 to 13 minutes',
    complete: writeKwokStages,
  };
  return goPrograms(programs, say);
}
