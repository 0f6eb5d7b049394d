/**
 * A forecast as it is painted on the tree: what each object's row says of it, made once for each forecast, so that
 * choosing another policy paints nothing but the rows that show. Plain values and look-ups: what forecasts is loaded with
 * the first action, and drawing needs none of it.
 */
import type { GraphNode, Identity } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import type { Style } from '../../text/terminal/style.ts';

/** What is counted below a folded row. */
export type FateGroup = 'deleted' | 'altered' | 'stuck' | 'uncertain';

export interface PaintedFate {
  readonly group: FateGroup;
  /** One ASCII character, as `plan --tree` has it. */
  readonly sign: string;
  readonly style: Style;
  /** One clause, sanitised: `deleted`, `stuck: waits for the finalizer example.com/drain`. */
  readonly words: string;
  /** The same happens if nobody acts. */
  readonly anyway: boolean;
}

/** What a controller creates: a row below it, for an object that isn't there yet. */
export interface GhostRow {
  /** Of the controller, or of the ghost of one that is created itself; `''` where none is known. */
  readonly owner: Uid | '';
  readonly node: GraphNode;
  readonly kind: string;
  /** Of what no controller creates. */
  readonly named: readonly Pick<Identity, 'namespace' | 'name'>[];
  /** How many objects it stands for. */
  readonly count: number;
  /** `2 new Pods`, of so many that are still to come, sanitised. */
  title(count: number): string;
  readonly words: string;
}

export interface Painting {
  /** Undefined for what stays as it is. */
  of(uid: Uid): PaintedFate | undefined;
  readonly ghosts: readonly GhostRow[];
  /** The targets, and everything that something becomes of by the action. */
  readonly objects: readonly Identity[];
}

/** Of what changes nothing. */
export const NOTHING_PAINTED: Painting = { of: () => undefined, ghosts: [], objects: [] };
