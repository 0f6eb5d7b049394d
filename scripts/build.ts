/**
 * Bundles the product into `dist/`: ES modules split at every dynamic import, so that `--version`, the first
 * frame and the cluster client each load only what they need.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Ink only wants the React developer tools when DEV is set; the package is not installed. */
const withoutDevtools: Plugin = {
  name: 'without-devtools',
  setup(pluginBuild) {
    pluginBuild.onResolve({ filter: /^react-devtools-core$/ }, () => ({
      path: 'react-devtools-core',
      namespace: 'empty',
    }));
    pluginBuild.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {}' }));
  },
};

/**
 * Yoga carries its WebAssembly in itself, yet asks for `fetch` while it loads. In Node that alone loads the
 * HTTP client with TLS and cryptography: a quarter of the time to the first frame.
 */
const yogaWithoutFetch: Plugin = {
  name: 'yoga-without-fetch',
  setup(pluginBuild) {
    pluginBuild.onLoad({ filter: /yoga-layout\/dist\/binaries\/.*\.js$/ }, async ({ path: file }) => {
      const contents = await readFile(file, 'utf8');
      const without = contents.replace(/typeof fetch\b/g, '"undefined"');
      if (without === contents) throw new Error(`${file} no longer asks for fetch: drop this plugin`);
      return { contents: without, loader: 'js' };
    });
  },
};

/**
 * The client packages declare no `sideEffects`, so the bundler would keep all of their generated API
 * classes. None of them does anything at import: marked pure, only what is used stays.
 */
const pureClient: Plugin = {
  name: 'pure-client',
  setup(pluginBuild) {
    pluginBuild.onResolve({ filter: /^@kubernetes\/client-node$/ }, async args => {
      if (args.pluginData === 'resolved') return undefined;
      const found = await pluginBuild.resolve(args.path, {
        kind: args.kind,
        importer: args.importer,
        resolveDir: args.resolveDir,
        pluginData: 'resolved',
      });
      return { ...found, sideEffects: false };
    });
    pluginBuild.onResolve({ filter: /^\./ }, async args => {
      if (args.pluginData === 'resolved' || !args.importer.includes('/@kubernetes/client-node/'))
        return undefined;
      const found = await pluginBuild.resolve(args.path, {
        kind: args.kind,
        importer: args.importer,
        resolveDir: args.resolveDir,
        pluginData: 'resolved',
      });
      return { ...found, sideEffects: false };
    });
  },
};

const target = path.join(root, 'dist');
// Put in place at the end, so that what runs meanwhile finds the old build or the new one.
const outdir = path.join(root, 'dist.new');
const packageJson = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
  version: string;
};

await rm(outdir, { recursive: true, force: true });
const result = await build({
  absWorkingDir: root,
  entryPoints: { main: 'src/main.ts', complete: 'src/complete.ts' },
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  jsx: 'automatic',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  chunkNames: 'chunks/[name]-[hash]',
  loader: { '.yaml': 'text' },
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
    __VERSION__: JSON.stringify(packageJson.version),
  },
  plugins: [withoutDevtools, yogaWithoutFetch, pureClient],
  logLevel: 'warning',
});
for (const file of Object.keys(result.metafile.outputs)) await provideRequire(path.join(root, file));
// Loaded before compiled code is kept, so it is one small file that shares nothing.
await build({
  absWorkingDir: root,
  entryPoints: ['src/compile-cache.ts'],
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  minify: true,
  // Another build has another cache.
  define: { __BUILD__: JSON.stringify(`${packageJson.version}-${digest(result.metafile)}`) },
  logLevel: 'warning',
});
await mkdir(outdir, { recursive: true });
await cp(path.join(root, 'src/documents/schema'), path.join(outdir, 'schema'), { recursive: true });
// Read at runtime beside the folder of chunks (src/source/demo/scenarios.ts).
await cp(path.join(root, 'src/source/demo/scenarios'), path.join(outdir, 'scenarios'), { recursive: true });
await writeFile(path.join(outdir, 'THIRD-PARTY-LICENSES.txt'), await licenses(result.metafile));
await rm(target, { recursive: true, force: true });
await rename(outdir, target);
if (process.env['BUILD_META']) await writeFile(process.env['BUILD_META'], JSON.stringify(result.metafile));

/** CommonJS packages want `require`. Making one takes time, in each file that is loaded: only those that ask get it. */
async function provideRequire(file: string): Promise<void> {
  const contents = await readFile(file, 'utf8');
  if (!/\brequire\b/u.test(contents)) return;
  const made =
    "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);";
  await writeFile(file, `${made}\n${contents}`);
}

/** The names of files have their contents' digest in them, apart from those of entry points. */
function digest({ outputs }: Metafile): string {
  const sizes = Object.entries(outputs).map(([file, { bytes }]) => `${file} ${bytes}`);
  return createHash('sha256').update(sizes.sort().join('\n')).digest('hex').slice(0, 12);
}

/** The licence texts of every package of which code is in the bundle. */
async function licenses(metafile: Metafile): Promise<string> {
  const folders = new Set<string>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (bytesInOutput > 0 && match?.[1] !== undefined) folders.add(match[1]);
    }
  }
  const parts: string[] = [];
  for (const folder of [...folders].sort()) {
    const meta = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license?: string;
    };
    let text = `Licence: ${meta.license ?? 'see the package'}`;
    for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENSE-MIT', 'license.md']) {
      const file = await readFile(path.join(root, folder, name), 'utf8').catch(() => undefined);
      if (file !== undefined) {
        text = file.trim();
        break;
      }
    }
    parts.push(`${meta.name} ${meta.version}\n\n${text}\n`);
  }
  return parts.join(`\n${'-'.repeat(72)}\n\n`);
}
