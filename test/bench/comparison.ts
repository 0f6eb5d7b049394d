/**
 * The programs that the product is compared with. What can be built from the versions that comparison/go.mod pins is
 * built when it is needed; others are taken from where a variable says, and where there is none, nothing is compared.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { controlPlaneBinaries } from '../harness/processes/binaries.ts';
import { goPrograms } from '../harness/processes/go-programs.ts';

const rivals = ['kubectl-tree', 'kube-lineage', 'check-ownerreferences'] as const;
type Rival = (typeof rivals)[number];

export interface Programs {
  readonly kubectl: string;
  /** Undefined where it is not to be had. */
  readonly rivals: Readonly<Partial<Record<Rival, string>>>;
}

const pinned = {
  module: path.join(import.meta.dirname, 'comparison'),
  what: 'programs to compare with',
  names: ['kube-lineage'],
  linkerFlags: '-s -w',
  takes: 'about four minutes',
} as const;

/** `KUBECTL_TREE` of `kubectl-tree`. */
function variableOf(rival: Rival): string {
  return rival.replaceAll('-', '_').toUpperCase();
}

/** Those of `compared` that are to be had. */
export async function comparisonPrograms(
  say: (line: string) => void,
  compared: readonly Rival[] = rivals,
): Promise<Programs> {
  const { kubectl } = await controlPlaneBinaries(say);
  const found: Partial<Record<Rival, string>> = {};
  for (const rival of compared) {
    const variable = variableOf(rival);
    const given = process.env[variable];
    if (given !== undefined && !existsSync(given)) throw new Error(`${variable}: there is no ${given}`);
    const program = given ?? (await built(rival, say));
    if (program === undefined) say(`no ${rival}: its rows are left out (${variable} may name the program)`);
    else found[rival] = program;
  }
  return { kubectl, rivals: found };
}

async function built(rival: Rival, say: (line: string) => void): Promise<string | undefined> {
  if (rival !== 'kube-lineage') return undefined;
  try {
    return (await goPrograms(pinned, say))[rival];
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
