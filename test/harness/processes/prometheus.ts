/** Prometheus and promtool, in the version that `test/prometheus/go.mod` pins. */
import { join } from 'node:path';
import { goPrograms } from './go-programs.ts';

const MODULE = join(import.meta.dirname, '..', '..', 'prometheus');

/** Absolute paths, built if need be. Rejects with `ControlPlaneUnavailable` without Go, or where it fails. */
export function prometheusPrograms(
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<Readonly<Record<'prometheus' | 'promtool', string>>> {
  return goPrograms(
    {
      module: MODULE,
      what: 'Prometheus',
      names: ['prometheus', 'promtool'],
      linkerFlags: '-s -w',
      // Without the clients of every cloud, in which it would find targets.
      tags: 'remove_all_sd',
      takes: 'about two minutes',
    },
    say,
  );
}
