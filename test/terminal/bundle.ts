/** Bundles the screen's test program as the product is bundled, into a folder of its own. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface Bundle {
  readonly file: string;
  remove(): Promise<void>;
}

/** Another program than the screen's own can be named by its path in the repository. */
export async function bundleScreen(entry = 'test/terminal/fixture/screen.ts'): Promise<Bundle> {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-screen-'));
  await build({
    absWorkingDir: root,
    entryPoints: { screen: entry },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    jsx: 'automatic',
    loader: { '.yaml': 'text' },
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"', __VERSION__: '"test"' },
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    plugins: [
      {
        name: 'without-devtools',
        setup(pluginBuild) {
          pluginBuild.onResolve({ filter: /^react-devtools-core$/ }, () => ({
            path: 'none',
            namespace: 'empty',
          }));
          pluginBuild.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {}' }));
        },
      },
    ],
    logLevel: 'warning',
  });
  const scenarios = path.join(root, 'src/source/demo/scenarios');
  await cp(scenarios, path.join(folder, 'scenarios'), { recursive: true });
  return {
    file: path.join(folder, 'screen.mjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
