/** What tests of the connection do most: make a transport from a kubeconfig and read an answer whole. */

import { createTransport, type TransportOptions } from '../../src/kube/auth/http-transport.ts';
import { resolveConnection } from '../../src/kube/config/resolve-connection.ts';
import type { Timing } from '../../src/kube/transport/timing.ts';
import type { Transport, WireRequest } from '../../src/kube/transport/transport.ts';
import { withRetries } from '../../src/kube/transport/with-retries.ts';
import type { ConnectionFlags } from '../../src/source/connection-flags.ts';
import { fixture, kubeconfig, temporaryFolder, write } from './kubeconfig-files.ts';
import { cleanUp } from './local-server.ts';

export interface ConnectOptions extends TransportOptions {
  /** YAML in flow style, without braces, after `server`; trusts the test CA unless told. */
  readonly cluster?: string;
  readonly user?: string;
  readonly flags?: ConnectionFlags;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where to write the kubeconfig, for tests that change it. */
  readonly folder?: string;
  /** Of pauses and deadlines. */
  readonly timing?: Timing;
}

/** A transport to `server`, closed after the test. */
export function connectTo(server: string, options: ConnectOptions = {}): Transport {
  const {
    cluster = `certificate-authority: ${fixture('ca.crt')}`,
    user,
    flags,
    env = {},
    folder,
    timing,
    ...rest
  } = options;
  const text = kubeconfig(`{server: "${server}"${cluster === '' ? '' : `, ${cluster}`}}`, user);
  const file = write(folder ?? temporaryFolder(), 'config', text);
  const connection = resolveConnection({ kubeconfig: file, ...flags }, env);
  const { requestTimeoutMs } = connection;
  const transport = withRetries(createTransport(connection, rest), {
    requestTimeoutMs,
    ...(timing !== undefined && { timing }),
  });
  cleanUp(() => transport.close());
  return transport;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export async function get(
  transport: Transport,
  path = '/',
  request: Partial<WireRequest> = {},
): Promise<Answer> {
  const { status, headers, body } = await transport.request({ method: 'GET', path, ...request });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return { status, headers, text: Buffer.concat(chunks).toString() };
}

/** The message of the error that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it did not fail');
}
