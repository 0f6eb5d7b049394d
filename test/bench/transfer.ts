/** The bare transfer of the lists that the tool makes: `curl`, all at once, nothing decoded. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApiClient } from '../harness/api-client.ts';
import { serverAccess } from './clusters/access.ts';
import { type Command, runCommand } from './process.ts';

export interface List {
  readonly url: string;
  readonly accept: string;
}

/** Of a kind in the whole cluster; discovery and single objects have other paths. */
const LIST = /^\/(?:api|apis\/[^/]+)\/[^/]+\/[^/]+$/u;

/**
 * The lists in what the tool logs at `-v=8`. A watch that begins with a list (WatchList) counts as the list
 * that it stands for, since a bare watch has no end.
 */
export async function listsOf(command: Command): Promise<List[]> {
  const { stderr } = await runCommand(command);
  const lists: List[] = [];
  for (const line of stderr.split('\n')) {
    const match = /\bGET (\S+) 200 in \d+ ms accept=(.*)$/.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const url = new URL(match[1]);
    const watch = url.searchParams.has('watch');
    if (watch && !url.searchParams.has('sendInitialEvents')) continue;
    if (!LIST.test(url.pathname)) continue;
    url.search = watch ? '?resourceVersion=0' : url.search;
    lists.push({
      url: url.href,
      accept: match[2]
        .replace(/;stream=watch/g, '')
        .replace(/as=PartialObjectMetadata;/g, 'as=PartialObjectMetadataList;'),
    });
  }
  if (lists.length === 0) throw new Error(`no lists in the log:\n${stderr.slice(0, 2000)}`);
  return lists;
}

/** How many objects there are in these lists, each kind once. */
export async function countObjects(api: ApiClient, lists: readonly List[]): Promise<number> {
  let objects = 0;
  for (const path of new Set(lists.map(({ url }) => new URL(url).pathname))) {
    const { items, metadata } = await api.json<{
      items: readonly unknown[];
      metadata: { remainingItemCount?: number };
    }>({ path: `${path}?limit=1` });
    objects += items.length + (metadata.remainingItemCount ?? 0);
  }
  return objects;
}

/** Milliseconds for all lists in one curl process with parallel transfers. */
export async function bareTransfer(lists: readonly List[], kubeconfig: string): Promise<number> {
  const { authority, token } = await serverAccess(kubeconfig);
  const folder = await mkdtemp(path.join(tmpdir(), 'gc-tree-curl-'));
  try {
    const config = lists
      .map(({ url, accept }) =>
        [
          `url = "${url}"`,
          'output = "/dev/null"',
          'silent',
          `cacert = "${authority}"`,
          `header = "Authorization: Bearer ${token}"`,
          `header = "Accept: ${accept}"`,
        ].join('\n'),
      )
      .join('\nnext\n');
    const file = path.join(folder, 'curl.conf');
    await writeFile(file, config, { mode: 0o600 });
    const run = await runCommand({
      file: 'curl',
      args: ['--parallel', '--parallel-immediate', '--config', file],
    });
    return run.wall;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
