/** `check --contexts`: reports the findings of several clusters together. */
import type { FindingListDocument } from '../../../documents/findings/finding-list.ts';
import { printDocument } from '../../../documents/print/document.ts';
import {
  type FindingReport,
  failedAnnotation,
  failedMarkdown,
  findingAnnotations,
  findingMarkdown,
} from '../../../documents/reports/findings.ts';
import { printAnnotations } from '../../../documents/reports/github.ts';
import { type JunitReport, printJunit } from '../../../documents/reports/junit.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { UsageError } from '../../runtime/errors.ts';
import { formatOf } from '../../runtime/format.ts';
import { appendStepSummary, repositoryFolder } from '../../runtime/step-summary.ts';
import { askContexts, Captured, type ContextAnswer } from '../contexts/contexts.ts';
import { contextList, exitCodeOf, printSections } from '../contexts/print.ts';
import { documentOf, junitOf, printRun, reportOf } from './run.ts';

interface Checked {
  readonly exitCode: number;
  readonly pieces: readonly string[];
  readonly document?: FindingListDocument;
  readonly junit?: JunitReport;
  readonly report?: FindingReport;
}

type AnswerCheck = (command: TargetCommand, tell: typeof printRun) => Promise<number>;

/** Resolves with exit code 2 if a context failed, otherwise with the highest. */
export async function checkContexts(
  command: TargetCommand,
  patterns: readonly string[],
  answer: AnswerCheck,
): Promise<number> {
  const { flags } = command;
  const format = formatOf('check', flags.output);
  if (flags.baseline !== undefined || format === 'baseline')
    throw new UsageError(
      'a baseline is of one cluster: leave --contexts out, and check one after the other.',
    );
  if (format === 'name' || format === 'sarif')
    throw new UsageError(
      `-o ${format} cannot say which context an object is in. Use -o text, wide, json, yaml, junit, github or markdown.`,
    );
  const answers = await askContexts(command, patterns, async (each, context): Promise<Checked> => {
    const captured = new Captured();
    let made: Omit<Checked, 'exitCode' | 'pieces'> = {};
    const exitCode = await answer({ ...each, output: captured.output }, async (run, scope, findings) => {
      if (format === 'json' || format === 'yaml') made = { document: documentOf(run, scope, findings) };
      else if (format === 'junit') made = { junit: junitOf(run, scope, findings, context) };
      else if (format === 'text' || format === 'wide') await printRun(run, scope, findings);
      else made = { report: finished(reportOf(run, scope, findings, context)) };
    });
    return { ...made, exitCode, pieces: captured.pieces };
  });
  await printContexts(command, format, answers);
  return exitCodeOf(answers);
}

async function printContexts(
  command: TargetCommand,
  format: 'text' | 'wide' | 'json' | 'yaml' | 'junit' | 'github' | 'markdown',
  answers: readonly ContextAnswer<Checked>[],
): Promise<void> {
  const { output, io } = command;
  const failed = answers.flatMap(({ failure }) => failure ?? []);
  switch (format) {
    case 'text':
    case 'wide':
      await output.write(printSections(command, answers));
      break;
    case 'json':
    case 'yaml':
      await output.write(printDocument(contextList(answers), format));
      break;
    case 'junit':
      await output.write(
        printJunit(
          answers.flatMap(({ answer: found }) => found?.junit ?? []),
          failed,
        ),
      );
      break;
    case 'github': {
      // GitHub shows ten annotations per level, so failed contexts come before findings.
      const annotations = [
        ...failed.map(failedAnnotation),
        ...answers.flatMap(({ answer: found }) =>
          found?.report ? [...findingAnnotations(found.report)] : [],
        ),
      ];
      await output.write(printAnnotations(annotations, repositoryFolder(io)));
      appendStepSummary(command, markdownOf(answers));
      break;
    }
    case 'markdown':
      await output.write(markdownOf(answers));
  }
}

function* markdownOf(answers: readonly ContextAnswer<Checked>[]): Generator<string> {
  for (const { answer, failure } of answers) {
    if (failure !== undefined) yield* failedMarkdown(failure);
    if (answer?.report !== undefined) yield* findingMarkdown(answer.report);
  }
}

/** Freezes what depends on the open cluster. */
function finished(report: FindingReport): FindingReport {
  const commands = new Map(report.findings.map(finding => [finding, report.whyOf(finding)]));
  return { ...report, whyOf: finding => commands.get(finding) };
}
