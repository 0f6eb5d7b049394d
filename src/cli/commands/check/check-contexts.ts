/** `check --contexts`: reports the findings of several clusters together. */
import type { FindingList } from '../../documents/definitions.ts';
import { printDocument } from '../../documents/print/document.ts';
import {
  type FindingReport,
  failedAnnotation,
  failedMarkdown,
  findingAnnotations,
  findingMarkdown,
} from '../../documents/reports/findings.ts';
import { printAnnotations } from '../../documents/reports/github.ts';
import { type JunitReport, printJunit } from '../../documents/reports/junit.ts';
import type { TargetCommand } from '../../runtime/command.ts';
import { UsageError } from '../../runtime/errors.ts';
import { alternatives, formatOf, isDocument, isText } from '../../runtime/output-formats.ts';
import { appendStepSummary, repositoryFolder } from '../../runtime/step-summary.ts';
import { askContexts, Captured, type ContextAnswer } from '../contexts/contexts.ts';
import { contextList, exitCodeOf, printSections } from '../contexts/print-contexts.ts';
import { documentOf, junitOf, printRun, reportOf } from './run-check.ts';

/** Formats that can say which context an object is in. */
const mergedFormats = ['text', 'wide', 'json', 'yaml', 'junit', 'github', 'markdown'] as const;

interface Checked {
  readonly exitCode: number;
  readonly pieces: readonly string[];
  readonly document?: FindingList;
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
  const merged = mergedFormats.find(each => each === format);
  if (merged === undefined)
    throw new UsageError(
      `-o ${format} cannot say which context an object is in. Use -o ${alternatives(mergedFormats)}.`,
    );
  const answers = await askContexts(command, patterns, async (each, context): Promise<Checked> => {
    const captured = new Captured();
    let made: Omit<Checked, 'exitCode' | 'pieces'> = {};
    const exitCode = await answer({ ...each, output: captured.output }, async (run, scope, findings) => {
      if (isDocument(merged)) made = { document: documentOf(run, scope, findings) };
      else if (merged === 'junit') made = { junit: junitOf(run, scope, findings, context) };
      else if (isText(merged)) await printRun(run, scope, findings);
      else made = { report: finished(reportOf(run, scope, findings, context)) };
    });
    return { ...made, exitCode, pieces: captured.pieces };
  });
  await printContexts(command, merged, answers);
  return exitCodeOf(answers);
}

async function printContexts(
  command: TargetCommand,
  format: (typeof mergedFormats)[number],
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
