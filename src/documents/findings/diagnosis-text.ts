/** Diagnosis as text on a terminal: one answer after the other, an empty line between them. */
import { type WhyAnswer, type WhyTextOptions, whyLines } from '../../text/diagnosis/why.ts';
import { type LineLook, printLine } from '../print/lines.ts';

/** `optionsFor` gives the options for one answer: its commands name the object. */
export function* printAnswers(
  answers: readonly WhyAnswer[],
  optionsFor: (answer: WhyAnswer) => WhyTextOptions,
  look: LineLook,
): Generator<string> {
  for (const [index, answer] of answers.entries()) {
    if (index > 0) yield '\n';
    for (const line of whyLines(answer, optionsFor(answer))) yield printLine(line, look);
  }
}
