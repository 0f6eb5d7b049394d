/**
 * Ports on the loopback interface for programs that are listed theirs, and that keep them when they are killed and
 * started again. They lie below those that a system gives to outgoing connections, of which some thousand come and go
 * on a machine of control planes, and each process has its own, so that nobody takes one before it is listened on.
 */
import { createServer, type Server } from 'node:net';

/** Linux gives out ports from 32768 on, others from 49152 on. */
const FIRST = 20_000;
const BLOCK = 20;
const BLOCKS = 500;

/** Free ports of blocks that are this process's as long as it lives, because it listens on the first of each. */
const own: number[] = [];
const holders: Server[] = [];

/** `count` distinct ports; none is given out twice by a process, nor to two of them at a time. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = own.shift();
    if (port === undefined) await claim();
    else if (await isFree(port)) ports.push(port);
  }
  return ports;
}

/** Takes hold of a block that is nobody's; begins anywhere, so that processes seldom try the same. */
async function claim(): Promise<void> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let step = 0; step < BLOCKS; step += 1) {
    const first = FIRST + ((start + step) % BLOCKS) * BLOCK;
    const holder = await listen(first);
    if (holder === undefined) continue;
    holder.unref();
    holders.push(holder);
    own.push(...Array.from({ length: BLOCK - 1 }, (_, index) => first + 1 + index));
    return;
  }
  throw new Error(`no ports are free between ${FIRST} and ${FIRST + BLOCK * BLOCKS}`);
}

async function isFree(port: number): Promise<boolean> {
  const server = await listen(port);
  if (server === undefined) return false;
  await new Promise(resolve => server.close(resolve));
  return true;
}

/** Undefined where somebody else listens on it. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined);
      else reject(error);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

export function portOf(server: { address(): ReturnType<Server['address']> }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
