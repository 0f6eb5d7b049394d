/** What would happen by each of the three policies; to read it is told with its steps and what would unblock the object. */
import type { Prepared } from '../../actions/prepare/prepare.ts';
import { type Cascade, cascades } from '../../forecast/action.ts';
import type { KubeObject } from '../../model/object.ts';
import { endAlike, type PolicyForecasts, policyLines } from '../../text/actions/policies.ts';
import { planLines } from '../../text/plan/plan.ts';
import { emptyLine, type TextLine, textLine } from '../../text/terminal/text-line.ts';
import type { ActionChoice } from './action.ts';
import type { ActingCluster } from './cluster.ts';
import type { ActingDialog } from './dialog.ts';
import { remedyChoices } from './offers.ts';
import { notesOf } from './text.ts';

/** One forecast after the other, with input that waits in between. */
export async function preparePolicies(
  cluster: ActingCluster,
  targets: readonly KubeObject[],
): Promise<{
  readonly prepared: Readonly<Record<Cascade, Prepared>>;
  readonly forecasts: PolicyForecasts;
}> {
  const prepareAs = (cascade: Cascade): Promise<Prepared> =>
    cluster.prepare({ verb: 'delete', targets, cascade });
  const background = await prepareAs('background');
  const foreground = await prepareAs('foreground');
  const orphan = await prepareAs('orphan');
  return {
    prepared: { background, foreground, orphan },
    forecasts: {
      background: background.forecast,
      foreground: foreground.forecast,
      orphan: orphan.forecast,
    },
  };
}

/** Forecasts to read, and nothing to send. */
export async function tellForecasts(
  targets: readonly [KubeObject, ...KubeObject[]],
  { cluster, dialog }: { readonly cluster: ActingCluster; readonly dialog: ActingDialog },
): Promise<void> {
  const { prepared, forecasts } = await preparePolicies(cluster, targets);
  if (dialog.closed) return;
  const { view } = cluster;
  const remedies =
    targets.length > 1
      ? []
      : remedyChoices(cluster.diagnosis(), targets[0], { all: false, view, now: cluster.now() }).choices;
  const notes = notesOf(prepared.background, view);
  const lines = forecastLines({ forecasts, notes, remedies, width: dialog.width });
  dialog.tell({ stage: { at: 'ended', outcome: 'Forecast only: nothing was sent.', style: 'muted' }, lines });
}

interface ForecastLinesOptions {
  readonly forecasts: PolicyForecasts;
  readonly notes: readonly TextLine[];
  /** With their effects. */
  readonly remedies: readonly ActionChoice[];
  /** Columns. */
  readonly width: number;
}

function forecastLines({ forecasts, notes, remedies, width }: ForecastLinesOptions): readonly TextLine[] {
  const plans: Iterable<TextLine> = endAlike(forecasts)
    ? planLines(forecasts.background, { wide: false, steps: true })
    : [
        ...policyLines(forecasts, { all: true, width }),
        ...cascades.flatMap(each => [
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
