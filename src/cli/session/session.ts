/** Opens a source, reads it into a view with progress reports, and closes it. */

import { type ClusterSettings, ClusterView } from '../../graph/index.ts';
import {
  counted,
  formatCount,
  type LookUp,
  type ReadPlan,
  ResourceType,
  type SourceBatch,
  showHidden,
} from '../../model/index.ts';
import { ConnectionFlags, type Source, SourceInfo } from '../../source/index.ts';
import { connectionWords, FIRST_COLLECTOR, unprovenWarning } from '../../text/index.ts';
import { basisOf } from '../documents/basis.ts';
import type { Basis } from '../documents/definitions.ts';
import type { CommandContext, Services } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import { type Flags, filesFlag, flagOf, sourceFlags } from '../runtime/flags.ts';
import { type Io, kustomizationOf, unlessInterrupted } from '../runtime/io.ts';
import { say, statusWords, warn } from '../runtime/say.ts';
import type { TargetQuery } from '../targets/targets.ts';
import { ownCatalogue } from './own-catalogue.ts';

const PROGRESS_MILLISECONDS = 150;
/** Total wait for confirmations of absences; unconfirmed ones are reported as assumptions. */
const LOOK_UP_PATIENCE_MILLISECONDS = 10_000;
/** Reads may show that more is needed; chains of owners and finalizers are short. */
const MOST_ROUNDS = 10;
/** Shorter logins aren't logged. */
const LONG_LOGIN_MILLISECONDS = 3_000;
/** Shorter pauses that the API server requests aren't logged. */
const LONG_PAUSE_MILLISECONDS = 2_000;

export async function openSource(flags: Flags, io: Io, services: Services): Promise<Source> {
  if (services.shared !== undefined) return services.shared();
  refuseConnection(flags);
  if (flags.replay !== undefined && (filesFlag(flags) !== undefined || flags.demo !== undefined))
    throw new UsageError(
      `--replay and ${filesFlag(flags) ?? '--demo'} exclude each other. Leave one of them out.`,
    );
  if (filesFlag(flags) !== undefined) return openFiles(flags, io);
  if (flags.closedWorld === true) throw new UsageError('--closed-world is about files: give them with -f.');
  if (flags.strict === true) throw new UsageError('--strict is about folders: give them with -f.');
  if (flags.replay !== undefined) return openReplay(flags, flags.replay);
  if (flags.at !== undefined) throw new UsageError('--at is about a recording: name it with --replay.');
  if (flags.demo === undefined) {
    refuseVersion(flags);
    return services.openSource(sourceFlags(flags), io);
  }
  const { openDemo } = await import('../../source/demo/demo-source.ts');
  // Statements about the cluster apply to a simulated one.
  const { terminatedPodGcThreshold: threshold, serverVersion, collector } = flags;
  return openDemo(flags.demo, undefined, { threshold, serverVersion, collector });
}

function refuseVersion({ serverVersion }: Flags): void {
  if (serverVersion !== undefined)
    throw new UsageError(
      '--server-version is for files and scenarios: a cluster states its own version, and so does a recording. Omit it, or give files with -f.',
    );
}

/** Refuses connection flags with files or a scenario, which aren't about that cluster. */
function refuseConnection(flags: Flags): void {
  const files = filesFlag(flags);
  if (files === undefined && flags.demo === undefined && flags.replay === undefined) return;
  // A namespace has a meaning without a cluster.
  const given = ConnectionFlags.all.find(name => name !== 'namespace' && flags[name] !== undefined);
  if (given === undefined) return;
  const source =
    flags.demo !== undefined
      ? '--demo is a simulated cluster'
      : flags.replay !== undefined
        ? '--replay reads a recording'
        : `${files} reads files`;
  throw new UsageError(`${source}, so ${flagOf(given)} would do nothing. Leave one of them out.`);
}

async function openFiles(flags: Flags, io: Io): Promise<Source> {
  const { filename: names = [], kustomize } = flags;
  if (flags.demo !== undefined)
    throw new UsageError(`${filesFlag(flags)} and --demo exclude each other. Leave one of them out.`);
  // kubectl's message.
  if (kustomize !== undefined && names.length > 0)
    throw new UsageError('only one of -f or -k can be specified.');
  if (names.includes('-') && io.stdinIsTerminal)
    throw new UsageError('-f - reads standard input, which is the terminal here. Pipe something into it.');
  const { FilesSource } = await import('../../source/files/files-source.ts');
  return new FilesSource({
    names,
    kustomization: kustomize === undefined ? undefined : kustomizationOf(kustomize, io),
    closedWorld: flags.closedWorld === true,
    strict: flags.strict === true,
    namespace: flags.namespace ?? 'default',
    serverVersion: flags.serverVersion,
    stdin: () => io.stdin(),
    now: () => io.now(),
  });
}

