/** The steps of `delete`, `unblock` and `undo`: forecast, examine, ask, send, follow. */
import {
  actionRun,
  type Ended,
  examine,
  type Intent,
  Prepared,
  promises,
  type Question,
  type RunEvent,
  type RunPorts,
  Undo,
} from '../../../actions/index.ts';
import { offeredRemedies } from '../../../diagnosis/index.ts';
import { shownName } from '../../../model/index.ts';
import { failureWords, outcomeWords, questionWords, TextLine } from '../../../text/index.ts';
import type { ActionExit } from '../../documents/definitions.ts';
import { printPlan } from '../../documents/plan/plan-text.ts';
import { printDeletedNames } from '../../documents/print/document.ts';
import { type LineLook, printLine } from '../../documents/print/print-lines.ts';
import { describeFailure, EXIT_DONE, EXIT_FOUND } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import { ReaderGone } from '../../runtime/output.ts';
import { isText } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import { StatusLine } from '../../runtime/status-line.ts';
import { cascadeReads } from '../../session/cascades.ts';
import { diagnose } from '../../session/diagnose.ts';
import { onSameCluster, sameSource } from '../../session/same-source.ts';
import { scopeOf } from '../../session/session.ts';
import {
  ActionRefused,
  examinationFailure,
  exitReason,
  failureOf,
  withoutJournal,
} from './action-failure.ts';
import type { ActionCommandContext, Flow } from './action-session.ts';
import { ActReport, exitOf } from './report.ts';

/** Throws an `ActionRefused` for a refusal, and `Interrupted` at Ctrl-C, after writing any document. */
export async function perform(
  context: ActionCommandContext,
  intent: Intent,
  notes: Flow['notes'],
  afterwards: Flow['afterwards'] = [],
): Promise<number> {
  const { session } = context.acting;
  const { secretData } = context.options;
  const reads = cascadeReads(session);
  const told = async (each: Prepared): Promise<Prepared> =>
    Prepared.withAssumed(each, await reads.told(each.forecast), session.view);
  const { view } = session;
  const { source } = context.acting;
  const first = actionRun.prepare(intent, { view, now: () => session.now(), secretData });
  const prepared = await told(await actionRun.complete(first, { view, source, signal: context.signal }));
  const flow: Flow = { ...context, notes, afterwards, told };
  const report = new ActReport(context);
  report.forecast(prepared);
  let exit: ActionExit;
  try {
    exit = await Promise.race([proceed(prepared, flow, report), context.interruptedTwice]);
  } catch (error) {
    if (!(error instanceof ReaderGone)) await report.write(exitOf(error));
    throw error;
  }
  await report.write(exit);
  return exit.code;
}

export function nothingSent({ command, signal }: ActionCommandContext): number {
  signal.throwIfAborted();
  command.io.stderr.write('Nothing was sent.\n');
  return EXIT_FOUND;
}

async function proceed(prepared: Prepared, flow: Flow, report: ActReport): Promise<ActionExit> {
  const printer = new Printer(flow);
  await printer.prepared(prepared);
  const { options } = flow;
  if (options.dryRun === 'client') {
    await printer.names(prepared);
    await printer.say([TextLine.of('Nothing was sent (--dry-run=client).', 'muted')]);
    return { code: EXIT_DONE, reason: 'DryRun' };
  }
  if (options.dryRun === 'server') return rehearse(prepared, { flow, printer, report });
  if (options.yes && !options.allowStuck && outcomeWords.mayLeaveStuck(prepared))
    throw new ActionRefused(outcomeWords.stuckRefusal(prepared), 'WouldGetStuck');
  return new Performance({ flow, printer, report }, prepared).run();
}

interface Stage {
  readonly flow: Flow;
  readonly printer: Printer;
  readonly report: ActReport;
}

async function rehearse(prepared: Prepared, { flow, printer, report }: Stage): Promise<ActionExit> {
  const { acting, signal } = flow;
  const { source, session } = acting;
  const dryRun = source.dryRun?.bind(source);
  flow.catchInterrupts();
  const examination = await session
    .until(
      examine(prepared, {
        catalog: session.view.catalog,
        ask: request => source.act(request, signal),
        dryRun: dryRun && (request => dryRun(request, signal)),
      }),
    )
    .catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  signal.throwIfAborted();
  report.examination = examination;
  await printer.say(failureWords.doubt(examination, 2));
  const failure = examinationFailure(examination);
  if (failure !== undefined)
    throw new ActionRefused(failure, examination.denied.length > 0 ? 'Denied' : 'Refused');
  const checked =
    source.dryRun === undefined
      ? 'It is permitted.'
      : 'It is permitted, and the API server would take every request that it could be asked about beforehand.';
  await printer.names(prepared);
  await printer.say([TextLine.of(`${checked} Nothing was changed (--dry-run=server).`, 'good')]);
  return { code: EXIT_DONE, reason: 'DryRun' };
}

