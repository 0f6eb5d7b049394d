/**
 * `node scripts/upstream-register.ts FOLDER...`: lists the finalizers that Go sources of Kubernetes name and where controllers
 * delete objects, so that the lists of two releases can be compared. FOLDER is an unpacked `k8s.io/kubernetes` or staging
 * module, such as `$(go env GOMODCACHE)/k8s.io/kubernetes@v1.36.3/pkg/controller`.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** `Finalizer = GroupName + "/protection"`, with or without a type. */
const finalizer =
  /^\s*(?:const\s+|var\s+)?(\w*Finalizer\w*)(?:\s+[\w.]+)?\s*=\s*((?:"[^"]*"|[\w.]+)(?:\s*\+\s*(?:"[^"]*"|[\w.]+))*)[ \t]*(?:\/\/.*)?$/gmu;
const stringConstant = /^\s*(?:const\s+)?(\w+)(?:\s+\w+)?\s*=\s*"([^"]*)"/gmu;
/** `client.CoreV1().Pods(namespace).Delete(ctx, …)`, `csrClient.Delete(ctx, …)`, `podControl.DeletePod(…)`. */
const deletion =
  /\b(\w+)(?:\((?:[^()\n]|\([^()\n]*\))*\))?\.(Delete|DeleteCollection|Evict|DeletePod|DeleteStatefulPod)\(\s*(?:ctx|context)\b/gu;

interface GoFile {
  /** Without the folder that was given, so that the lists of two releases line up. */
  readonly place: string;
  readonly source: string;
}

async function goFilesIn(folder: string): Promise<GoFile[]> {
  const files: GoFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.go') || /_test\.go$|^zz_generated/u.test(entry.name))
      continue;
    const file = path.join(entry.parentPath, entry.name);
    files.push({ place: path.relative(folder, file), source: await readFile(file, 'utf8') });
  }
  return files;
}

/** Joins the parts of a constant, unknown ones as `<name>`. Returns undefined if the value can't be a finalizer. */
function valueOf(parts: string, constants: ReadonlyMap<string, string>): string | undefined {
  const words = parts.split('+').map(part => part.trim());
  if (!words.some(word => word.startsWith('"'))) return undefined;
  const value = words
    .map(word => (word.startsWith('"') ? word.slice(1, -1) : (constants.get(word) ?? `<${word}>`)))
    .join('');
  return /^[a-z<][^\s]*$/u.test(value) ? value : undefined;
}

/** Lists `finalizer VALUE FILE (CONSTANT)` and `delete RESOURCE.VERB FILE`, sorted. */
export async function upstreamRegister(folders: readonly string[]): Promise<string[]> {
  const lines = new Set<string>();
  for (const folder of folders) {
    const packages = Map.groupBy(await goFilesIn(folder), ({ place }) => path.dirname(place));
    for (const files of packages.values()) {
      const constants = new Map<string, string>();
      for (const { source } of files)
        for (const [, name = '', value = ''] of source.matchAll(stringConstant)) constants.set(name, value);
      for (const { place, source } of files) {
        for (const [, name, parts = ''] of source.matchAll(finalizer)) {
          const value = valueOf(parts, constants);
          if (value !== undefined) lines.add(`finalizer ${value} ${place} (${name})`);
        }
        for (const [, resource, verb] of source.matchAll(deletion))
          lines.add(`delete ${resource}.${verb} ${place}`);
      }
    }
  }
  return [...lines].sort();
}

if (import.meta.main) {
  const folders = process.argv.slice(2);
  if (folders.length === 0) {
    process.stderr.write('usage: node scripts/upstream-register.ts FOLDER...\n');
    process.exit(2);
  }
  process.stdout.write((await upstreamRegister(folders)).map(line => `${line}\n`).join(''));
}
