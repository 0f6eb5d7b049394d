/** The programs of the terminal tests, bundled as the product is, once before the first of their files. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { bundle } from '../../scripts/loading/bundle.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder that they are in. */
    programs: string;
  }
}

/** `main` is the product; `screen` has its screen, on what the tests make up. */
export type ProgramName = 'main' | 'screen';

const entryPoints: Record<ProgramName, string> = {
  main: 'src/main.ts',
  screen: 'test/terminal/fixture/screen.ts',
};

/** The shop in which nobody does anything any more: what is done there by and by depends on how long a test takes. */
export const STILL = 'still';

/** Twenty namespaces that one finalizer keeps from ending, forty objects with it. */
export const FORTY = 'forty-stuck';

/** Vitest calls it by this name. Returns what removes them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-programs-'));
  await bundle(root, folder, entryPoints);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  const scenarios = path.join(folder, 'scenarios');
  await cp(path.join(root, 'src/source/demo/scenarios'), scenarios, { recursive: true });
  const shop = await readFile(path.join(scenarios, 'shop.yaml'), 'utf8');
  const [still = ''] = shop.split(/^live:$/mu);
  await writeFile(path.join(scenarios, `${STILL}.yaml`), still);
  await cp(path.join(root, `test/terminal/fixture/${FORTY}.yaml`), path.join(scenarios, `${FORTY}.yaml`));
  project.provide('programs', folder);
  return () => rm(folder, { recursive: true, force: true });
}
