/**
 * `node scripts/upstream-register.ts FOLDER...`: lists the finalizers that Go sources of Kubernetes name and where controllers
 * delete objects, so that the lists of two releases can be compared. FOLDER is an unpacked `k8s.io/kubernetes` or staging
 * module, such as `$(go env GOMODCACHE)/k8s.io/kubernetes@v1.36.3/pkg/controller`.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** A constant, or a string that has the form of a finalizer. */
const finalizer = /^\s*(?:const\s+)?(\w*Finalizer\w*)\s*(?:[\w.]+\s*)?=\s*(?:\w+\s*\+\s*)?"([a-z][^"]+)"/gmu;
/** `client.CoreV1().Pods(namespace).Delete(ctx, …)`, `csrClient.Delete(ctx, …)`, `podControl.DeletePod(…)`. */
const deletion =
  /\b(\w+)(?:\([^()\n]*\))?\.(Delete|DeleteCollection|Evict|DeletePod|DeleteStatefulPod)\(\s*(?:ctx|context)\b/gu;

const folders = process.argv.slice(2);
if (folders.length === 0) {
  process.stderr.write('usage: node scripts/upstream-register.ts FOLDER...\n');
  process.exit(2);
}

const lines = new Set<string>();
for (const folder of folders)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.go') || /_test\.go$|^zz_generated/u.test(entry.name))
      continue;
    const file = path.join(entry.parentPath, entry.name);
    const source = await readFile(file, 'utf8');
    // Without the folder, so that the lists of two releases line up.
    const place = path.relative(folder, file);
    for (const [, name, value] of source.matchAll(finalizer))
      lines.add(`finalizer ${value} ${place} (${name})`);
    for (const [, resource, verb] of source.matchAll(deletion))
      lines.add(`delete ${resource}.${verb} ${place}`);
  }
process.stdout.write(
  [...lines]
    .sort()
    .map(line => `${line}\n`)
    .join(''),
);
