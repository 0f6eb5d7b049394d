/** Finds the painted forecast, and the step of it that the tree shows. */
import type { Painting } from '../painting/painting.ts';
import type { ActionDialog, ForecastStep } from './action-dialog.ts';
import type { State } from './state.ts';

export function currentPainting({ dialog }: Pick<State, 'dialog'>): Painting | undefined {
  if (dialog?.kind !== 'action') return undefined;
  const { stage, paintings } = dialog;
  const chosen = stage.at === 'choosing' ? stage.choices[stage.cursor]?.id : undefined;
  return (chosen === undefined ? undefined : paintings.get(chosen)) ?? paintings.get('');
}

/** Returns undefined at the forecast's end, after the answer, and once another forecast is painted. */
export function currentStep({ dialog }: Pick<State, 'dialog'>): ForecastStep | undefined {
  if (dialog?.kind !== 'action' || dialog.step === undefined || !isBeforeAnswer(dialog)) return undefined;
  return dialog.step.painting === currentPainting({ dialog }) ? dialog.step : undefined;
}

export function isBeforeAnswer({ stage }: ActionDialog): boolean {
  return stage.at === 'choosing' || stage.at === 'asking';
}
