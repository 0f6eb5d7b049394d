/** An action on the screen as plain data. Forecasts and requests are loaded at the first action. */
import type { Uid } from '../../model/index.ts';
import type { Style, TextLine } from '../../text/index.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { Painting } from '../painting/painting.ts';
import type { ViewId } from '../settings/settings.ts';
import type { TreeState } from './tree-state.ts';

export type ActionWish =
  | { readonly what: 'delete'; readonly uids: readonly Uid[] }
  | { readonly what: 'orphan'; readonly uids: readonly Uid[] }
  /** The recommended remedy; for several objects, a remedy for many. */
  | { readonly what: 'unblock'; readonly uids: readonly Uid[] }
  /** `number`: the choice to begin with, as numbered in the details pane. */
  | { readonly what: 'remedies'; readonly uids: readonly Uid[]; readonly number?: number }
  | { readonly what: 'undo' }
  | { readonly what: 'plan'; readonly uids: readonly Uid[] };

export interface ActionChoice {
  readonly id: string;
  /** Sanitised, like all texts here. */
  readonly label: string;
  /** Short summary of its effects, or `''`. */
  readonly hint: string;
  readonly style: Style;
  readonly lines: readonly TextLine[];
  /** Can't be chosen. */
  readonly refused?: boolean;
}

export type ActionStage =
  /** Work during which keys don't continue the action. `stoppable`: nothing was sent yet. */
  | { readonly at: 'working'; readonly doing: string; readonly stoppable: boolean }
  | {
      readonly at: 'choosing';
      readonly question: string;
      /** `row`: side by side above a common text; `list`: one below the other. */
      readonly as: 'row' | 'list';
      readonly choices: readonly ActionChoice[];
      /** -1 while none is chosen. */
      readonly cursor: number;
      readonly looksOnly?: boolean;
    }
  | {
      readonly at: 'asking';
      readonly question: string;
      /** Word to type; undefined if a key is enough. */
      readonly word: string | undefined;
      readonly typed: string;
    }
  /** `done` of `total` expectations hold. `until`: end of the awaited grace period. */
  | {
      readonly at: 'following';
      readonly progress: string;
      readonly done: number;
      readonly total: number;
      readonly until?: number;
    }
  | {
      readonly at: 'ended';
      readonly outcome: string;
      readonly style: Style;
      readonly undoable?: boolean;
    };

export interface ForecastStep {
  readonly painting: Painting;
  /** Counts from 1. */
  readonly n: number;
}

export type Paintings = ReadonlyMap<string, Painting>;

/** Screen before the action, restored when the panel closes. */
export interface BeforeAction {
  readonly view: ViewId;
  readonly tree: TreeState;
  readonly focus: 'tree' | 'details';
  /** Rows unfolded to show the effects. */
  readonly unfolded: readonly TreeItem[];
}

export interface GraceChoice {
  readonly seconds: number | undefined;
}

export interface ActionDialog {
  readonly kind: 'action';
  readonly what: ActionWish['what'];
  /** Number of the action; identifies late news of earlier ones. */
  readonly number: number;
  readonly title: string;
  readonly stage: ActionStage;
  readonly lines: readonly TextLine[];
  readonly top: number;
  readonly paintings: Paintings;
  readonly table: readonly TextLine[] | undefined;
  /** Undefined unless a pod is to be deleted. */
  readonly grace: GraceChoice | undefined;
  readonly showsTable: boolean;
  readonly before: BeforeAction;
  readonly sighted?: string | undefined;
  /** Valid while its forecast is painted. */
  readonly step?: ForecastStep | undefined;
}

/** Update of a running action; absent fields stay. */
export interface ActionNews {
  readonly title?: string;
  /** If undefined, the news updates the current question; without a question it is ignored. */
  readonly stage?: ActionStage;
  /** New wording of the current question, if there is no stage. */
  readonly question?: string;
  /** New choices of the current stage, whose cursor stays, if there is no stage. */
  readonly choices?: readonly ActionChoice[];
  readonly lines?: readonly TextLine[];
  readonly paintings?: Paintings;
  readonly table?: readonly TextLine[];
  readonly grace?: GraceChoice;
}

/** Numbers the choices; in a list, as in the details pane, only those that can be taken. */
export function choiceNumbers({
  as,
  choices,
}: Pick<Extract<ActionStage, { at: 'choosing' }>, 'as' | 'choices'>): readonly (number | undefined)[] {
  let number = 0;
  return choices.map(({ refused }) => (as === 'list' && refused === true ? undefined : ++number));
}
