/** `serve`: findings as Prometheus metrics and documents over HTTP. */
import type { EndSignal } from '../../../platform/index.ts';
import type { Source } from '../../../source/index.ts';
import { printDocument } from '../../documents/print/document.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { EXIT_DONE, Interrupted, UsageError } from '../../runtime/errors.ts';
import type { Io } from '../../runtime/io.ts';
import { say } from '../../runtime/say.ts';
import { type ClusterSession, openSession } from '../../session/session.ts';
import { Guard } from '../guard/guard.ts';
import type { GuardPolicy } from '../guard/policy.ts';
import { Webhook } from '../guard/webhook.ts';
import { History, type HistoryOptions } from '../history/history.ts';
import { HistoryFolder } from '../history/history-folder.ts';
import { type Certificate, readCertificate, watchCertificate } from '../http/certificates.ts';
import { healthOf } from '../http/health.ts';
import { HttpServer } from '../http/http-server.ts';
import { Metrics } from '../http/metrics.ts';
import { Reviewer } from '../http/reviews.ts';
import { ADMISSION_PATH, routes } from '../http/routes.ts';
import { Documents } from './documents.ts';
import { FollowedCluster } from './follow.ts';
import { type ServeOptions, serveOptions } from './serve-options.ts';

/** An UPDATE holds an object twice, and etcd takes 1.5 MiB of each. */
const MOST_REVIEW_BYTES = 4 * 1024 * 1024;
const LAST_ANSWERS_MILLISECONDS = 10_000;
/** Interval of a repeated log line. */
const REPEAT_MILLISECONDS = 60_000;

export async function serve(command: TargetCommand): Promise<number> {
  const { flags, io, services, targets } = command;
  if (flags.printWebhook !== undefined) return printWebhook(command, flags.printWebhook);
  const options = serveOptions(targets, flags);
  const certificate = options.tls && (await certificateOf(options.tls));
  const policy = await policyOf(options);
  const ending = new Ending(io, options.shutdownDelay);
  const session = await openSession(flags, ending.io, services);
  const log = logTo(io);
  const history = await historyOf(options, { command, session, log }).catch(async (error: unknown) => {
    ending.stop();
    await session.close();
    throw error;
  });
  const cluster = new FollowedCluster(session, ending.io, history);
  const reviewer = reviewerOf(session.source);
  const health = (now = session.now()) =>
    healthOf({ ...cluster.state, ending: ending.begun, ...options }, now);
  const metrics = new Metrics({ version: services.version, maxNamespaces: options.maxNamespaces });
  const documents = new Documents({ command, cluster, reviewer, history });
  const guard = options.guard
    ? new Guard({ cluster, reviewer, metrics, policy, history, log, isLive: () => health().live })
    : undefined;
  const answer = routes({
    metrics,
    admission: guard && (body => guard.answer(body)),
    needsCertificate: options.tls?.clientCaFile !== undefined,
    reviewer,
    health,
    log,
    told: () => {
      const now = session.now();
      const known = health(now);
      // An observation walks through everything, so it is skipped if not reported.
      const observation = known.tells ? cluster.observe(now) : undefined;
      const { lastEvent } = cluster;
      return { health: known, now, lastEvent, observation, history: history?.state };
    },
    document: request => documents.answer(request),
  });
  const post = guard && { path: ADMISSION_PATH, mostBytes: MOST_REVIEW_BYTES };
  const server = new HttpServer(answer, { ...options, certificate, post });
  try {
    await listen(server, options, io);
    const stopWatching = keepCertificate(server, options, { certificate, log });
    try {
      await cluster.run();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
    } finally {
      stopWatching();
    }
    return EXIT_DONE;
  } finally {
    await server.close(ending.begun ? LAST_ANSWERS_MILLISECONDS : 0);
    ending.stop();
    history?.end(session.now());
    await session.close();
  }
}

