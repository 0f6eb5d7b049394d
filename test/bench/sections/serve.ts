/**
 * Section `serve`: what the server takes of memory and of the API server, from its start to the first sync, while nothing
 * happens, and for scrapes and documents.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { Row } from '../figures.ts';
import { processorTime, residentMemory } from '../process.ts';
import { type Context, main, node, Samples, TARGET } from './section.ts';

const IDLE_SECONDS = 30;
const SCRAPES = 10;

const pause = (milliseconds: number): Promise<void> =>
  new Promise(resolve => setTimeout(resolve, milliseconds));

export async function measureServe({ env, kubeconfig, rounds, say }: Context): Promise<Row[]> {
  const config = parse(await readFile(kubeconfig, 'utf8')) as { users: [{ user: { token?: string } }] };
  const headers = { authorization: `Bearer ${config.users[0].user.token ?? ''}` };
  const samples = new Samples();
  // One round warms the API server's caches and the compile cache.
  for (let round = 0; round <= rounds; round++) {
    const took: Record<string, number> = {};
    const server = await startServer(env);
    const { pid, url } = server;
    const ask = async (path: string): Promise<number> => {
      const from = performance.now();
      const response = await fetch(`${url}${path}`, { headers });
      const { length } = await response.text();
      if (response.status !== 200 || length === 0) throw new Error(`${path} was answered ${response.status}`);
      return performance.now() - from;
    };
    try {
      while ((await fetch(`${url}/readyz`)).status !== 200) await pause(20);
      took['ready'] = performance.now() - server.from;
      took['requests'] = server.requests();
      took['memory'] = residentMemory(pid);
      // What was read is settled, and collected, before nothing happens.
      await pause(5_000);
      const [before, asked, since] = [processorTime(pid), server.requests(), performance.now()];
      await pause(IDLE_SECONDS * 1_000);
      took['idle'] = (100 * (processorTime(pid) - before)) / (performance.now() - since);
      took['idleRequests'] = ((server.requests() - asked) * 60) / IDLE_SECONDS;
      for (let scrape = 0; scrape < SCRAPES; scrape++) took['scrape'] = await ask('/metrics');
      const { namespace, name } = TARGET;
      took['namespace'] = await ask(`/v1alpha1/check?namespace=${namespace}`);
      took['why'] = await ask(`/v1alpha1/why?namespace=${namespace}&target=sts/${name}`);
      took['everything'] = await ask('/v1alpha1/check?all-namespaces=true&effects=false');
      took['memoryAfter'] = residentMemory(pid);
    } finally {
      await server.end();
    }
    if (round > 0) for (const [what, value] of Object.entries(took)) samples.add(what, value);
    say(`serve: round ${round} of ${rounds}, ${Math.round(took['memory'] ?? 0)} MB`);
  }
  const row = (what: string, unit: Row['unit'], values: string): Row => ({
    what: `serve: ${what}`,
    unit,
    values: samples.of(values),
  });
  return [
    row('process start → ready', 'ms', 'ready'),
    row('requests to the API server until then', 'requests', 'requests'),
    row('memory when it is ready', 'MB', 'memory'),
    row('memory after scrapes and documents', 'MB', 'memoryAfter'),
    row(`processor time while nothing happens, ${IDLE_SECONDS} s`, '% of a core', 'idle'),
    row('requests to the API server in a minute of that', 'requests', 'idleRequests'),
    row('a scrape', 'ms', 'scrape'),
    row('check of a namespace, for a caller who may list everything', 'ms', 'namespace'),
    row('why of a StatefulSet, for the same', 'ms', 'why'),
    row('check of everything, for the same', 'ms', 'everything'),
  ];
}

export interface MeasuredServer {
  readonly pid: number;
  readonly url: string;
  /** When it was started, as `performance.now()` has it. */
  readonly from: number;
  /** That were answered or failed so far. */
  requests(): number;
  end(): Promise<void>;
}

/** The product as it is built, on a free port; resolves when it listens. */
export async function startServer(
  env: NodeJS.ProcessEnv,
  words: readonly string[] = [],
): Promise<MeasuredServer> {
  const from = performance.now();
  const child = spawn(node, [main, 'serve', '--port=0', '-v=6', ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    const [, address] = /Serving on (\S+),/u.exec(said) ?? [];
    if (address !== undefined) resolve(address);
  });
  void ended.then(() => reject(new Error(said)));
  return {
    pid: child.pid ?? 0,
    url: await url,
    from,
    requests: () => said.match(/^(?:GET|POST) .* (?:in|after) \d+ ms/gmu)?.length ?? 0,
    end: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
