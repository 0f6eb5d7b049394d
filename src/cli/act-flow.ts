/**
 * An action on the command line from its forecast to its exit code, the same for `delete`, `unblock` and `undo`:
 * shown, examined, asked about, sent and followed.
 */

import { examine } from '../actions/examine.ts';
import { type Prepared, promisesTheSame } from '../actions/prepare.ts';
import { reversalOf } from '../actions/reversal.ts';
import { run } from '../actions/run.ts';
import type { Ended, Question, RunEvent, RunPorts } from '../actions/run-ports.ts';
import { remedyFor } from '../diagnosis/remedies/offered.ts';
import { basisOf } from '../documents/basis.ts';
import { planDocument } from '../documents/plan.ts';
import { printDeletedNames, printDocumentJson, printDocumentYaml } from '../documents/plan-print.ts';
import { printPlan } from '../documents/plan-text.ts';
import { type LineLook, printLine } from '../documents/print-lines.ts';
import type { Forecast } from '../forecast/plan.ts';
import type { ApplicableRemedy } from '../forecast/remedy.ts';
import type { KubeObject } from '../model/object.ts';
import { doubtLines } from '../text/action-failure.ts';
import { leavesStuck, outcomeLines, progressLine, stuckRefusal } from '../text/action-outcome.ts';
import { requestLines } from '../text/action-requests.ts';
import { lossLines } from '../text/action-warnings.ts';
import { foundSentence } from '../text/read-back.ts';
import { emptyLine, type TextLine, textLine } from '../text/text-line.ts';
import type { Asker } from './act-ask.ts';
import { ActionRefused, examinationFailure, failureOf, journalFailure } from './act-failure.ts';
import type { ActOptions } from './act-options.ts';
import { confirmed, questionFor } from './act-question.ts';
import type { ActSession } from './act-session.ts';
import { useColour } from './appearance.ts';
import type { Command } from './command.ts';
import { diagnose } from './diagnose.ts';
import { describeFailure, EXIT_DONE, EXIT_FOUND } from './errors.ts';
import { onSameCluster, sameSource } from './same-source.ts';
import { scopeOf } from './session.ts';
import { StatusLine } from './status-line.ts';

const PATIENCE_MILLISECONDS = 60_000;

export interface Flow {
  readonly command: Command;
  readonly acting: ActSession;
  readonly options: ActOptions;
  readonly asker: Asker;
  /** Aborted by Ctrl-C, once `heed` was called, with an `Interrupted` as its reason. */
  readonly signal: AbortSignal;
  readonly heed: () => void;
  /** What else a person should know of it, after the forecast. */
  readonly notes: (prepared: Prepared) => Iterable<TextLine>;
  /** What else there is to say at the end of one that was sent. */
  readonly afterwards: () => Iterable<TextLine>;
}

export function lookOf({ flags, io }: Command): LineLook {
  return { colour: useColour(flags, io), ascii: flags.ascii === true, width: io.columns() };
}

/** Resolves with the exit code. Throws an `ActionRefused` for what is refused, and `Interrupted` at Ctrl-C. */
export async function perform(prepared: Prepared, flow: Flow): Promise<number> {
  const printer = new Printer(flow);
  await printer.prepared(prepared);
  const { options } = flow;
  if (options.dryRun === 'client') {
    await printer.say([textLine('Nothing was sent (--dry-run=client).', 'muted')]);
    return EXIT_DONE;
  }
  if (options.dryRun === 'server') return rehearse(prepared, flow, printer);
  if (options.yes && !options.allowStuck && leavesStuck(prepared))
    throw new ActionRefused(stuckRefusal(prepared));
  return new Performance(flow, printer, prepared).run();
}