async function openReplay(flags: Flags, file: string): Promise<Source> {
  refuseVersion(flags);
  const { ReplaySource } = await import('../../source/recording/replay-source.ts');
  const { momentIn } = await import('./moment.ts');
  const { at } = flags;
  return new ReplaySource({ file, at: at === undefined ? undefined : range => momentIn(at, range) });
}

/** Opens the source that the flags name, to be read into a view; the caller closes it. Rejects as `openSource` does. */
export async function openSession(flags: Flags, io: Io, services: Services): Promise<ClusterSession> {
  const catalogue = await ownCatalogue(flags, io);
  const session = new ClusterSession(await openSource(flags, io, services), io);
  session.assume({
    terminatedPodGcThreshold: flags.terminatedPodGcThreshold,
    standsStill: session.source.info.source === 'files',
    listsMayLag: session.source.lookUp !== undefined,
    contentOf: object => session.source.content?.(object),
    catalogue,
  });
  return session;
}

export async function withSession<T>(
  { flags, io, services }: CommandContext,
  use: (session: ClusterSession) => Promise<T>,
): Promise<T> {
  const session = await openSession(flags, io, services);
  try {
    return await use(session);
  } finally {
    await session.close();
  }
}

/** Returns undefined for all, the default for files. With -A, a named object may be in any, or in that of -n. */
export function scopeOf(
  flags: Flags,
  source: Source,
  query?: Pick<TargetQuery, 'words'>,
): string | undefined {
  const isNamed = query?.words.some(({ name }) => name !== undefined) === true;
  if (flags.allNamespaces === true) return isNamed ? flags.namespace : undefined;
  return flags.namespace ?? (source.info.source === 'files' ? undefined : source.info.namespace);
}

export class ClusterSession {
  readonly source: Source;
  readonly view = new ClusterView();
  readonly #io: Io;
  #listener: (batch: SourceBatch) => void;
  #arrived: () => void = () => {};
  #lookingUp = 0;
  #patientUntil: number | undefined;
  #warned = 0;

