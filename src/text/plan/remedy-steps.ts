/** The steps of a composed remedy, for lists and the question. A file of its own: lists must not import `actions`. */
import type { Remedy, Risk } from '../../forecast/index.ts';
import { counted } from '../../model/index.ts';
import type { Style } from '../terminal/style.ts';
import { TextLine } from '../terminal/text-line.ts';

const SHOWN = 10;

const riskStyles: Readonly<Record<Risk, Style>> = { safe: 'good', caution: 'warning', dangerous: 'danger' };

/** Yields `  1. dangerous  remove example.com/drain from web-2`; nothing for a remedy of one step. */
export function* remedySteps({ steps = [] }: Pick<Remedy, 'steps'>, indent = 2): Generator<TextLine> {
  for (const [index, { title, risk }] of steps.slice(0, SHOWN).entries()) {
    const number = `${index + 1}.`.padStart(3);
    yield TextLine.of(
      `${' '.repeat(indent)}${number} ${risk.padEnd(9)}  ${title}`,
      riskStyles[risk],
      indent + 15,
    );
  }
  const more = steps.length - SHOWN;
  if (more > 0) yield TextLine.of(`${' '.repeat(indent)}and ${counted(more, 'more step')}`, 'muted');
}
