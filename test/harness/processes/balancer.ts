/**
 * Before several API servers, as a load balancer on layer 4 in front of a highly available control plane: each connection
 * goes to the next of them, with TLS from end to end.
 */
import { connect, createServer, type Socket } from 'node:net';
import { freePorts } from './ports.ts';

export interface Balancer {
  /** `https://127.0.0.1:port` */
  readonly server: string;
  /** Breaks all connections; the next ones are served. */
  cut(): void;
  /** Breaks all connections and takes no more. */
  stop(): void;
}

/** The servers by their ports on the loopback interface. */
export async function startBalancer(servers: readonly number[]): Promise<Balancer> {
  const [port = 0] = await freePorts(1);
  const open = new Set<Socket>();
  let turn = 0;
  const listener = createServer(incoming => {
    const outgoing = connect(servers[turn++ % servers.length] ?? 0, '127.0.0.1');
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>(resolve => {
    listener.listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
  });
  listener.unref();
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  return {
    server: `https://127.0.0.1:${port}`,
    cut,
    stop: () => {
      listener.close();
      cut();
    },
  };
}
