/** Helm, in the version that `test/helm/go.mod` pins. */
import { join } from 'node:path';
import { goPrograms } from './go-programs.ts';

const MODULE = join(import.meta.dirname, '..', '..', 'helm');

/** Absolute path, built if need be. Rejects with `ControlPlaneUnavailable` without Go, or if the build fails. */
export async function helmProgram(
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<string> {
  const programs = await goPrograms(
    { module: MODULE, what: 'helm', names: ['helm'], linkerFlags: '-s -w', takes: 'about two minutes' },
    say,
  );
  return programs.helm;
}
