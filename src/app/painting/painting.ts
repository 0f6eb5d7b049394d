/** A forecast as painted on the tree. Plain data, so that drawing doesn't load the forecaster. */
import type { GraphNode, Identity } from '../../graph/index.ts';
import type { Sliced, Uid } from '../../model/index.ts';
import type { Style } from '../../text/index.ts';

/** Groups counted below a folded row. */
export type FateGroup = 'deleted' | 'altered' | 'stuck' | 'uncertain' | 'broken';

export interface PaintedFate {
  readonly group: FateGroup;
  /** One ASCII character, as in `plan --tree`. */
  readonly sign: string;
  readonly style: Style;
  /** One sanitised clause, such as `stuck: waits for the finalizer example.com/drain`. */
  readonly words: string;
  /** Fewer words for a narrow column, such as `example.com/drain holds web-2`. */
  readonly cause?: string | undefined;
  /** Also happens without the action. */
  readonly anyway: boolean;
}

/** A row for objects that a controller will create. */
export interface GhostRow {
  /** Uid of the creating controller or its ghost; `''` if unknown. */
  readonly owner: Uid | '';
  readonly node: GraphNode;
  readonly kind: string;
  /** Objects that no controller creates. */
  readonly named: readonly Pick<Identity, 'namespace' | 'name'>[];
  readonly count: number;
  /** Returns a sanitised title of the `count` objects not yet created, such as `2 new Pods`. */
  title(count: number): string;
  readonly words: string;
}

/** Change of an object since the painting began; `altered`: other references or finalizers. */
export type Progress = 'before' | 'altered' | 'deleting' | 'gone';

export interface ForecastSteps {
  readonly length: number;
  /** The end depends on the order of work, of which the steps are one. */
  readonly isOneOfSeveral: boolean;
  /** Uid of the object of step `n`, which counts from 1. */
  object(n: number): Uid | undefined;
  /** Returns a sanitised clause, such as `the garbage collector deletes Pod shop/web-1`. */
  words(n: number): string;
  /** Returns how far step `n` leaves an object. */
  progressOf(uid: Uid, n: number): Progress;
  /** Counts the objects of a ghost's row that exist after step `n`. */
  createdOf(ghost: GhostRow, n: number): number;
}

export interface Painting {
  /** Returns undefined for unchanged objects. */
  of(uid: Uid): PaintedFate | undefined;
  readonly ghosts: readonly GhostRow[];
  /** Targets and affected objects. */
  readonly objects: readonly Identity[];
  /** Made once, when the user asks for a step. */
  readonly steps: () => ForecastSteps;
  /** Makes the steps of a long forecast; undefined if `steps` takes no time. */
  readonly stepsInSlices: () => Sliced<ForecastSteps> | undefined;
}

const NO_STEPS: ForecastSteps = {
  length: 0,
  isOneOfSeveral: false,
  object: () => undefined,
  words: () => '',
  progressOf: () => 'before',
  createdOf: () => 0,
};

export const NOTHING_PAINTED: Painting = {
  of: () => undefined,
  ghosts: [],
  objects: [],
  steps: () => NO_STEPS,
  stepsInSlices: () => undefined,
};
