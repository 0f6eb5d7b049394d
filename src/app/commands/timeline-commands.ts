/** Moves along a recording's time line. */
import { asking, type State } from '../state/state.ts';

const MINUTE = 60_000;
const speeds = [1, 10, 60, 600] as const;

export function seekTo(state: State, moment: number): State {
  return asking(paused(state), { type: 'seek', moment });
}

export function seekBy(state: State, minutes: number): State {
  return seekTo(state, (state.info?.takenAt ?? 0) + minutes * MINUTE);
}

export function seekEnd(state: State, end: 'from' | 'to'): State {
  const range = state.info?.recording;
  return range === undefined ? state : seekTo(state, range[end]);
}

export function seekChange(state: State, direction: 1 | -1): State {
  return asking(paused(state), { type: 'seekChange', direction });
}

/** Starts over if the recording is at its end. */
export function playOrPause(state: State): State {
  const { replay, info } = state;
  if (replay.playing) return paused(state);
  const range = info?.recording;
  const isOver = range !== undefined && (info?.takenAt ?? range.to) >= range.to;
  const begun = isOver ? seekEnd(state, 'from') : state;
  return asking({ ...begun, replay: { ...replay, playing: true } }, { type: 'play' });
}

export function nextSpeed(state: State): State {
  const { replay } = state;
  const speed = speeds[(speeds.findIndex(each => each === replay.speed) + 1) % speeds.length] ?? 1;
  return { ...state, replay: { ...replay, speed } };
}

function paused(state: State): State {
  return state.replay.playing ? { ...state, replay: { ...state.replay, playing: false } } : state;
}
