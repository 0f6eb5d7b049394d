/**
 * Operators as their projects publish them, in the versions that the folders of `test/operators` pin, with what they
 * are installed with: that comes from their modules too, not from this repository.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { moduleFolder } from './go-module.ts';
import { goPrograms } from './go-programs.ts';

const PINS = join(import.meta.dirname, '..', '..', 'operators');

const MANIFESTS = 'manifests.yaml';

interface Pinned {
  readonly takes: string;
  /** Folders and files below a module's own with YAML of what has to be in the cluster first. */
  readonly manifests: readonly {
    readonly module: string;
    readonly pinnedBy: string;
    readonly path: string;
  }[];
}

const pinned = {
  'kustomize-controller': {
    takes: 'about six minutes',
    manifests: [
      ...['config/crd/bases', 'config/manager/deployment.yaml'].map(path => ({
        module: 'github.com/fluxcd/kustomize-controller',
        pinnedBy: 'kustomize-controller',
        path,
      })),
      // Its sources are another controller's.
      {
        module: 'github.com/fluxcd/source-controller',
        pinnedBy: 'source-controller',
        path: 'config/crd/bases',
      },
    ],
  },
  'cert-manager': {
    takes: 'about four minutes',
    manifests: [
      { module: 'github.com/cert-manager/cert-manager', pinnedBy: 'cert-manager', path: 'deploy/crds' },
    ],
  },
} as const satisfies Record<string, Pinned>;

export type OperatorName = keyof typeof pinned;

export const operatorNames = Object.keys(pinned) as readonly OperatorName[];

export interface OperatorProgram {
  /** Absolute path. */
  readonly binary: string;
  /** YAML documents, as its project writes them. */
  readonly manifests: string;
}

/**
 * Why operators cannot be had here, in words, which are also printed, as a suite that is skipped doesn't say why; undefined
 * where they can.
 */
export async function withoutOperators(): Promise<string | undefined> {
  const why = await missing();
  if (why !== undefined) process.stderr.write(`Operators are not tested: ${why}\n`);
  return why;
}

async function missing(): Promise<string | undefined> {
  if (process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)
    return 'they run only beside a control plane of our own';
  return promisify(execFile)('go', ['version']).then(
    () => undefined,
    () => 'they are built with Go, and there is no "go" on this machine: install Go 1.26 or newer',
  );
}

/** Built if need be; `say` gets lines of progress. Rejects with `ControlPlaneUnavailable` where that fails. */
export async function operatorProgram(
  name: OperatorName,
  say: (line: string) => void = line => process.stderr.write(`${line}\n`),
): Promise<OperatorProgram> {
  const { takes, manifests }: Pinned = pinned[name];
  const paths = await goPrograms(
    {
      module: join(PINS, name),
      what: `operator ${name}`,
      names: [name],
      linkerFlags: '-s -w',
      takes,
      complete: folder => writeManifests(folder, manifests),
    },
    say,
  );
  const binary = paths[name];
  return { binary, manifests: await readFile(join(dirname(binary), MANIFESTS), 'utf8') };
}

async function writeManifests(folder: string, manifests: Pinned['manifests']): Promise<void> {
  const texts: string[] = [];
  for (const { module, pinnedBy, path } of manifests) {
    const found = join(await moduleFolder(module, join(PINS, pinnedBy)), path);
    const files = path.endsWith('.yaml')
      ? [found]
      : (await readdir(found)).filter(file => file.endsWith('.yaml')).map(file => join(found, file));
    for (const file of files) texts.push(await readFile(file, 'utf8'));
  }
  await writeFile(join(folder, MANIFESTS), texts.join('\n---\n'));
}
