/**
 * How a controller says that it had to choose without knowing enough: one of several ends, none of them
 * certain. A forecast names the objects instead of presenting the choice as what will happen.
 */
import type { KubeObject } from '../../model/object.ts';

export interface Uncertainty {
  readonly objects: readonly KubeObject[];
  /** The possible ends. */
  readonly outcomes: readonly ('deleted' | 'kept')[];
  readonly because: string;
}

export type ReportUncertainty = (uncertainty: Uncertainty) => void;
