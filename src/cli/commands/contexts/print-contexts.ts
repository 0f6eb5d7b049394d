import { TextLine } from '../../../text/index.ts';
import { contextListDocument } from '../../documents/context-list.ts';
import type { ContextEntry, ContextList } from '../../documents/definitions.ts';
import { printLine } from '../../documents/print/print-lines.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { EXIT_WRONG } from '../../runtime/errors.ts';
import { lineLook } from '../../runtime/format.ts';
import { contextsSentence, contextTitle, failedSentence } from './context-sentences.ts';
import type { ContextAnswer } from './contexts.ts';

export function* printSections(
  command: Pick<CommandContext, 'flags' | 'io'>,
  answers: readonly ContextAnswer<{ readonly pieces: readonly string[] }>[],
): Generator<string> {
  const look = lineLook(command);
  for (const { context, answer, failure } of answers) {
    yield printLine(TextLine.of(contextTitle(context), 'title'), look);
    if (failure !== undefined)
      yield printLine(TextLine.of(failedSentence(failure.message), 'warning', 2), look);
    yield* answer?.pieces ?? [];
    yield '\n';
  }
  const failed = answers.flatMap(({ context, failure }) => (failure === undefined ? [] : [context]));
  yield printLine(TextLine.of(contextsSentence(answers.length, failed)), look);
}

export function contextList(
  answers: readonly ContextAnswer<{ readonly document?: ContextEntry['document'] }>[],
): ContextList {
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