/** Throws a `UsageError` if other users can change the folder or its files, or it can't be made. */
function historyFolder({ history }: ServeOptions): HistoryFolder | undefined {
  if (history === undefined) return undefined;
  try {
    return new HistoryFolder(history.folder, history);
  } catch (error) {
    throw new UsageError(`--history: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Only a server with a cluster makes the folder. Rejects as `historyFolder` throws. */
async function historyOf(
  options: ServeOptions,
  {
    command,
    session,
    log,
  }: {
    readonly command: TargetCommand;
    readonly session: ClusterSession;
    readonly log: (line: string) => void;
  },
): Promise<History | undefined> {
  const { history } = options;
  const folder = historyFolder(options);
  if (history === undefined || folder === undefined) return undefined;
  const head = (): ReturnType<HistoryOptions['head']> => {
    const { context, namespace, serverVersion } = session.source.info;
    const { scope } = session.view;
    return {
      tool: command.services.version,
      context,
      namespace,
      serverVersion,
      namespaces: scope?.namespaces,
    };
  };
  return new History({ folder, retention: history.retention, head, now: () => session.now(), log });
}

async function printWebhook({ flags, output }: TargetCommand, address: string): Promise<number> {
  if (flags.guard !== true) throw new UsageError('--print-webhook goes with --guard.');
  const { tlsCertFile: certFile, guardPolicy } = flags;
  await policyOf({ guardPolicy });
  const configuration = Webhook.configuration(address, { certFile, refuses: guardPolicy !== undefined });
  await output.write(printDocument(configuration, 'yaml'));
  return EXIT_DONE;
}

async function policyOf({
  guardPolicy,
}: Pick<ServeOptions, 'guardPolicy'>): Promise<GuardPolicy | undefined> {
  if (guardPolicy === undefined) return undefined;
  // Most servers have none, and start without the parser.
  const { GuardPolicy } = await import('../guard/policy.ts');
  return GuardPolicy.read(guardPolicy);
}

/** Rejects with a `UsageError` if the address or port isn't available. */
async function listen(server: HttpServer, { address, port, tls }: ServeOptions, io: Io): Promise<void> {
  const taken = await server.listen({ address, port }).catch((error: unknown) => {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new UsageError(`cannot listen on ${address}, port ${port} (${why}). Choose another with --port.`);
  });
  const host = address.includes(':') ? `[${address}]` : address;
  say(io, `Serving on ${tls ? 'https' : 'http'}://${host}:${taken}, until interrupted.\n`);
}

async function certificateOf(files: NonNullable<ServeOptions['tls']>): Promise<Certificate> {
  try {
    return await readCertificate(files);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function keepCertificate(
  server: HttpServer,
  { tls }: ServeOptions,
  {
    certificate,
    log,
  }: { readonly certificate: Certificate | undefined; readonly log: (line: string) => void },
): () => void {
  if (tls === undefined || certificate === undefined) return () => {};
  return watchCertificate(tls, certificate, {
    changed: renewed => {
      server.use(renewed);
      log('the serving certificate was read again');
    },
    failed: message => log(`the serving certificate stays as it was: ${message}`),
  });
}

/** Returns undefined for a simulated cluster. */
function reviewerOf(source: Source): Reviewer | undefined {
  if (source.info.source !== 'cluster') return undefined;
  const send = source.act?.bind(source);
  if (send === undefined) throw new UsageError('serve needs a cluster that answers reviews.');
  return new Reviewer({ send, now: () => performance.now() });
}

function logTo(io: Io): (line: string) => void {
  const said = new Map<string, number>();
  return line => {
    const now = io.now();
    if (now - (said.get(line) ?? Number.NEGATIVE_INFINITY) < REPEAT_MILLISECONDS) return;
    if (said.size > 100) said.clear();
    said.set(line, now);
    say(io, `kubectl gc-tree: ${line}\n`);
  };
}

/** Becomes unready at the first signal, so that no new clients come. Ends after the delay, or at the second signal. */
class Ending {
  begun = false;
  /** The followers' process, where the signal arrives after the delay. */
  readonly io: Io;
  readonly stop: () => void;
  readonly #listeners = new Set<(signal: EndSignal) => void>();
  #over: EndSignal | undefined;

  constructor(io: Io, delay: number) {
    this.io = {
      ...io,
      onInterrupt: callback => {
        this.#listeners.add(callback);
        const over = this.#over;
        if (over !== undefined) queueMicrotask(() => callback(over));
        return () => this.#listeners.delete(callback);
      },
    };
    this.stop = io.onInterrupt(signal => {
      const isFirst = !this.begun;
      this.begun = true;
      if (!isFirst || delay === 0) this.#end(signal);
      else void io.pause(delay).then(() => this.#end(signal));
    });
  }

  #end(signal: EndSignal): void {
    this.#over = signal;
    for (const each of this.#listeners) each(signal);
  }
}
