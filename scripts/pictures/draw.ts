/** `npm run pictures`: draws `docs/pictures` anew, from the screen as it is now. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../loading/bundle.ts';
import { pictures } from './scenes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-draw-'));
try {
  await bundle(root, folder, { main: 'src/main.ts' });
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await cp(path.join(root, 'src/source/demo/scenarios'), path.join(folder, 'scenarios'), { recursive: true });
  const forty = 'forty-stuck.yaml';
  await cp(path.join(root, 'test/terminal/fixture', forty), path.join(folder, 'scenarios', forty));
  for (const [name, svg] of await pictures(path.join(folder, 'main.js'))) {
    await writeFile(path.join(root, 'docs/pictures', name), svg);
    process.stdout.write(`docs/pictures/${name}  ${Math.ceil(svg.length / 1024)} KiB\n`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
