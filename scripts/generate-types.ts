/**
 * Writes version and table of src/source/built-in-types.ts: the types that a Kubernetes API server serves by itself,
 * read from the discovery of the pinned one. Usage, against a fresh server without CRDs:
 *   kubectl proxy --port=8001 & node scripts/generate-types.ts http://127.0.0.1:8001
 */
import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

interface Resource {
  readonly resource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

interface Group {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources?: readonly Resource[] }[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

async function groups(server: string, path: string): Promise<readonly Group[]> {
  const response = await fetch(server + path, { headers: { accept: aggregated } });
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status}`);
  const body = (await response.json()) as { items?: readonly Group[] };
  return body.items ?? [];
}

function rows(group: Group): string[] {
  const name = group.metadata.name ?? '';
  const seen = new Set<string>();
  return group.versions.flatMap(({ version, resources = [] }) =>
    resources.map(each => {
      // Versions come most preferred first; a resource's first version is the preferred one.
      const preferred = !seen.has(each.resource);
      seen.add(each.resource);
      const columns = [
        name,
        version,
        each.responseKind?.kind ?? '',
        each.resource,
        each.singularResource,
        (each.shortNames ?? []).join(','),
        (each.categories ?? []).join(','),
        each.scope === 'Namespaced' ? 'n' : 'c',
        each.verbs.join(','),
        preferred ? 'preferred' : '',
      ];
      return columns.join('|');
    }),
  );
}

const { positionals } = parseArgs({ allowPositionals: true });
const server = positionals[0];
if (server === undefined) throw new Error('usage: generate-types.ts URL, such as that of kubectl proxy');
const version = (await (await fetch(`${server}/version`)).json()) as { gitVersion: string };
const all = [...(await groups(server, '/api')), ...(await groups(server, '/apis'))].flatMap(rows);

const file = new URL('../src/source/built-in-types.ts', import.meta.url);
const source = await readFile(file, 'utf8');
await writeFile(
  file,
  source
    .replace(/(?<=const table = `\n)[^`]*/u, () => `${all.join('\n')}\n`)
    .replace(/(?<=builtInVersion = )'[^']*'/u, () => `'${version.gitVersion}'`),
);
