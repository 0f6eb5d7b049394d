import {
  type ContextEntry,
  type ContextListDocument,
  contextListDocument,
} from '../../../documents/context-list.ts';
import { printLine } from '../../../documents/print/lines.ts';
import { contextsSentence, contextTitle, failedSentence } from '../../../text/connection/contexts.ts';
import { textLine } from '../../../text/terminal/text-line.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { EXIT_WRONG } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import type { ContextAnswer } from './contexts.ts';

export function* printSections(
  command: Pick<CommandContext, 'flags' | 'io'>,
  answers: readonly ContextAnswer<{ readonly pieces: readonly string[] }>[],
): Generator<string> {
  const look = lineLook(command);
  for (const { context, answer, failure } of answers) {
    yield printLine(textLine(contextTitle(context), 'title'), look);
    if (failure !== undefined) yield printLine(textLine(failedSentence(failure.message), 'warning', 2), look);
    yield* answer?.pieces ?? [];
    yield '\n';
  }
  const failed = answers.flatMap(({ context, failure }) => (failure === undefined ? [] : [context]));
  yield printLine(textLine(contextsSentence(answers.length, failed)), look);
}

export function contextList(
  answers: readonly ContextAnswer<{ readonly document?: ContextEntry['document'] }>[],
): ContextListDocument {
  return contextListDocument(
    answers.map(({ context, answer, failure }) => ({
      context,
      ...(answer?.document === undefined ? {} : { document: answer.document }),
      ...(failure === undefined ? {} : { error: { message: failure.message } }),
    })),
  );
}

/** Returns 2 if a context failed, otherwise the highest code. */
export function exitCodeOf(answers: readonly ContextAnswer<{ readonly exitCode: number }>[]): number {
  return Math.max(0, ...answers.map(({ answer }) => answer?.exitCode ?? EXIT_WRONG));
}