async function rehearse(prepared: Prepared, { acting }: Flow, printer: Printer): Promise<number> {
  const { source, session } = acting;
  const examination = await session.until(
    examine(prepared, {
      catalog: session.view.catalog,
      ask: request => source.act(request),
      dryRun: source.dryRun?.bind(source),
    }),
  );
  await printer.say(doubtLines(examination, 2));
  const failure = examinationFailure(examination);
  if (failure !== undefined) throw new ActionRefused(failure);
  const checked =
    source.dryRun === undefined
      ? 'It is permitted.'
      : 'It is permitted, and the API server would take every request that it could be asked about beforehand.';
  await printer.say([textLine(`${checked} Nothing was changed (--dry-run=server).`, 'good')]);
  return EXIT_DONE;
}

/** Forecasts and requests on standard output; what is said to people goes there too, unless it is a document. */
class Printer {
  readonly #flow: Flow;
  readonly #look: LineLook;
  readonly #isText: boolean;

  constructor(flow: Flow) {
    this.#flow = flow;
    const { format } = flow.options;
    this.#look = lookOf(flow.command);
    this.#isText = format === 'text' || format === 'wide';
  }

  async say(lines: Iterable<TextLine>): Promise<void> {
    const pieces = [...lines].map(line => printLine(line, this.#look));
    const { output, io } = this.#flow.command;
    if (this.#isText) await output.write(pieces);
    else io.stderr.write(pieces.join(''));
  }

  /** The whole, as it was asked for. */
  async prepared(prepared: Prepared): Promise<void> {
    const { output, io, flags } = this.#flow.command;
    const { format } = this.#flow.options;
    if (this.#isText) return this.text(prepared);
    const { session } = this.#flow.acting;
    const document = () =>
      planDocument(basisOf(session.source.info, session.view, io.now()), prepared.forecast);
    if (format === 'name')
      await output.write(printDeletedNames(prepared.forecast, scopeOf(flags, session.source)));
    else if (format === 'yaml') await output.write(printDocumentYaml(document()));
    else await output.write(printDocumentJson(document()));
  }

  async text(prepared: Prepared): Promise<void> {
    const { command, notes, options } = this.#flow;
    const wide = options.format === 'wide';
    const plan = [
      ...printPlan(prepared.forecast, {
        ...this.#look,
        wide,
        steps: false,
        command: kubectl => onSameCluster(kubectl, command.flags),
      }),
    ];
    if (this.#isText) await command.output.write(plan);
    else command.io.stderr.write(plan.join(''));
    const noted = [...notes(prepared), ...lossLines(prepared.losses)];
    if (noted.length > 0) await this.say([emptyLine, ...noted]);
    await this.say([emptyLine, ...requestLines(prepared.requests, wide), emptyLine]);
  }
}

class Performance {
  readonly #flow: Flow;
  readonly #printer: Printer;
  readonly #status: StatusLine;
  #sentAt: number | undefined;
  /** The forecast that the person has before them. */
  #told: Prepared;
  /** A yes in advance was given to another forecast. */
  #changedMind = false;

  constructor(flow: Flow, printer: Printer, prepared: Prepared) {
    this.#flow = flow;
    this.#printer = printer;
    this.#status = new StatusLine(flow.command.io);
    this.#told = prepared;
  }

  async run(): Promise<number> {
    const { command, acting, signal, heed } = this.#flow;
    heed();
    const over = new AbortController();
    void this.#status.tellPauses(acting.session.view, acting.changes, over.signal);
    const ended = await run(this.#told, this.#ports(this.#told))
      .catch((error: unknown) => {
        throw journalFailure(error) ?? error;
      })
      .finally(() => {
        over.abort();
        this.#status.wipe();
      });
    const failure = failureOf(ended, this.#changedMind);
    if (ended.taken === 0) signal.throwIfAborted();
    if (failure !== undefined) {
      if (!signal.aborted) throw new ActionRefused(failure);
      command.io.stderr.write(describeFailure(new ActionRefused(failure), 0));
      throw signal.reason;
    }
    if (ended.state === 'cancelled') {
      command.io.stderr.write('Nothing was sent.\n');
      return EXIT_FOUND;
    }
    await this.#tell(ended);
    signal.throwIfAborted();
    if (ended.state === 'reached') return leavesStuck(ended.prepared) ? EXIT_FOUND : EXIT_DONE;
    return ended.state === 'unfinished' && !this.#follows ? EXIT_DONE : EXIT_FOUND;
  }

  get #follows(): boolean {
    return this.#flow.options.wait;
  }

  async #tell(ended: Ended): Promise<void> {
    const { command, acting, afterwards } = this.#flow;
    const source = sameSource(command.flags, 'acts');
    const { journal, session } = acting;
    // The demo's cluster is gone when the command ends; and what an undo has made again, nothing takes away.
    const lasting = session.source.info.source !== 'demo' && this.#flow.options.verb !== 'undo';
    await this.#printer.say([
      ...outcomeLines(ended, {
        took: command.io.now() - (this.#sentAt ?? command.io.now()),
        undo: lasting
          ? {
              reversal: await reversalOf(ended, { journal, view: session.view }),
              command: entries =>
                entries.map(entry => ({ words: ['kubectl', 'gc-tree', 'undo', entry, ...source] })),
              list: [{ words: ['kubectl', 'gc-tree', 'undo', ...source] }],
            }
          : undefined,
        followed: this.#follows,
      }),
      ...afterwards(),
    ]);
  }

  #ports(prepared: Prepared): RunPorts {
    const { acting, command, options, signal } = this.#flow;
    const { session, source, journal, changes } = acting;
    const { io } = command;
    const timeout = options.wait ? (options.timeout ?? PATIENCE_MILLISECONDS + timeOf(prepared.forecast)) : 0;
    return {
      view: session.view,
      source,
      journal,
      now: () => io.now(),
      changed: (milliseconds, stop) => changes.within(milliseconds, stop),
      confirm: question => this.#confirm(question),
      tell: event => this.#hear(event),
      remedyFor: (target: KubeObject, id: string): ApplicableRemedy | undefined =>
        remedyFor(diagnose(session, io), target, id),
      absencesBehind: ({ uid }) => diagnose(session, io).absencesBehind(uid),
      context: session.source.info.context,
      secretData: options.secretData,
      timeout,
      signal,
    };
  }

  async #confirm({ prepared, examination, before }: Question): Promise<boolean> {
    const { options, asker } = this.#flow;
    await this.#printer.say(doubtLines(examination, 2));
    const shown = this.#told;
    this.#told = prepared;
    // What was shown may have changed before it was ever asked about.
    if (before !== undefined || !promisesTheSame(shown, prepared)) {
      const words = 'The cluster has changed since the forecast, and this is what would happen now:';
      await this.#printer.say([textLine(words, 'warning'), emptyLine]);
      await this.#printer.text(prepared);
      if (!options.canAsk) {
        this.#changedMind = true;
        return false;
      }
    } else if (options.yes) {
      return true;
    }
    const answer = await asker.ask(questionFor(prepared));
    return answer !== undefined && confirmed(prepared, answer);
  }

  #hear(event: RunEvent): void {
    const { io } = this.#flow.command;
    switch (event.event) {
      case 'examining':
        return this.#status.show('asking whether it is permitted …');
      case 'examined':
      case 'sent':
        this.#status.wipe();
        return this.#flow.acting.session.tellWarnings();
      case 'changed':
        this.#status.wipe();
        if (event.same)
          io.stderr.write('The cluster has changed since the forecast; a new one promises the same.\n');
        return;
      case 'sending':
        this.#sentAt ??= io.now();
        return this.#status.show(`request ${event.request + 1} of ${event.prepared.requests.length} …`);
      case 'readBack':
        return this.#status.show(foundSentence(event.found));
      case 'progress':
        return this.#follows ? this.#status.show(progressLine(event.progress)) : undefined;
    }
  }
}

/** Milliseconds that the forecast itself takes: grace periods, kubelets, controllers. */
function timeOf(forecast: Forecast): number {
  const steps = forecast.steps();
  return (steps.at(-1)?.at ?? 0) - (steps[0]?.at ?? 0);
}
