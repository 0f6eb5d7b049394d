/**
 * Looks after HTTP/2 connections. All watches share one or two of them, so a watch that is opened again would be put on
 * the same connection that died without a word; client-go pings for this reason too. And where the server wants no more
 * on a connection (GOAWAY), what it refused has to go out on another one.
 */
import type { EventEmitter } from 'node:events';
import { Client, type Dispatcher, Pool } from 'undici';

/** Answers that may be missing in a row, as pings go out every `pingInterval`. */
const missedPings = 3;

/**
 * A `factory` for undici's agents whose clients count the answers to their own pings; `onDead` is called once
 * for each connection that has answered before and then missed three. HTTP/1.1 connections never ping, and
 * carry one watch each, which has its own watchdog.
 */
export function pooledWithHealth(
  pingIntervalMs: number,
  onDead: () => void,
): (origin: string | URL, options: object) => Dispatcher {
  return (origin, options) =>
    new Pool(origin, {
      ...options,
      factory: (clientOrigin, clientOptions) => {
        const client = new Client(clientOrigin, clientOptions);
        watchPings(client, pingIntervalMs, onDead);
        goOnAfterGoAway(client);
        return client;
      },
    });
}

// Counts missed answers instead of comparing clocks: after a laptop's sleep, minutes are gone but not a ping.
function watchPings(client: Client, pingIntervalMs: number, onDead: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  let missed = 0;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };
  // The event isn't among undici's types.
  (client as EventEmitter).on('ping', () => {
    missed = 0;
    timer ??= setInterval(() => {
      if (++missed <= missedPings) return;
      stop();
      onDead();
    }, pingIntervalMs).unref();
  });
  client.on('disconnect', stop);
}

/**
 * undici (8.12) sends again what a GOAWAY refused, but not as long as anything else runs on the old connection, and there
 * the watches go on for minutes: until it is connected anew, it allows itself no more requests than one of HTTP/1.1.
 */
function goOnAfterGoAway(client: Client): void {
  client.on('disconnect', (_origin, _targets, error) => {
    if (error.message.includes('"GOAWAY" frame received')) client.pipelining = 1_000;
  });
  client.on('connect', () => {
    client.pipelining = 1;
  });
}
