/**
 * Section `events`: 2,000 watch events a second on the screen that shows the whole cluster. They are put into the watch
 * of pods by a proxy, since no API server on the same cores writes as many.
 */

import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { watchFrame } from '../../harness/watch-error.ts';
import { replaced } from '../../soak/protobuf.ts';
import { serverAccess } from '../clusters/access.ts';
import type { Row } from '../figures.ts';
import { JUDGED, jumpToPod } from './screen.ts';
import { type Context, openScreen, Samples, TARGET } from './section.ts';

const RATE = 2_000;
const TICK_MS = 10;
const SECONDS = 15;
const MOST_CORE_PERCENT = 100;
const LATENCY_MS = 40;
const BEHIND_MS = 1_000;
const WATCHES = /^GET \/api\/v1\/pods\?.*\bwatch=/;

// Fields of the messages below (k8s.io/api/core/v1/generated.proto, apimachinery's runtime and meta, v0.36).
const UNKNOWN_RAW = 2;
const POD_METADATA = 1;
const POD_STATUS = 3;
const STATUS_PHASE = 1;
const METADATA_RESOURCE_VERSION = 6;

export async function measureEvents(context: Context): Promise<Row[]> {
  const { cluster, rounds, say } = context;
  const proxy = await startFaultProxy({
    upstream: cluster.server,
    upstreamCa: cluster.tls.ca,
    certificate: cluster.tls.serving,
  });
  const env = { ...context.env, KUBECONFIG: await cluster.kubeconfig(undefined, proxy.url) };
  const screen = openScreen({ ...context, env }, ['-A']);
  try {
    await screen.until(JUDGED);
    const pods = await storedPods(context);
    // So that the objects that change are on the screen.
    await jumpToPod(screen);
    const samples = new Samples();
    let version = 10_000_000_000;
    let phase = 'Pending';
    for (let round = 0; round <= rounds; round++) {
      let sent = 0;
      const from = performance.now();
      const before = screen.processorTime();
      const flow = (async () => {
        while (performance.now() - from < SECONDS * 1000) {
          const due = Math.floor(((performance.now() - from) / 1000) * RATE);
          const frames: Uint8Array[] = [];
          for (; sent < due; sent++) {
            if (sent % pods.length === 0) phase = phase === 'Running' ? 'Pending' : 'Running';
            version++;
            frames.push(watchFrame('MODIFIED', changed(pods[sent % pods.length] as Buffer, version, phase)));
          }
          send(proxy, frames);
          await sleep(TICK_MS);
        }
        // The very last one, behind all others.
        const last = pods.map(pod => {
          version++;
          return watchFrame('MODIFIED', changed(pod, version, 'Failed'));
        });
        send(proxy, last);
        return screen.until(new RegExp(`Pod ${TARGET.name}-0 +Failed`), performance.now());
      })();
      const keys: number[] = [];
      const typing = (async () => {
        for (let key = 0; performance.now() - from < (SECONDS - 1) * 1000; key++) {
          keys.push((await screen.move(key % 2 === 0 ? 'j' : 'k')).took);
          await sleep(150);
        }
      })();
      const [behind] = await Promise.all([flow, typing]);
      const core = (100 * (screen.processorTime() - before)) / (performance.now() - from);
      if (sent < RATE * SECONDS * 0.95) throw new Error(`only ${sent} events were sent`);
      if (round > 0) {
        samples.add('core', core);
        samples.add('behind', behind);
        for (const key of keys) samples.add('key', key);
        samples.add('memory', screen.memory());
      }
      say(`events: ${sent} events, ${core.toFixed(0)} % of a core, ${keys.length} keys`);
    }
    return [
      {
        what: `${RATE.toLocaleString('en')} watch events a second: processor time of the screen`,
        unit: '% of a core',
        values: samples.of('core'),
        reach: 'one core',
        limit: MOST_CORE_PERCENT,
      },
      {
        what: '— the last of 30,000 events → it is on the screen',
        unit: 'ms',
        values: samples.of('behind'),
        reach: `${BEHIND_MS} ms`,
        limit: BEHIND_MS,
      },
      { what: '— a key meanwhile → the cursor has moved, p50', unit: 'ms', values: samples.of('key') },
      {
        what: '— a key meanwhile → the cursor has moved, p99',
        unit: 'ms',
        values: samples.of('key'),
        p99: true,
        reach: `${LATENCY_MS} ms`,
        limit: LATENCY_MS,
      },
      { what: '— resident memory', unit: 'MB', values: samples.of('memory') },
    ];
  } finally {
    await screen.close();
    await proxy.stop();
  }
}

function send(proxy: FaultProxy, frames: readonly Uint8Array[]): void {
  const watches = proxy.exchanges(WATCHES).filter(({ isProtobuf }) => isProtobuf === true);
  if (watches.length === 0) throw new Error('nobody watches the pods in protobuf');
  for (const watch of watches) watch.sendEvents(Buffer.concat(frames));
}

/** Pods as the API server sends them in protobuf, with uid and all. */
async function storedPods({ kubeconfig }: Context): Promise<readonly Buffer[]> {
  const { server, authority, token } = await serverAccess(kubeconfig);
  const read = (pod: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const options = {
        ca: readFileSync(authority),
        headers: {
          accept: 'application/vnd.kubernetes.protobuf',
          authorization: `Bearer ${token}`,
        },
      };
      get(`${server}/api/v1/namespaces/${TARGET.namespace}/pods/${pod}`, options, answer => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          answer.statusCode === 200 ? resolve(Buffer.concat(parts)) : reject(new Error(`no pod ${pod}`)),
        );
      }).on('error', reject);
    });
  return Promise.all([0, 1, 2, 3, 4].map(ordinal => read(`${TARGET.name}-${ordinal}`)));
}

/** The pod with another resourceVersion and phase. */
function changed(pod: Buffer, version: number, phase: string): Buffer {
  const unknown = replaced(pod.subarray(4), UNKNOWN_RAW, raw =>
    replaced(
      replaced(raw, POD_METADATA, metadata =>
        replaced(metadata, METADATA_RESOURCE_VERSION, () => Buffer.from(String(version))),
      ),
      POD_STATUS,
      status => replaced(status, STATUS_PHASE, () => Buffer.from(phase)),
    ),
  );
  return Buffer.concat([pod.subarray(0, 4), unknown]);
}
