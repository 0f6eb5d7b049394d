/**
 * The program of Windows' archives: krew wants an .exe, so Node is made into one that loads the \`dist\` beside it. What is
 * put into it is these few lines; the product stays in files, whose compiled code is kept as everywhere else.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** In the executable `require` only knows Node's own modules. krew starts it through a symbolic link. */
const main = `
const { realpathSync } = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const dist = path.join(path.dirname(realpathSync(process.execPath)), 'dist');
const { run } = createRequire(path.join(dist, 'main.js'))('./script-loader.js');
run(pathToFileURL(path.join(dist, 'main.js')).href, 'main').catch(error => {
  process.stderr.write('kubectl gc-tree: could not start: ' + (error && error.message) + '\\n');
  process.exitCode = 2;
});
`;

/** Of a `node.exe`, by a Node of the same version that runs here: the two have to agree on how such files are read. */
export function windowsExecutable(nodeExe: string, builder: string): Promise<Buffer> {
  return executableOf(main, { executable: nodeExe }, builder);
}

export interface Inside {
  /** The Node that is made into another program. */
  readonly executable: string;
  /** Files that lie in it, by the names under which `node:sea` has them. */
  readonly assets?: Readonly<Record<string, string>>;
  readonly useCodeCache?: boolean;
}

/** A program that runs the script in place of what it is told on the command line. */
export async function executableOf(script: string, inside: Inside, builder: string): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-exe-'));
  try {
    const output = path.join(folder, 'kubectl-gc_tree.exe');
    const config = {
      // As it is written here it is kept in the executable, which shall not tell of this folder.
      main: 'main.js',
      output,
      disableExperimentalSEAWarning: true,
      useCodeCache: false,
      useSnapshot: false,
      ...inside,
    };
    await writeFile(path.join(folder, config.main), script);
    await writeFile(path.join(folder, 'sea.json'), JSON.stringify(config));
    await chmod(builder, 0o755);
    await promisify(execFile)(builder, ['--build-sea', 'sea.json'], { cwd: folder });
    return await readFile(output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
