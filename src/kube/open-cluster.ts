import type { ConnectionFlags, NameSource, PersonsTerminal, Source } from '../source/index.ts';
import { createTransport } from './auth/http-transport.ts';
import { ClusterSource } from './cluster-source.ts';
import { readPipes } from './config/config-file.ts';
import { concealed } from './config/known-credentials.ts';
import { type KubeconfigEnvironment, kubeconfigPaths, loadKubeconfig } from './config/load-kubeconfig.ts';
import { listContexts, type ResolvedConnection, resolveConnection } from './config/resolve-connection.ts';
import { Discovery, serverVersion } from './discovery/discovery.ts';
import { cacheFolderOf, DiskCache } from './discovery/disk-cache.ts';
import { LastAnswers } from './discovery/last-answers.ts';
import { createNameSource } from './objects/name-source.ts';
import { withServerClock } from './transport/server-clock.ts';
import { systemTiming, type Timing } from './transport/timing.ts';
import { type Transport, withRequest } from './transport/transport.ts';
import { ServerWarnings, withWarnings } from './transport/warnings.ts';
import { Pauses, type Wait, withRetries } from './transport/with-retries.ts';

export interface OpenOptions {
  readonly env: KubeconfigEnvironment;
  /** `-v`: 2 reports when graph and facts are complete, 4 repeated requests, 6 each request. */
  readonly verbosity: number;
  readonly log: (line: string) => void;
  readonly timing?: Timing;
  readonly terminal?: PersonsTerminal | undefined;
}

/** Reads configuration from pipes, which may be slow. Must be awaited first. */
export async function readPipedConfig(flags: ConnectionFlags, env: KubeconfigEnvironment): Promise<void> {
  const files = [...kubeconfigPaths(flags.kubeconfig, env), flags.kuberc ?? '', env['KUBERC'] ?? ''];
  await readPipes(files.filter(file => file !== ''));
}

interface Direct {
  readonly connection: ResolvedConnection;
  readonly transport: Transport;
  readonly log: (line: string) => void;
}

function openTransport(
  flags: ConnectionFlags,
  { env, verbosity, terminal, ...options }: OpenOptions,
  isCompletion = false,
): Direct {
  const log = (line: string): void => options.log(concealed(line));
  const connection = resolveConnection(flags, env);
  const direct = createTransport(connection, isCompletion ? { terminal: shells } : { terminal, notice: log });
  return { connection, log, transport: verbosity >= 6 ? logRequests(direct, verbosity, log) : direct };
}

/** Throws a `SourceError` for an unusable kubeconfig. Doesn't connect yet. */
export function openCluster(flags: ConnectionFlags, options: OpenOptions): Source {
  const { verbosity, timing = systemTiming } = options;
  const { connection, transport: direct, log } = openTransport(flags, options);
  if (connection.warning !== '') log(connection.warning);
  const { transport: timed, clock } = withServerClock(direct);
  const warnings = new ServerWarnings();
  const pauses = new Pauses(() => timing.now());
  const { requestTimeoutMs, server } = connection;
  const waiting = (wait: Wait): (() => void) => {
    if (verbosity >= 4) log(waitLine(wait, server));
    return pauses.begin(wait);
  };
  const transport = withRetries(withWarnings(timed, warnings), { timing, requestTimeoutMs, waiting });
  const at = cacheFolder(flags, connection);
  const source = new ClusterSource({
    transport,
    discovery: new Discovery(transport, {
      cache: at === undefined ? undefined : new DiskCache(at),
      lastAnswers: at === undefined ? undefined : new LastAnswers(at),
    }),
    context: connection.contextName,
    namespace: connection.namespace,
    clock,
    timing,
    warnings,
    pauses,
  });
  if (verbosity >= 2) {
    // Node counts from the start of the process.
    void source.graphComplete.then(() => log(`graph complete after ${Math.round(performance.now())} ms`));
    void source.factsComplete.then(() => log(`facts complete after ${Math.round(performance.now())} ms`));
  }
  return source;
}

/** During completion, the shell owns the terminal. */
const shells: PersonsTerminal = { isFree: false, lend: () => undefined };

/** Opens a source for completion, without retries: the user waits. */
export function openNames(flags: ConnectionFlags, options: OpenOptions): NameSource {
  const { connection, transport } = openTransport(flags, options, true);
  const at = cacheFolder(flags, connection);
  const cache = at === undefined ? undefined : new DiskCache(at);
  const discovery = new Discovery(transport, { cache, withVersion: false });
  return createNameSource({ transport, discovery, namespace: connection.namespace });
}

/** Rejects with a `SourceError`. */
export async function readServerVersion(
  flags: ConnectionFlags,
  options: OpenOptions,
): Promise<Readonly<Record<string, string>>> {
  const { transport } = openTransport(flags, options);
  try {
    return await serverVersion(transport);
  } finally {
    await transport.close();
  }
}

function cacheFolder(
  { cacheDir: folder }: ConnectionFlags,
  { cluster: { server }, env }: ResolvedConnection,
): string | undefined {
  return cacheFolderOf({ folder, env, server });
}

/** Formats like client-go at this level: `GET https://…/api was answered 429, sent again in 1250 ms`. */
function waitLine({ method, path, status, pause }: Wait, server: string): string {
  const why = status === undefined ? 'met a connection that broke' : `was answered ${status}`;
  return `${method} ${server}${path} ${why}, sent again in ${Math.round(pause)} ms`;
}

/** Returns the kubeconfig's names for completion and pickers. Throws a `SourceError` for a broken file. */
export function kubeconfigNames(
  flags: ConnectionFlags,
  env: KubeconfigEnvironment,
): { contexts: string[]; clusters: string[]; users: string[] } {
  const config = loadKubeconfig(flags.kubeconfig, env);
  return {
    contexts: listContexts(flags, env).map(({ name }) => name),
    clusters: [...config.clusters.keys()].sort(),
    users: [...config.users.keys()].sort(),
  };
}

/** Logs requests as lines without headers (except `Accept` from `-v=8` on) and bodies, which may hold credentials. */
function logRequests(transport: Transport, level: number, write: (line: string) => void): Transport {
  return withRequest(transport, async request => {
    const start = performance.now();
    const name = `${request.method} ${transport.server}${request.path}`;
    const accept = level >= 8 ? ` accept=${request.headers?.['accept'] ?? ''}` : '';
    const end = (what: string): void => write(`${name} ${what}${accept}`);
    const duration = (): string => `${Math.round(performance.now() - start)} ms`;
    try {
      const response = await transport.request(request);
      end(`${response.status} in ${duration()}`);
      return response;
    } catch (error) {
      end(`failed after ${duration()}: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  });
}
