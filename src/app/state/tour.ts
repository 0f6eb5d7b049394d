/** How far somebody is shown around; apart from the tour itself, which looks at the whole state. */
import type { Uid } from '../../model/object.ts';

export const tourSteps = ['find', 'look', 'ask', 'read', 'free', 'gone', 'undo', 'end'] as const;
export type TourStep = (typeof tourSteps)[number];

export interface TourState {
  readonly step: TourStep;
  /** The object that is freed; undefined until the cluster has been read. */
  readonly uid: Uid | undefined;
  /** A forecast was asked for since the step `ask` began. */
  readonly asked: boolean;
}

export const tourStart: TourState = { step: 'find', uid: undefined, asked: false };
