/** `server.ts` as a process of its own, so that what it costs is not the bench's. It ends with its standard input. */
import type { FaultProxyOptions } from '../../harness/fault-proxy.ts';
import type { Copies } from './list.ts';
import { serveMultiplied } from './server.ts';

/** What it is given as its only argument, as JSON. */
export interface ServeOptions {
  readonly proxy: FaultProxyOptions;
  readonly copies: Copies;
}

const { proxy, copies } = JSON.parse(process.argv[2] ?? '') as ServeOptions;
process.stdout.write(`${await serveMultiplied(proxy, copies)}\n`);
process.stdin.resume().once('end', () => process.exit());
