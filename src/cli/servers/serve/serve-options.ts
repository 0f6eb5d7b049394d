/** Options of `serve`, validated before anything is opened. */
import { isIP } from 'node:net';
import { parseDuration } from '../../runtime/duration.ts';
import { UsageError, wholeNumber } from '../../runtime/errors.ts';
import { type Flags, standingFlag } from '../../runtime/flags.ts';
import type { CertificateFiles } from '../http/certificates.ts';

export interface ServeOptions {
  readonly address: string;
  readonly port: number;
  /** Undefined for plain HTTP. */
  readonly tls: CertificateFiles | undefined;
  readonly maxNamespaces: number;
  /** Kinds such as `secrets` and `widgets.example.com`. */
  readonly expectedBlind: ReadonlySet<string>;
  /** Milliseconds from the request to end until the server stops. */
  readonly shutdownDelay: number;
  /** Answers AdmissionReviews too. */
  readonly guard: boolean;
  /** File of what the guard refuses. */
  readonly guardPolicy: string | undefined;
}

const TLS_PORT = 8443;
const PLAIN_PORT = 8080;
const MAX_NAMESPACES = 100;

export function serveOptions(words: readonly string[], flags: Flags): ServeOptions {
  if (words.length > 0) throw new UsageError('serve takes no target: it follows the whole cluster.');
  const standing = standingFlag(flags);
  if (standing !== undefined) throw new UsageError(`serve follows what changes: leave ${standing} out.`);
  if (flags.guardPolicy !== undefined && flags.guard !== true)
    throw new UsageError('--guard-policy says what the guard refuses: add --guard.');
  const tls = tlsOf(flags);
  const address = flags.bindAddress ?? '127.0.0.1';
  if (isIP(address) === 0)
    throw new UsageError(`--bind-address: ${address} is no IP address. 0.0.0.0 or :: is every address.`);
  const isOpen = !isLoopback(address);
  if (flags.demo !== undefined && isOpen)
    throw new UsageError('a simulated cluster knows no users, so it is served on 127.0.0.1 alone.');
  if (tls === undefined && isOpen && flags.insecureHttp !== true)
    throw new UsageError(
      'TLS is required on a non-loopback address: give --tls-cert-file and --tls-private-key-file, or --insecure-http behind a proxy that has it.',
    );
  return {
    address,
    tls,
    port: wholeNumber('--port', flags.port, { least: 0, most: 65_535 }) ?? (tls ? TLS_PORT : PLAIN_PORT),
    maxNamespaces:
      wholeNumber('--max-namespaces', flags.maxNamespaces, { least: 0, most: 10_000 }) ?? MAX_NAMESPACES,
    expectedBlind: new Set(
      (flags.tolerateBlind ?? [])
        .flatMap(list => list.split(','))
        .map(word => word.trim())
        .filter(word => word !== ''),
    ),
    guard: flags.guard === true,
    guardPolicy: flags.guardPolicy,
    shutdownDelay:
      flags.shutdownDelayDuration === undefined
        ? 0
        : parseDuration('--shutdown-delay-duration', flags.shutdownDelayDuration),
  };
}

function tlsOf(flags: Flags): CertificateFiles | undefined {
  const { tlsCertFile: certFile, tlsPrivateKeyFile: keyFile, clientCaFile } = flags;
  if (clientCaFile !== undefined && flags.guard !== true)
    throw new UsageError('--client-ca-file is for API servers that ask the guard: add --guard.');
  if (certFile === undefined && keyFile === undefined && clientCaFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new UsageError('--tls-cert-file and --tls-private-key-file go together: give both.');
  return { certFile, keyFile, clientCaFile };
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}
