/**
 * An action on the screen as plain data: what was asked for, how far it is, and what the dialog shows of it. Forecasts
 * and requests stay with whoever runs it (`acting.ts`), which is only loaded when somebody acts.
 */
import type { Uid } from '../../model/object.ts';
import type { Style } from '../../text/terminal/style.ts';
import type { TextLine } from '../../text/terminal/text-line.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { Painting } from '../painting/painting.ts';
import type { ViewId } from '../state/views.ts';

/** What a key asks for. */
export type ActionWish =
  /** One of the three policies, chosen from their forecasts. */
  | { readonly what: 'delete'; readonly uids: readonly Uid[] }
  | { readonly what: 'orphan'; readonly uids: readonly Uid[] }
  /** The remedy that is recommended; of several objects one of those for many. */
  | { readonly what: 'unblock'; readonly uids: readonly Uid[] }
  /** One of all remedies. */
  | { readonly what: 'remedies'; readonly uids: readonly Uid[] }
  /** One of the journal's entries. */
  | { readonly what: 'undo' }
  /** Forecasts alone. */
  | { readonly what: 'plan'; readonly uids: readonly Uid[] };

export interface ActionChoice {
  readonly id: string;
  /** Sanitised, as are all texts here. */
  readonly label: string;
  /** A word or a few signs on what it brings about; `''` where there are none. */
  readonly hint: string;
  readonly style: Style;
  /** What more there is to say of it, shown while the cursor is on it. */
  readonly lines: readonly TextLine[];
  /** It cannot be taken. */
  readonly refused?: boolean;
}

export type ActionStage =
  /** Something is being made or asked; no key goes on. `stoppable`: nothing was sent yet. */
  | { readonly at: 'working'; readonly doing: string; readonly stoppable: boolean }
  | {
      readonly at: 'choosing';
      readonly question: string;
      /** `row`: side by side, with what they have in common below; `list`: one below the other. */
      readonly as: 'row' | 'list';
      readonly choices: readonly ActionChoice[];
      /** -1 while none is chosen. */
      readonly cursor: number;
      /** They are there to be looked at, and none of them can be taken. */
      readonly looksOnly?: boolean;
    }
  | {
      readonly at: 'asking';
      readonly question: string;
      /** What has to be typed; undefined where a key is enough. */
      readonly word: string | undefined;
      readonly typed: string;
    }
  /** `done` of `total` expectations hold. `until`: when the grace period of what it waits for ends, in milliseconds since the epoch. */
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
      /** Something was done that the list of `z` has, and the text says so: the key works while it stands there. */
      readonly undoable?: boolean;
    };

/** Forecasts by the choice that each is of; `''` is that of the action as it stands. */
export type Paintings = ReadonlyMap<string, Painting>;

/** What was on the screen when the action began: it comes back when its panel is closed. */
export interface BeforeAction {
  readonly view: ViewId;
  readonly selected: TreeItem | undefined;
  readonly top: number;
  readonly focus: 'tree' | 'details';
  readonly moved: boolean;
  /** Rows that were unfolded to show what becomes of what is below them. */
  readonly unfolded: readonly TreeItem[];
}

/** Of a deletion of pods: seconds that they are given, 0 by force; undefined for what each of them has. */
export interface GraceChoice {
  readonly seconds: number | undefined;
}

export interface ActionDialog {
  readonly kind: 'action';
  /** Counts the actions, so that what an earlier one still tells is known as such. */
  readonly number: number;
  readonly title: string;
  readonly stage: ActionStage;
  readonly lines: readonly TextLine[];
  readonly top: number;
  readonly paintings: Paintings;
  /** The policies side by side; undefined where there is no choice between them. */
  readonly table: readonly TextLine[] | undefined;
  /** Undefined where no grace period can be chosen, because no pod is to be deleted. */
  readonly grace: GraceChoice | undefined;
  /** The table is shown in place of the lines. */
  readonly showsTable: boolean;
  readonly before: BeforeAction;
  /** The choice for which the tree was scrolled to what is painted. */
  readonly sighted?: string | undefined;
}

/** What is shown of an action while it is under way. Fields that are left out stay as they are. */
export interface ActionNews {
  readonly title?: string;
  /** Left out: the question that stands, if one does, is kept up to date; otherwise the news are none. */
  readonly stage?: ActionStage;
  /** Of the question that stands, which takes the same answer; for news without a stage. */
  readonly question?: string;
  readonly lines?: readonly TextLine[];
  readonly paintings?: Paintings;
  readonly table?: readonly TextLine[];
  readonly grace?: GraceChoice;
}
