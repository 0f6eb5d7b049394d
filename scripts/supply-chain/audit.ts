/**
 * `npm run audit`: what the registry knows against the packages that are in the bundle. High and critical end with
 * exit code 1, and so does whatever isn't an answer of the registry; a registry that keeps no list is said to.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundle } from '../loading/bundle.ts';
import { bundledPackages } from './bundled-packages.ts';
import { judgeAudit } from './judge-audit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packages = await bundledPackages(root, (await bundle(root, undefined)).metafile);
const { stdout, error } = spawnSync('npm', ['audit', '--json'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  timeout: 120_000,
});
const { lines, failed } = judgeAudit(
  error === undefined ? stdout : JSON.stringify({ message: error.message }),
  new Set(packages.map(({ folder }) => folder)),
);
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = failed ? 1 : 0;
