/**
 * Section `guard`: deletions at a steady rate with and without `serve --guard`, by turns: how long it takes to answer, what it
 * adds to a deletion, and what memory it takes more than `serve`.
 */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { Callers } from '../../cluster/serve/callers.ts';
import type { Row } from '../figures.ts';
import { residentMemory } from '../process.ts';
import { type Context, main, node, Samples } from './section.ts';
import { startServer } from './serve.ts';

const SECOND = 1_000;
const RATE = 20;
const DELETIONS = 400;
const ANSWER_MS = 50;
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const COLLECTOR = 'system:kube-controller-manager';
const CORE = '/api/v1/namespaces/default';
/** Milliseconds after which V8 has collected the garbage of an idle process; measured: 10 to 20 s. */
const COLLECTED_MS = 30_000;

export async function measureGuard(context: Context): Promise<Row[]> {
  const { rounds, say } = context;
  const samples = new Samples();
  // The first round warms the caches.
  for (let round = 0; round <= rounds; round += 1) {
    const plain = await measureOnce(context, undefined);
    const { certificate, key } = context.cluster.tls.serving;
    const guarded = await measureOnce(context, [
      '--tls-cert-file',
      certificate,
      '--tls-private-key-file',
      key,
    ]);
    const more = (100 * (guarded.memory - plain.memory)) / plain.memory;
    say(
      `guard: round ${round} of ${rounds}, ${more.toFixed(0)} % more memory, ${guarded.answers.length} answers`,
    );
    if (round === 0) continue;
    for (const took of guarded.answers) samples.add('answer', took);
    for (const took of plain.deletions) samples.add('plain', took);
    for (const took of guarded.deletions) samples.add('guarded', took);
    for (const [name, { atWork, memory }] of Object.entries({ plain, guarded })) {
      samples.add(`${name} at work`, atWork);
      samples.add(`${name} memory`, memory);
    }
  }
  const deletions = `${RATE} deletions a second`;
  const row = (what: string, unit: Row['unit'], name: string): Row => ({
    what,
    unit,
    values: samples.of(name),
  });
  return [
    {
      ...row(`${deletions}: an answer of serve --guard, p99`, 'ms', 'answer'),
      p99: true,
      reach: `${ANSWER_MS} ms`,
      limit: ANSWER_MS,
    },
    row('— an answer, median', 'ms', 'answer'),
    row('— a deletion without a guard, median', 'ms', 'plain'),
    row('— a deletion with a guard, median', 'ms', 'guarded'),
    { ...row('— a deletion without a guard, p99', 'ms', 'plain'), p99: true },
    { ...row('— a deletion with a guard, p99', 'ms', 'guarded'), p99: true },
    row('— memory of serve with garbage', 'MB', 'plain at work'),
    row('— memory of serve --guard with garbage', 'MB', 'guarded at work'),
    row('— memory of serve afterwards', 'MB', 'plain memory'),
    row('— memory of serve --guard afterwards', 'MB', 'guarded memory'),
  ];
}

interface Measured {
  readonly answers: readonly number[];
  readonly deletions: readonly number[];
  /** Megabytes after the last answer, and once garbage is collected. */
  readonly atWork: number;
  readonly memory: number;
}

/** `tls`: flags of a guard that the API server asks; undefined for `serve` alone. */
async function measureOnce(context: Context, tls: readonly string[] | undefined): Promise<Measured> {
  const { cluster, env } = context;
  const server = await startServer(env, tls === undefined ? [] : ['--guard', ...tls]);
  const callers = tls && (await Callers.before(server.url, cluster.tls.serving));
  try {
    const ready = `${server.url}/readyz`;
    while ((await promisify(execFile)('curl', ['-sk', ready])).stdout !== 'ok\n') await sleep(20);
    if (tls !== undefined && callers !== undefined) await applyWebhook(context, callers.url, tls);
    const deletions = await deleteSteadily(context);
    const answers = callers?.durations ?? [];
    const atWork = residentMemory(server.pid);
    await sleep(COLLECTED_MS);
    return { answers, deletions, atWork, memory: residentMemory(server.pid) };
  } finally {
    await cluster.api.send({ method: 'DELETE', path: `${WEBHOOKS}/gc-tree-guard` });
    await cluster.api.send({ method: 'DELETE', path: `${CORE}/secrets?labelSelector=guarded` });
    callers?.stop();
    await server.end();
  }
}

async function applyWebhook({ cluster }: Context, url: string, tls: readonly string[]): Promise<void> {
  const words = [main, 'serve', '--guard', '--print-webhook', url, ...tls];
  const { stdout } = await promisify(execFile)(node, words);
  await cluster.api.json({ method: 'POST', path: WEBHOOKS, body: parse(stdout) });
  // The API server learns of it a moment later.
  await sleep(SECOND);
}

/**
 * Deletes owners of two objects, and in dry runs Deployments of the population, by turns. Returns what each took. No
 * garbage collector runs on the cluster, so their dependents are deleted as it would delete them.
 */
async function deleteSteadily({ cluster: { api } }: Context): Promise<number[]> {
  const names = Array.from({ length: DELETIONS / 2 }, (_, index) => `guarded-${index}`);
  for (const name of names) {
    const owner = await api.json<{ readonly metadata: { readonly uid: string } }>({
      method: 'POST',
      path: `${CORE}/configmaps`,
      body: { metadata: { name } },
    });
    const { uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    for (const child of ['a', 'b'])
      await api.json({
        method: 'POST',
        path: `${CORE}/secrets`,
        body: { metadata: { name: `${name}-${child}`, labels: { guarded: 'true' }, ownerReferences } },
      });
  }
  const workloads = await api.json<{ readonly items: readonly { metadata: Record<string, string> }[] }>({
    path: `/apis/apps/v1/deployments?limit=${names.length}`,
  });
  const requests = names.flatMap((name, index) => {
    const workload = workloads.items[index % workloads.items.length]?.metadata;
    const place = `/apis/apps/v1/namespaces/${workload?.['namespace']}/deployments/${workload?.['name']}`;
    const children = ['a', 'b'].map(child => `${CORE}/secrets/${name}-${child}`);
    return [
      { path: `${CORE}/configmaps/${name}`, children },
      { path: `${place}?dryRun=All`, children: [] },
    ];
  });
  const from = performance.now();
  return Promise.all(
    requests.map(async ({ path, children }, index) => {
      await sleep(Math.max(0, (index * SECOND) / RATE - (performance.now() - from)));
      const began = performance.now();
      const { status, body } = await api.send({ method: 'DELETE', path });
      if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
      const took = performance.now() - began;
      for (const child of children) await api.send({ method: 'DELETE', path: child, as: COLLECTOR });
      return took;
    }),
  );
}
