/** What is printed of an action: forecast, requests and outcome, on standard output unless that is a document. */
import type { Prepared } from '../../../actions/prepare/prepare.ts';
import { printPlan } from '../../../documents/plan/text.ts';
import { printDeletedNames } from '../../../documents/print/document.ts';
import { type LineLook, printLine } from '../../../documents/print/lines.ts';
import { lossLines, requestLines } from '../../../text/actions/question.ts';
import { emptyLine, type TextLine } from '../../../text/terminal/text-line.ts';
import { lineLook } from '../../output/appearance.ts';
import { isText } from '../../output/format.ts';
import { onSameCluster } from '../../session/same-source.ts';
import { scopeOf } from '../../session/session.ts';
import type { Flow } from './session.ts';

export class Printer {
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

  /**
   * The forecast. What programs read comes at the end, when it is certain what became of it; whoever is asked before
   * that, sees the forecast on standard error.
   */
  async prepared(prepared: Prepared): Promise<void> {
    const { options } = this.#flow;
    const asks = options.canAsk && !options.yes && options.dryRun === 'none';
    if (this.#isText || asks) await this.text(prepared);
  }

  /** For `-o name`, once it is certain that it was sent, or is only tried: what goes by the forecast. */
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
    const noted = [...notes(prepared), ...lossLines(prepared.losses)];
    if (noted.length > 0) await this.say([emptyLine, ...noted]);
    await this.say([emptyLine, ...requestLines(prepared.requests, wide), emptyLine]);
  }
}
