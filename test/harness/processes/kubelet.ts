/** The kubelet of `test/kubelet`: Kubernetes' own code on fakes of the container runtime and the node. */
import { join } from 'node:path';
import { goPrograms } from './go-programs.ts';

const MODULE = join(import.meta.dirname, '..', '..', 'kubelet');

/** Absolute path, built if need be. Rejects with `ControlPlaneUnavailable` without Go, or if the build fails. */
export async function kubeletProgram(
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<string> {
  const programs = await goPrograms(
    {
      module: MODULE,
      what: 'kubelet',
      names: ['kubelet'],
      linkerFlags: '-s -w',
      takes: 'about four minutes',
    },
    say,
  );
  return programs.kubelet;
}
