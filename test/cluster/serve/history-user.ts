/** Asks a `serve --history` about deletions like a user, over crashes, and notes what it told and how long it took. */
import { readFile } from 'node:fs/promises';
import type { ActivityItem, ActivityList } from '../../../src/cli/documents/definitions.ts';
import { ApiClient } from '../../harness/api-client.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { World } from '../../soak/world.ts';
import { eventually } from '../eventually.ts';
import { type RunningTool, startTool } from '../tool.ts';

interface Told {
  readonly item: ActivityItem;
  /** Moment of the first answer that had it, as `Date.now()`. */
  readonly heard: number;
}

export class HistoryUser {
  /** Deletions by uid. */
  readonly told = new Map<string, Told>();
  /** Milliseconds that each answer took. */
  readonly answers: number[] = [];
  readonly #cluster: Cluster;
  readonly #kubeconfig: string;
  readonly #words: readonly string[];
  #serving: RunningTool | undefined;
  #client: ApiClient | undefined;

  constructor(cluster: Cluster, kubeconfig: string, words: readonly string[]) {
    this.#cluster = cluster;
    this.#kubeconfig = kubeconfig;
    this.#words = words;
  }

  /** Resolves once it is ready. */
  async start(): Promise<void> {
    const { ca, serving } = this.#cluster.tls;
    const tls = ['--tls-cert-file', serving.certificate, '--tls-private-key-file', serving.key];
    const tool = startTool(['serve', '--port=0', ...tls, ...this.#words], {
      kubeconfig: this.#kubeconfig,
      timeout: 2 ** 31 - 1,
    });
    this.#serving = tool;
    const server = await eventually(() => {
      const [, address] = /Serving on (\S+),/u.exec(tool.stderr()) ?? [];
      if (address === undefined) throw new Error(tool.stderr());
      return address;
    });
    const [, token] = /token: (\S+)/u.exec(await readFile(this.#kubeconfig, 'utf8')) ?? [];
    this.#client = new ApiClient({ server, ca: await readFile(ca, 'utf8'), token });
    await eventually(() => this.get('/readyz'));
  }

  async kill(): Promise<void> {
    this.#serving?.child.kill('SIGKILL');
    await this.#serving?.exit;
    this.#client?.close();
  }

  async get(at: string): Promise<string> {
    const { status, body } = (await this.#client?.send({ path: at })) ?? { status: 0, body: '' };
    if (status !== 200) throw new Error(`${at}: ${status} ${body}`);
    return body;
  }

  /** Returns the deletions of a namespace, and the moment since which they are complete. */
  async deletions(namespace: string, more = ''): Promise<{ since: string; items: readonly ActivityItem[] }> {
    const { since, omitted, items } = await this.#ask(`history?namespace=${namespace}${more}`);
    return { since: omitted === 0 ? since : (items[0]?.at ?? since), items: items.filter(isDeletion) };
  }

  /** Returns the uids of deleted objects that `why` reports. */
  async why({ kind, namespace, name }: ActivityItem['object']): Promise<readonly (string | undefined)[]> {
    const target = `${kind.toLowerCase()}/${name}`;
    const { items } = await this.#ask(`why?namespace=${namespace}&target=${target}`);
    return items.filter(isDeletion).map(({ object }) => object.uid);
  }

  /** Returns deletions that were told before a moment and no longer are, and how many had to be. */
  async lost(before: number): Promise<{ readonly lost: readonly string[]; readonly compared: number }> {
    const told = [...this.told.values()].filter(({ heard }) => heard < before).map(({ item }) => item);
    const lost: string[] = [];
    let compared = 0;
    for (const namespace of World.namespaces()) {
      const { since, items } = await this.deletions(namespace);
      const known = new Set(items.map(keyOf));
      const due = told.filter(({ at, object }) => object.namespace === namespace && at > since);
      compared += due.length;
      lost.push(...due.map(keyOf).filter(key => !known.has(key)));
    }
    return { lost, compared };
  }

  /** Returns the MB of memory that serve occupies. */
  async memory(): Promise<number> {
    const status = await readFile(`/proc/${this.#serving?.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1]) / 1024;
  }

  async #ask(question: string): Promise<ActivityList> {
    const began = performance.now();
    const body = await this.get(`/v1alpha1/${question}`);
    this.answers.push(performance.now() - began);
    const list = JSON.parse(body) as ActivityList;
    for (const item of list.items.filter(isDeletion)) {
      const { uid = '' } = item.object;
      if (!this.told.has(uid)) this.told.set(uid, { item, heard: Date.now() });
    }
    return list;
  }
}

function isDeletion({ what }: ActivityItem): boolean {
  return what === 'Deleted' || what === 'Collected';
}

function keyOf({ what, at, object }: ActivityItem): string {
  return `${at} ${what} ${object.kind} ${object.uid}`;
}
