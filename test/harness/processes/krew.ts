/** krew and the validator of its index, in the version that `test/krew/go.mod` pins. */
import { join } from 'node:path';
import { goPrograms } from './go-programs.ts';

const MODULE = join(import.meta.dirname, '..', '..', 'krew');

/** Absolute paths, built if need be. Rejects with `ControlPlaneUnavailable` without Go, or where it fails. */
export function krewPrograms(
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<Readonly<Record<'krew' | 'validate-krew-manifest', string>>> {
  return goPrograms(
    {
      module: MODULE,
      what: 'programs of krew',
      names: ['krew', 'validate-krew-manifest'],
      linkerFlags: '-s -w',
      takes: 'about a minute',
    },
    say,
  );
}
