/** Progress of the guided tour, without the tour itself, which reads the whole state. */
import type { Uid } from '../../model/index.ts';

export const tourSteps = ['find', 'look', 'ask', 'read', 'free', 'gone', 'undo', 'end'] as const;
export type TourStep = (typeof tourSteps)[number];

export interface TourState {
  readonly step: TourStep;
  readonly uid: Uid | undefined;
  readonly asked: boolean;
}

export const tourStart: TourState = { step: 'find', uid: undefined, asked: false };
