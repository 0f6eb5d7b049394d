/** Programs beside the control plane, in the versions that go.mod of `test/NAME` pins. */
import { join } from 'node:path';
import { type GoPrograms, goPrograms } from './go-programs.ts';

const TESTS = join(import.meta.dirname, '..', '..');

const modules = {
  argocd: { what: 'engine of Argo CD', names: ['argocd'], takes: 'about four minutes' },
  helm: { what: 'helm', names: ['helm'], takes: 'about two minutes' },
  /** krew and the validator of its index. */
  krew: { what: 'programs of krew', names: ['krew', 'validate-krew-manifest'], takes: 'about a minute' },
  /** Kubernetes' own code on fakes of the container runtime and the node. */
  kubelet: { what: 'kubelet', names: ['kubelet'], takes: 'about four minutes' },
  prometheus: {
    what: 'Prometheus',
    names: ['prometheus', 'promtool'],
    takes: 'about two minutes',
    // Without the clients of every cloud, in which it would find targets.
    tags: 'remove_all_sd',
  },
} as const satisfies Record<string, Omit<GoPrograms<string>, 'module' | 'linkerFlags'>>;

type ModuleName = keyof typeof modules;

export const otherProgramNames = Object.keys(modules) as readonly ModuleName[];

/** Absolute paths, built if need be. Rejects with `ControlPlaneUnavailable` without Go, or if the build fails. */
export function otherPrograms<Name extends ModuleName>(
  name: Name,
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<Readonly<Record<(typeof modules)[Name]['names'][number], string>>> {
  return goPrograms({ ...modules[name], module: join(TESTS, name), linkerFlags: '-s -w' }, say);
}
