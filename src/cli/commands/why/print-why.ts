import type { Diagnosis } from '../../../diagnosis/index.ts';
import { objectTitle } from '../../../model/index.ts';
import {
  actionCommands,
  type GoneTraces,
  nameWords,
  type WhyAnswer,
  type WhyTextOptions,
} from '../../../text/index.ts';
import { goneDocument } from '../../documents/findings/deletion-history.ts';
import { diagnosisDocument, printAnswers } from '../../documents/findings/diagnosis-document.ts';
import { printDocument } from '../../documents/print/document.ts';
import { markdownBlock, markdownParagraph, markdownTitle } from '../../documents/reports/markdown.ts';
import type { CommandContext } from '../../runtime/command.ts';
import { glyphsFor, lineLook } from '../../runtime/format.ts';
import type { FormatOf } from '../../runtime/output-formats.ts';
import { say } from '../../runtime/say.ts';
import type { Outlook } from '../../session/diagnose.ts';
import { onSameCluster, sameSource } from '../../session/same-source.ts';
import { type ClusterSession, scopeOf } from '../../session/session.ts';
import { reservationLines } from '../../session/watch.ts';

export interface WhyRun {
  readonly command: CommandContext;
  readonly session: ClusterSession;
  readonly diagnosis: Diagnosis;
  readonly outlook: Outlook;
  readonly format: FormatOf<'why'>;
  /** Traces of an object that only references name; documents print them. */
  readonly traces?: GoneTraces | undefined;
}

export async function printAnswersIn(run: WhyRun, answers: readonly WhyAnswer[]): Promise<void> {
  const { command, session, outlook, format, traces } = run;
  const { io, flags, output } = command;
  switch (format) {
    case 'text':
    case 'wide':
      await output.write(printAnswers(answers, textOptions(run, io.columns()), lineLook(command)));
      say(io, reservationLines(session).join(''));
      return;
    case 'markdown':
      return output.write(answersMarkdown(run, answers));
    case 'name':
      return output.write(
        answers.map(({ object }) => `${nameWords.scoped(object, scopeOf(flags, session.source))}\n`),
      );
    case 'json':
    case 'yaml': {
      const basis = session.basis();
      const document = diagnosisDocument(basis, answers, {
        remediesOf: each => outlook.withEffects(each),
        fileLineOf: uid => session.source.fileLine?.(uid),
      });
      const gone = traces === undefined ? {} : goneDocument(traces);
      return output.write(printDocument({ ...document, ...gone }, format));
    }
  }
}

/** Puts each `-o text` answer under a title. */
function* answersMarkdown(run: Omit<WhyRun, 'outlook'>, answers: readonly WhyAnswer[]): Generator<string> {
  const look = { colour: false, ascii: run.command.flags.ascii === true, width: undefined };
  for (const answer of answers) {
    yield markdownTitle(objectTitle(answer.object));
    yield markdownBlock([...printAnswers([answer], textOptions(run, undefined), look)].join(''));
  }
  yield* reservationLines(run.session).map(markdownParagraph);
}

export function textOptions(
  { command: { flags }, session, diagnosis, format }: Omit<WhyRun, 'outlook'>,
  width: number | undefined,
): (answer: WhyAnswer) => WhyTextOptions {
  return ({ object }) => ({
    wide: format === 'wide',
    width,
    glyphs: glyphsFor(flags),
    now: diagnosis.tracked.now,
    command: ({ id }) => actionCommands.ofRemedy(session.view.catalog, object, id, sameSource(flags, 'acts')),
    kubectl: commands => onSameCluster(commands, flags),
  });
}
