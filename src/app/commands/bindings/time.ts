/** Keys for a recording's time line, and for stepping. */
import { type Bindings, needsRecording } from './binding.ts';

export const timeBindings = {
  play: {
    title: 'Play the recording, or pause',
    keys: ['P'],
    group: 'Time',
    footer: 'play',
    idle: needsRecording,
  },
  speed: { title: 'Play it at another speed', keys: ['S'], group: 'Time', idle: needsRecording },
  changeBack: { title: 'A change back', keys: [','], group: 'Time', footer: 'back', idle: needsRecording },
  changeOn: { title: 'A change on', keys: ['.'], group: 'Time', footer: 'on', idle: needsRecording },
  minuteBack: { title: 'A minute back', keys: ['<'], group: 'Time', idle: needsRecording },
  minuteOn: { title: 'A minute on', keys: ['>'], group: 'Time', idle: needsRecording },
  recordingStart: {
    title: 'Beginning of the recording',
    keys: ['('],
    group: 'Time',
    idle: needsRecording,
  },
  recordingEnd: { title: 'End of the recording', keys: [')'], group: 'Time', idle: needsRecording },
  step: {
    title: 'Step through the scenario in a world of its own, or through the recording',
    keys: ['E'],
    group: 'Time',
    footer: 'step through it',
    views: ['collector'],
    idle: ({ info, replay }) =>
      info?.source === 'demo' || replay.known
        ? undefined
        : 'Only a scenario of the demo and a recording can be stepped through.',
  },
} satisfies Bindings;