class Performance {
  readonly #flow: Flow;
  readonly #printer: Printer;
  readonly #report: ActReport;
  readonly #status: StatusLine;
  #sentAt: number | undefined;
  #told: Prepared;
  /** True if `yes` was given for another forecast. */
  #changedMind = false;

  constructor({ flow, printer, report }: Stage, prepared: Prepared) {
    this.#flow = flow;
    this.#printer = printer;
    this.#report = report;
    this.#status = new StatusLine(flow.command.io);
    this.#told = prepared;
  }

  async run(): Promise<ActionExit> {
    const { command, acting, signal, catchInterrupts } = this.#flow;
    catchInterrupts();
    const over = new AbortController();
    void this.#status.showPauses(acting.session.view, acting.changes, over.signal);
    const ended = await actionRun
      .perform(this.#told, this.#ports(this.#told))
      .catch((error: unknown) => {
        throw withoutJournal(error) ?? error;
      })
      .finally(() => {
        over.abort();
        this.#status.wipe();
      });
    this.#report.ended = ended;
    this.#report.forecast(ended.prepared);
    const failure = failureOf(ended, this.#changedMind);
    if (ended.taken === 0) signal.throwIfAborted();
    if (failure !== undefined) {
      const refused = new ActionRefused(failure, exitReason(ended, this.#changedMind));
      if (!signal.aborted) throw refused;
      say(command.io, describeFailure(refused, 0));
      throw signal.reason;
    }
    if (ended.state === 'cancelled') {
      return { code: nothingSent(this.#flow), reason: 'Declined' };
    }
    await this.#printer.names(ended.prepared);
    await this.#printOutcome(ended);
    signal.throwIfAborted();
    return this.#exitOf(ended);
  }

  #exitOf(ended: Ended): ActionExit {
    const { state } = ended;
    if (state === 'reached')
      return outcomeWords.endsStuck(ended)
        ? { code: EXIT_FOUND, reason: 'Stuck' }
        : { code: EXIT_DONE, reason: 'Done' };
    if (state === 'unfinished' && !this.#follows) return { code: EXIT_DONE, reason: 'NotFollowed' };
    return { code: EXIT_FOUND, reason: state === 'unfinished' ? 'TimedOut' : 'Departed' };
  }

  get #follows(): boolean {
    return this.#flow.options.wait;
  }

  async #printOutcome(ended: Ended): Promise<void> {
    const { command, acting, afterwards } = this.#flow;
    const source = sameSource(command.flags, 'acts');
    const { journal, session } = acting;
    // The demo's cluster ends with the command, and an undo can't delete what an earlier undo recreated.
    const lasting = session.source.info.source !== 'demo' && this.#flow.options.verb !== 'undo';
    const reversal = lasting ? await Undo.reversal(ended, { journal, view: session.view }) : undefined;
    this.#report.reversal = reversal;
    await this.#printer.say([
      ...outcomeWords.lines(ended, {
        took: command.io.now() - (this.#sentAt ?? command.io.now()),
        undo: reversal && {
          reversal,
          command: entries =>
            entries.map(entry => ({ words: ['kubectl', 'gc-tree', 'undo', entry, ...source] })),
          list: [{ words: ['kubectl', 'gc-tree', 'undo', ...source] }],
        },
        followed: this.#follows,
      }),
      ...afterwards,
    ]);
  }

  #ports(prepared: Prepared): RunPorts {
    const { acting, options, signal } = this.#flow;
    const { session, source, journal, changes } = acting;
    const timeout = options.wait ? (options.timeout ?? actionRun.usualTimeout(prepared)) : 0;
    return {
      view: session.view,
      source,
      journal,
      now: () => session.now(),
      changed: (milliseconds, stop) => changes.within(milliseconds, stop),
      confirm: question => this.#confirm(question),
      tell: event => this.#hear(event),
      remedyFor: (...asked) => offeredRemedies.byId(diagnose(session), ...asked),
      absencesBehind: objects => {
        const diagnosis = diagnose(session);
        return objects.flatMap(({ uid }) => diagnosis.absencesBehind(uid));
      },
      context: session.source.info.context,
      secretData: options.secretData,
      timeout,
      signal,
    };
  }

  async #confirm({ prepared: promised, examination, before }: Question): Promise<boolean> {
    const { options, asker, told } = this.#flow;
    const prepared = promised.forecast.logical === undefined ? await told(promised) : promised;
    this.#report.examination = examination;
    await this.#printer.say(failureWords.doubt(examination, 2));
    const shown = this.#told;
    this.#told = prepared;
    this.#report.forecast(prepared);
    // The forecast may have changed before the question.
    if (before !== undefined || !promises.areSame(shown, prepared)) {
      const words = 'The cluster has changed since the forecast, and this is what would happen now:';
      await this.#printer.say([TextLine.of(words, 'warning'), TextLine.empty]);
      await this.#printer.text(prepared);
      if (!options.canAsk) {
        this.#changedMind = true;
        return false;
      }
    } else if (options.yes) {
      this.#report.answer = 'inAdvance';
      return true;
    }
    const answer = await asker.ask(questionFor(prepared));
    const wanted = answer !== undefined && isConfirmed(prepared, answer);
    this.#report.answer = wanted ? 'given' : 'declined';
    return wanted;
  }

  #hear(event: RunEvent): void {
    const { io } = this.#flow.command;
    switch (event.event) {
      case 'examining':
        return this.#status.show('asking whether it is permitted …');
      case 'examined':
      case 'sent':
        if (event.event === 'examined') this.#report.examination = event.examination;
        this.#status.wipe();
        return this.#flow.acting.session.reportWarnings();
      case 'changed':
        this.#status.wipe();
        if (event.same) say(io, 'The cluster has changed since the forecast; a new one promises the same.\n');
        return;
      case 'sending':
        this.#sentAt ??= io.now();
        this.#report.sending(event.entry);
        return this.#status.show(`${questionWords.sending(event.prepared, event.request)} …`);
      case 'readBack':
        return this.#status.show(failureWords.found(event.found));
      case 'progress':
        return this.#follows ? this.#status.show(outcomeWords.progress(event.progress)) : undefined;
    }
  }
}

