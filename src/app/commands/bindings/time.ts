/** Keys for a recording's time line, and for stepping. */
import { showHidden } from '../../../model/index.ts';
import { asking, type State } from '../../state/state.ts';
import { nextSpeed, playOrPause, seekBy, seekChange, seekEnd } from '../timeline-commands.ts';
import { type Bindings, needsRecording } from './binding.ts';

function beginStepping(state: State): State {
  const title = `Stepping through ${showHidden(state.info?.context ?? 'the scenario')}`;
  const begun = { kind: 'stepping', title, lines: [], top: 0, status: '', words: undefined } as const;
  const dialog = { ...begun, working: true };
  return asking({ ...state, dialog }, { type: 'step', wish: { of: 'begin' } });
}

export const timeBindings = {
  play: {
    title: 'Play the recording, or pause',
    keys: ['P'],
    group: 'Time',
    footer: 'play',
    idle: needsRecording,
    run: playOrPause,
  },
  speed: {
    title: 'Play it at another speed',
    keys: ['S'],
    group: 'Time',
    idle: needsRecording,
    run: nextSpeed,
  },
  changeBack: {
    title: 'Previous change; in a forecast, previous step',
    keys: [','],
    group: 'Time',
    footer: 'back',
    idle: needsRecording,
    run: state => seekChange(state, -1),
  },
  changeOn: {
    title: 'Next change; in a forecast, next step',
    keys: ['.'],
    group: 'Time',
    footer: 'on',
    idle: needsRecording,
    run: state => seekChange(state, 1),
  },
  minuteBack: {
    title: 'Back one minute',
    keys: ['<'],
    group: 'Time',
    idle: needsRecording,
    run: state => seekBy(state, -1),
  },
  minuteOn: {
    title: 'Forward one minute',
    keys: ['>'],
    group: 'Time',
    idle: needsRecording,
    run: state => seekBy(state, 1),
  },
  recordingStart: {
    title: 'Beginning of the recording; in a forecast, its first step',
    keys: ['('],
    group: 'Time',
    idle: needsRecording,
    run: state => seekEnd(state, 'from'),
  },
  recordingEnd: {
    title: 'End of the recording, or of a forecast',
    keys: [')'],
    group: 'Time',
    idle: needsRecording,
    run: state => seekEnd(state, 'to'),
  },
  step: {
    title: 'Step through a copy of the scenario, or through the recording',
    keys: ['E'],
    group: 'Time',
    footer: 'step through it',
    views: ['collector'],
    idle: ({ info, replay }) =>
      info?.source === 'demo' || replay.known
        ? undefined
        : 'Only a demo and a recording can be stepped through.',
    run: beginStepping,
  },
} satisfies Bindings;
