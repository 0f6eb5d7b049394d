/**
 * A trial that no release has: one executable with everything in it, the product's scripts, their compiled code and the
 * files that they read. What loads them is the product's own; the files that it asks for are found in the executable.
 */
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transform } from 'esbuild';
import { executableOf } from '../../../scripts/release/windows-executable.ts';

/** Where the product believes to lie. */
const INSIDE = '/gc-tree-inside/';
/** Names the folder that compiled code is written to when a program of its own kind has ended. */
const TRAINING = 'GC_TREE_TRAINING';

const before = `
const fs = require('node:fs');
const path = require('node:path');
const sea = require('node:sea');
const vm = require('node:vm');
const { fileURLToPath } = require('node:url');
const inside = ${JSON.stringify(INSIDE)};
const names = sea.getAssetKeys();
const has = new Set(names);
const nameOf = place => {
  const file = place instanceof URL ? fileURLToPath(place) : String(place);
  return file.startsWith(inside) ? file.slice(inside.length) : undefined;
};
const bytesOf = name => Buffer.from(sea.getRawAsset(name));
const { existsSync, readFileSync, readdirSync } = fs;
fs.existsSync = place => {
  const name = nameOf(place);
  return name === undefined ? existsSync(place) : names.some(each => each.startsWith(name));
};
fs.readFileSync = (place, options) => {
  const name = nameOf(place);
  if (name === undefined) return readFileSync(place, options);
  const encoding = typeof options === 'string' ? options : options && options.encoding;
  return encoding ? bytesOf(name).toString(encoding) : bytesOf(name);
};
fs.readdirSync = (place, options) => {
  const name = nameOf(place);
  if (name === undefined) return readdirSync(place, options);
  return names.filter(each => each.startsWith(name)).map(each => each.slice(name.length));
};
const training = process.env[${JSON.stringify(TRAINING)}];
const command = path.basename(process.argv[2] || 'screen');
const { Script } = vm;
const made = new Map();
vm.Script = class extends Script {
  constructor(source, options) {
    const name = nameOf(options.filename);
    const code = 'code/' + command + '/' + name;
    super(source, has.has(code) ? { ...options, cachedData: bytesOf(code) } : options);
    // What is measured would be something else.
    if (this.cachedDataRejected === true) throw new Error('the compiled code of ' + name + ' is refused');
    if (name !== undefined) made.set(code, this);
  }
};
// What is kept between runs lies in the executable here.
process.env.NODE_DISABLE_COMPILE_CACHE = '1';
const loader = { exports: {} };
(function (module) {
`;

const after = `
})(loader);
if (training !== undefined) {
  // Code is taken from where it was made under the same flags alone.
  require('node:v8').setFlagsFromString = () => {};
  process.once('exit', () => {
    for (const [name, script] of made)
      fs.writeFileSync(path.join(training, encodeURIComponent(name)), script.createCachedData());
  });
}
loader.exports.run('file://' + inside + 'main.js', 'main');
delete process.env.NODE_DISABLE_COMPILE_CACHE;
`;

/** Of the `dist` that has been built. `train` runs the program in this environment with each command that is to be quick. */
export async function wholeExecutable(
  { dist, node, file }: { readonly dist: string; readonly node: string; readonly file: string },
  train: (env: NodeJS.ProcessEnv) => Promise<void>,
): Promise<void> {
  const loader = await readFile(path.join(dist, 'script-loader.js'), 'utf8');
  const { code } = await transform(loader, { format: 'cjs', platform: 'node' });
  const make = async (assets: Readonly<Record<string, string>>): Promise<void> => {
    const inside = { executable: node, assets, useCodeCache: true };
    await writeFile(file, await executableOf(`${before}${code}${after}`, inside, node));
    await chmod(file, 0o755);
  };
  const files = await filesOf(dist);
  await make(files);
  const training = await mkdtemp(path.join(tmpdir(), 'gc-tree-training-'));
  try {
    await train({ [TRAINING]: training });
    const names = await readdir(training);
    if (names.length === 0) throw new Error(`${file} has kept no compiled code`);
    const compiled = names.map(name => [decodeURIComponent(name), path.join(training, name)]);
    await make({ ...files, ...(Object.fromEntries(compiled) as Record<string, string>) });
  } finally {
    await rm(training, { recursive: true, force: true });
  }
}

/** What the product reads at runtime, by its name in `dist`. */
async function filesOf(dist: string): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>();
  for (const folder of ['chunks', 'scenarios', 'schema'])
    for (const name of await readdir(path.join(dist, folder)))
      found.set(`${folder}/${name}`, path.join(dist, folder, name));
  return Object.fromEntries(found);
}