/** Asks for `y` for one object, and for a typed word for many or for a dangerous action. */
function questionFor({ intent, confirmation }: Prepared): string {
  return confirmation.kind === 'typed'
    ? `${questionWords.typed(confirmation)} to confirm: `
    : `${questionWords.question(intent)}? [y/N] `;
}

function isConfirmed({ confirmation }: Prepared, answer: string): boolean {
  if (confirmation.kind === 'typed') return answer === shownName(confirmation.word);
  return /^y(?:es)?$/iu.test(answer);
}

class Printer {
  readonly #flow: Flow;
  readonly #look: LineLook;
  readonly #isText: boolean;

  constructor(flow: Flow) {
    this.#flow = flow;
    this.#look = lineLook(flow.command);
    this.#isText = isText(flow.options.format);
  }

  async say(lines: Iterable<TextLine>): Promise<void> {
    const pieces = [...lines].map(line => printLine(line, this.#look));
    const { output, io } = this.#flow.command;
    if (this.#isText) await output.write(pieces);
    else io.stderr.write(pieces.join(''));
  }

  /** Shows the forecast, on standard error if a document follows and the user must confirm. */
  async prepared(prepared: Prepared): Promise<void> {
    const { options } = this.#flow;
    const asks = options.canAsk && !options.yes && options.dryRun === 'none';
    if (this.#isText || asks) await this.text(prepared);
  }

  /** Prints deleted names for `-o name`, once sent or in a dry run. */
  async names(prepared: Prepared): Promise<void> {
    const { command, options, acting } = this.#flow;
    if (options.format !== 'name') return;
    const namespace = scopeOf(command.flags, acting.session.source);
    await command.output.write(printDeletedNames(prepared.forecast, namespace));
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
    const noted = [...notes(prepared), ...questionWords.losses(prepared.losses)];
    if (noted.length > 0) await this.say([TextLine.empty, ...noted]);
    await this.say([TextLine.empty, ...questionWords.requests(prepared.requests, wide), TextLine.empty]);
  }
}
