/** Progress of the guided tour, without the tour itself, which reads the whole state. */
import type { Uid } from '../../model/index.ts';

export const tourSteps = ['find', 'look', 'ask', 'read', 'free', 'gone', 'undo', 'end'] as const;
export type TourStep = (typeof tourSteps)[number];

export interface TourState {
  readonly step: TourStep;
  readonly uid: Uid | undefined;
  readonly asked: boolean;
  /** Steps that were done before the user pressed anything, which are not counted. */
  readonly skipped: number;
  readonly begun: boolean;
}

export const tourStart: TourState = { step: 'find', uid: undefined, asked: false, skipped: 0, begun: false };
