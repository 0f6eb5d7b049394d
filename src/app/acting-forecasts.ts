/** What would happen, to read and not to choose from: the three policies with their steps, and what would unblock it. */
import { endAlike, type PolicyForecasts, policyLines } from '../text/action-policies.ts';
import { planLines } from '../text/plan.ts';
import { emptyLine, type TextLine, textLine } from '../text/text-line.ts';
import type { ActionChoice } from './action.ts';

export interface ForecastLinesOptions {
  readonly forecasts: PolicyForecasts;
  readonly notes: readonly TextLine[];
  /** With their effects. */
  readonly remedies: readonly ActionChoice[];
  /** Columns. */
  readonly width: number;
}

export function forecastLines({
  forecasts,
  notes,
  remedies,
  width,
}: ForecastLinesOptions): readonly TextLine[] {
  const plans: Iterable<TextLine> = endAlike(forecasts)
    ? planLines(forecasts.background, { wide: false, steps: true })
    : [
        ...policyLines(forecasts, { all: true, width }),
        ...(['background', 'foreground', 'orphan'] as const).flatMap(each => [
          emptyLine,
          textLine(`With --cascade=${each}`, 'title'),
          ...planLines(forecasts[each], { wide: true, steps: true }),
        ]),
      ];
  return [...plans, ...notes, ...remedyLines(remedies)];
}

function remedyLines(remedies: readonly ActionChoice[]): readonly TextLine[] {
  if (remedies.length === 0) return [];
  // The first of their lines is the title again.
  const each = remedies.flatMap(({ label, hint, style, lines }): readonly TextLine[] => [
    {
      spans: [
        { text: `  ${hint}  `, style },
        { text: label, style: 'plain' },
      ],
      indent: 6,
    },
    ...lines.slice(1),
  ]);
  return [emptyLine, textLine('What would unblock it', 'title'), ...each];
}
