/** Options of `serve`, validated before anything is opened. */
import { isIP } from 'node:net';
import { parseDuration } from '../../runtime/duration.ts';
import { UsageError, wholeNumber } from '../../runtime/errors.ts';
import { type Flags, standingFlag } from '../../runtime/flags.ts';
import type { CertificateFiles } from '../http/certificates.ts';

interface HistoryOptions {
  readonly folder: string;
  /** Bytes of all files. */
  readonly size: number;
  /** Milliseconds. */
  readonly retention: number;
}

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
  readonly history: HistoryOptions | undefined;
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
    history: historyOf(flags),
    guard: flags.guard === true,
    guardPolicy: flags.guardPolicy,
    shutdownDelay:
      flags.shutdownDelayDuration === undefined
        ? 0
        : parseDuration('--shutdown-delay-duration', flags.shutdownDelayDuration),
  };
}

const units: Readonly<Record<string, number>> = {
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};
const DAY = 24 * 3_600_000;
const SIZE = 50 * 2 ** 20;
/** A block of changes has to be small in comparison. */
const LEAST_SIZE = 10 * 2 ** 20;
const MOST_SIZE = 100 * 2 ** 30;
const RETENTION = 7 * DAY;
const LEAST_RETENTION = 3_600_000;

function historyOf({
  history: folder,
  historySize,
  historyRetention,
  demo,
}: Flags): HistoryOptions | undefined {
  if (folder === undefined) {
    if (historySize === undefined && historyRetention === undefined) return undefined;
    throw new UsageError('--history-size and --history-retention are about a history: add --history FOLDER.');
  }
  if (demo !== undefined) throw new UsageError('--history is about a cluster: leave --demo out.');
  return {
    folder,
    size: historySize === undefined ? SIZE : sizeOf(historySize),
    retention: historyRetention === undefined ? RETENTION : retentionOf(historyRetention),
  };
}

function sizeOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)(Ki|Mi|Gi|k|M|G)?$/u.exec(text) ?? [];
  const size = number === '' ? Number.NaN : Number(number) * (units[unit] ?? 1);
  if (size >= LEAST_SIZE && size <= MOST_SIZE) return size;
  throw new UsageError(`--history-size: ${text} is no size from 10Mi to 100Gi, such as 50Mi.`);
}

function retentionOf(text: string): number {
  const [, days] = /^(\d{1,4})d$/u.exec(text) ?? [];
  const retention = days === undefined ? parseDuration('--history-retention', text) : Number(days) * DAY;
  if (retention >= LEAST_RETENTION && retention <= 10_000 * DAY) return retention;
  throw new UsageError(`--history-retention: ${text} is no time from 1h to 10000d, such as 7d.`);
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
