/** Steps through the painted forecast with the keys of a recording's time line. */
import { stepInSight } from '../actions/stand.ts';
import { commandOfKey } from '../commands/bindings.ts';
import type { ActionDialog } from '../state/action-dialog.ts';
import { currentPainting, currentStep, isBeforeAnswer } from '../state/forecast-step.ts';
import { asking, type State, withNewRevision, withNotice } from '../state/state.ts';

/** Step that each command goes to, from step `n` of `length`; from the end, `n` is undefined. Beyond the last is the end. */
const moves: Readonly<Record<string, (n: number | undefined, length: number) => number>> = {
  changeBack: (n, length) => Math.max(1, n === undefined ? length : n - 1),
  changeOn: n => (n ?? 0) + 1,
  recordingStart: () => 1,
  recordingEnd: (_, length) => length + 1,
};

/** Keys that don't type, for a question that wants a word. */
const beside: Readonly<Record<string, string>> = { left: 'changeBack', right: 'changeOn' };

/** Returns undefined if the key doesn't step. */
export function keyInSteps(state: State, dialog: ActionDialog, id: string): State | undefined {
  const { stage } = dialog;
  if (!isBeforeAnswer(dialog)) return undefined;
  const step = currentStep(state);
  if (id === 'escape') return step === undefined ? undefined : goToStep(state, dialog, undefined);
  const isTyping = stage.at === 'asking' && stage.word !== undefined;
  const move = moves[(isTyping ? beside[id] : commandOfKey(id, state.view)?.id) ?? ''];
  if (move === undefined) return undefined;
  const painting = currentPainting(state);
  if (painting === undefined) return withNotice(state, 'The forecast is not there yet.', 'info');
  const making = painting.stepsInSlices();
  if (making !== undefined)
    return asking(withNotice(state, 'Making the steps of the forecast.', 'info'), {
      type: 'makeSteps',
      making,
      key: id,
    });
  const { length } = painting.steps();
  if (length === 0)
    return withNotice(state, 'Nothing happens in this forecast, so there are no steps.', 'info');
  const n = move(step?.n, length);
  const there = goToStep({ ...state, notice: undefined }, dialog, n);
  return n <= length
    ? there
    : withNotice(there, 'The steps have ended: the tree shows the whole forecast.', 'info');
}

/** Goes to a step, or to the forecast's end if there is none. */
export function goToStep(state: State, dialog: ActionDialog, n: number | undefined): State {
  const painting = currentPainting(state);
  const isStep = painting !== undefined && n !== undefined && n <= painting.steps().length;
  const step = isStep ? { painting, n } : undefined;
  return withNewRevision(stepInSight({ ...state, dialog: { ...dialog, step } }));
}