  constructor(source: Source, io: Io) {
    this.source = source;
    this.#io = io;
    this.#listener = batch => {
      this.view.apply(batch, this.now());
    };
  }

  /** Returns the moment for judgements and ages. */
  now(): number {
    return SourceInfo.moment(this.source.info, this.#io.now());
  }

  basis(): Basis {
    return basisOf(this.source.info, this.view, this.now());
  }

  /** Redirects batches from the view to a listener. */
  listen(listener: (batch: SourceBatch) => void): void {
    this.#listener = listener;
  }

  assume(settings: Omit<ClusterSettings, 'serverVersion' | 'collector'>): void {
    this.view.settings = { ...this.view.settings, ...settings };
  }

  /** Freezes the view. Returns later batches as they come, if `keep`. */
  holdStill(keep: boolean): readonly SourceBatch[] {
    const pending: SourceBatch[] = [];
    this.#listener = batch => {
      if (keep) pending.push(batch);
    };
    return pending;
  }

  /**
   * Rejects with `Interrupted` at Ctrl-C. Files block for long and need no closing, so a signal ends the process
   * itself; kubectl handles it while it builds a kustomization.
   */
  until<T>(promise: Promise<T>): Promise<T> {
    if (this.source.info.source === 'files') return promise;
    return unlessInterrupted(this.#io, promise);
  }

  /** Reads the graph, and with `facts` the facts. Rejects with a `SourceError` if nothing can be read. */
  async load(facts: boolean, reading: Omit<ReadPlan, 'facts'> = {}): Promise<void> {
    const hide = this.#showProgress();
    try {
      await this.until(
        this.source.start(
          batch => {
            this.#listener(batch);
            this.#arrived();
          },
          { ...reading, facts },
        ),
      );
      await this.until(facts ? this.source.factsComplete : this.source.graphComplete);
    } finally {
      hide();
    }
    const { serverVersion, collector } = this.source.info;
    this.view.settings = { ...this.view.settings, serverVersion, collector };
    this.reportWarnings();
    const unproven = unprovenWarning(serverVersion);
    if (unproven !== '') warn(this.#io, unproven);
    if (collector === '1.5') say(this.#io, `${FIRST_COLLECTOR}\n`);
  }

  reportWarnings(): void {
    const { warnings = [] } = this.source;
    for (const warning of warnings.slice(this.#warned)) warn(this.#io, warning);
    this.#warned = warnings.length;
  }

  /** Waits, within limits. `wanted` is called again after each batch to drop answered look-ups. */
  async lookUp(wanted: () => readonly LookUp[]): Promise<void> {
    const { source } = this;
    if (source.lookUp === undefined) return;
    this.#patientUntil ??= Date.now() + LOOK_UP_PATIENCE_MILLISECONDS;
    const hide = this.#showProgress();
    try {
      for (;;) {
        const open = wanted();
        const left = this.#patientUntil - Date.now();
        this.#lookingUp = open.length;
        if (open.length === 0 || left <= 0) return;
        source.lookUp(open, { urgent: true });
        await this.until(this.#nextBatch(left));
      }
    } finally {
      this.#lookingUp = 0;
      source.lookUp([], { urgent: false });
      hide();
    }
  }

  /** Resolves with false if answers requested nothing beyond the scope. Late objects count as unseen. */
  async readWanted(): Promise<boolean> {
    const { source, view } = this;
    const { absences } = view;
    const asked = source.lookUp === undefined ? [] : absences.takeAsked();
    if (asked.length > 0) await this.lookUp(() => asked.filter(each => !absences.isAnswered(each)));
    const isNew = asked.some(each => absences.isAnswered(each));
    const wants = source.want === undefined ? [] : view.wants.take();
    if (wants.length === 0) return isNew;
    source.want?.(wants);
    this.#patientUntil ??= Date.now() + LOOK_UP_PATIENCE_MILLISECONDS;
    const hide = this.#showProgress();
    try {
      while (wants.some(want => !view.wants.isSettled(want))) {
        const left = this.#patientUntil - Date.now();
        if (left <= 0) return false;
        await this.until(this.#nextBatch(left));
      }
      return true;
    } finally {
      hide();
    }
  }

  keepReading(): void {
    this.source.want?.(this.view.wants.take());
  }

  /** Repeats `make` until everything it requests has been read, then returns its answer or error. */
  async answer<T>(make: () => T | Promise<T>): Promise<T> {
    for (let round = 1; ; round += 1) {
      try {
        const answer = await make();
        if (!(await this.readWanted()) || round === MOST_ROUNDS) return answer;
      } catch (error) {
        // A missing object may be elsewhere.
        if (!(error instanceof UsageError) || !(await this.readWanted()) || round === MOST_ROUNDS)
          throw error;
      }
    }
  }

  #nextBatch(milliseconds: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      this.#arrived = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async close(): Promise<void> {
    await this.source.close();
    this.reportWarnings();
  }

  /** Returns a function that wipes the line. */
  #showProgress(): () => void {
    const { terminal, stderrIsTerminal } = this.#io;
    if (!stderrIsTerminal) return this.#reportLosses();
    const timer = setInterval(() => {
      terminal.status(statusWords(this.#io, this.#progress()));
    }, PROGRESS_MILLISECONDS);
    return () => {
      clearInterval(timer);
      terminal.status('');
    };
  }

  /** Logs long logins, lost connections and long pauses if progress isn't visible. */
  #reportLosses(): () => void {
    let told = false;
    let waited = 0;
    const timer = setInterval(() => {
      const { connection, pausing } = this.view;
      waited =
        connection.state === 'connecting' && connection.waitingFor ? waited + PROGRESS_MILLISECONDS : 0;
      const isLong =
        connection.state === 'lost' ||
        waited >= LONG_LOGIN_MILLISECONDS ||
        (pausing !== undefined && (told || pausing.until - this.now() >= LONG_PAUSE_MILLISECONDS));
      if (isLong && !told) say(this.#io, `kubectl gc-tree: ${this.#progress()}\n`);
      told = isLong;
    }, PROGRESS_MILLISECONDS);
    return () => clearInterval(timer);
  }

  #progress(): string {
    const { connection, pausing, statuses, graph } = this.view;
    if (connection.state === 'lost') return `connection lost: ${showHidden(connection.reason)}; trying again`;
    if (connection.state === 'connecting' && connection.waitingFor !== undefined)
      return `connecting, waiting for ${showHidden(connection.waitingFor)} …`;
    if (pausing !== undefined) return connectionWords.pausing(pausing, this.now());
    if (statuses.size === 0) return 'connecting …';
    if (this.#lookingUp > 0) return `looking up ${counted(this.#lookingUp, 'object')} that no list holds …`;
    const listing = [...statuses.values()].filter(({ state }) => state === 'listing');
    const largest = listing.toSorted((one, other) => other.count - one.count)[0];
    const under =
      largest === undefined || largest.count === 0
        ? ''
        : `, ${ResourceType.groupResource(largest.type)} at ${formatCount(largest.count)}`;
    return `${counted(graph.size, 'object')}, ${statuses.size - listing.length} of ${counted(statuses.size, 'kind')} listed${under} …`;
  }
}
