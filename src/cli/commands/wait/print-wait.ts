import type { Identity } from '../../../graph/index.ts';
import { type ShellCommand, shellLine } from '../../../model/index.ts';
import { actionCommands, nameWords, TextLine, waitWords } from '../../../text/index.ts';
import { printAnswers } from '../../documents/findings/diagnosis-document.ts';
import { printDocument } from '../../documents/print/document.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import { printAnnotations } from '../../documents/reports/github.ts';
import { printWaitJunit, waitAnnotations, waitMarkdown } from '../../documents/wait/reports.ts';
import { type WaitItem, type WaitResult, waitResultDocument } from '../../documents/wait/wait-result.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { lineLook } from '../../runtime/format.ts';
import type { FormatOf } from '../../runtime/output-formats.ts';
import { appendStepSummary, repositoryFolder } from '../../runtime/step-summary.ts';
import { sameSource } from '../../session/same-source.ts';
import { type ClusterSession, scopeOf } from '../../session/session.ts';
import type { Explained } from '../why/answers.ts';
import { textOptions } from '../why/print-why.ts';

export interface WaitPrint {
  readonly command: TargetCommand;
  readonly session: ClusterSession;
  readonly format: FormatOf<'wait'>;
  readonly explained: Explained | undefined;
}

/** `timeout` in milliseconds. */
export function printItems(
  command: TargetCommand,
  items: readonly WaitItem[],
  timeout: number,
): Promise<void> {
  const look = lineLook(command);
  return command.output.write(
    items.map(item => printLine(TextLine.of(waitWords.sentence(item, timeout), styleOf(item), 2), look)),
  );
}

function styleOf({ outcome }: WaitItem): 'warning' | 'plain' {
  return outcome === 'Remaining' || outcome === 'Unknown' ? 'warning' : 'plain';
}

/** In text, omits items reported earlier. */
export async function printResult(print: WaitPrint, result: WaitResult): Promise<void> {
  const { command, session, format, explained } = print;
  const { output, flags, io } = command;
  const { items, timeoutMilliseconds } = result;
  const left = items.filter(({ outcome }) => outcome !== 'Deleted' && outcome !== 'Recreated');
  switch (format) {
    case 'text':
    case 'wide': {
      await printItems(command, left, timeoutMilliseconds);
      const [first] = items.filter(({ outcome }) => outcome === 'Remaining');
      if (first !== undefined)
        await output.write([
          printLine(TextLine.command('More: ', [whyOf(print, first.object)], 'plain', 2), lineLook(command)),
        ]);
      return;
    }
    case 'name':
      return output.write(
        items
          .filter(each => !left.includes(each))
          .map(({ object }) => `${nameWords.scoped(object, scopeOf(flags, session.source))}\n`),
      );
    case 'json':
    case 'yaml': {
      const document = waitResultDocument(session.basis(), result, {
        remediesOf: each => explained?.outlook.withEffects(each) ?? each.remedies(),
        fileLineOf: () => undefined,
      });
      return output.write(printDocument(document, format));
    }
    case 'junit':
      return output.write(printWaitJunit(result, session.basis()));
    case 'github': {
      const why = (object: Identity) => shellLine([whyOf(print, object)]);
      await output.write(printAnnotations([...waitAnnotations(result, why)], repositoryFolder(io)));
      appendStepSummary(command, markdown(print, result));
      return;
    }
    case 'markdown':
      return output.write(markdown(print, result));
  }
}

function markdown(print: WaitPrint, result: WaitResult): Iterable<string> {
  const { command, session, explained } = print;
  const look = { colour: false, ascii: command.flags.ascii === true, width: undefined };
  return waitMarkdown(result, ({ answer }) => {
    if (explained === undefined) return answer.summary;
    const run = { command, session, diagnosis: explained.diagnosis, format: 'text' } as const;
    return [...printAnswers([answer], textOptions(run, undefined), look)].join('');
  });
}

function whyOf({ session, command }: WaitPrint, object: Identity): ShellCommand {
  return actionCommands.on(session.view.catalog, object, ['why'], sameSource(command.flags, 'reads'));
}
