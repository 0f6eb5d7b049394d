import type { PodGCCandidateList } from '../../documents/definitions.ts';
import { podGcDocument } from '../../documents/podgc-document.ts';
import { printDocument } from '../../documents/print/document.ts';
import { markdownParagraph, markdownTitle } from '../../documents/reports/markdown.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { UsageError } from '../../runtime/errors.ts';
import { formatOf } from '../../runtime/output-formats.ts';
import { contextTitle, failedSentence } from '../contexts/context-sentences.ts';
import { askContexts, Captured } from '../contexts/contexts.ts';
import { contextList, exitCodeOf, printSections } from '../contexts/print-contexts.ts';
import { printPodGc } from './run-podgc.ts';

interface Surveyed {
  readonly exitCode: number;
  readonly pieces: readonly string[];
  readonly document?: PodGCCandidateList;
}

type AnswerPodGc = (command: TargetCommand, tell: typeof printPodGc) => Promise<number>;

/** Resolves with exit code 2 if a context failed. */
export async function podGcContexts(
  command: TargetCommand,
  patterns: readonly string[],
  answer: AnswerPodGc,
): Promise<number> {
  const { flags, output } = command;
  const format = formatOf('podgc', flags.output);
  if (format === 'name')
    throw new UsageError(
      '-o name cannot say which context a pod is in. Use -o text, wide, json, yaml or markdown.',
    );
  const isDocument = format === 'json' || format === 'yaml';
  const answers = await askContexts(command, patterns, async (each): Promise<Surveyed> => {
    const captured = new Captured();
    let document: PodGCCandidateList | undefined;
    const exitCode = await answer({ ...each, output: captured.output }, async (run, found) => {
      if (isDocument) document = podGcDocument(run.session.basis(), found);
      else await printPodGc(run, found);
    });
    return { exitCode, pieces: captured.pieces, ...(document === undefined ? {} : { document }) };
  });
  if (isDocument) await output.write(printDocument(contextList(answers), format));
  else if (format === 'markdown')
    await output.write(
      answers.flatMap(({ context, answer: found, failure }) => [
        markdownTitle(contextTitle(context)),
        ...(failure === undefined ? [] : [markdownParagraph(failedSentence(failure.message))]),
        ...(found?.pieces ?? []),
      ]),
    );
  else await output.write(printSections(command, answers));
  return exitCodeOf(answers);
}
