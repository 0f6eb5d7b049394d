/**
 * Everything the screen knows, as one value. The large indexes (`ClusterModel` and its rows) are held by
 * reference and change in place; `revision` moves whenever one of them did.
 */
import type { ActivityKind } from '../../activity/entry.ts';
import type { Statement } from '../../diagnosis/explain/statements.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import type { StepUnit } from '../../simulation/stepping/stepper.ts';
import { momentOf, type SourceInfo } from '../../source/source.ts';
import type { Line } from '../../text/terminal/style.ts';
import type { Background, ColourDepth, ThemeName } from '../../text/terminal/themes.ts';
import type { ActionDialog, ActionWish } from '../actions/action.ts';
import type { ClusterModel, TreeFilter } from '../cluster/model.ts';
import type { TreeItem } from '../cluster/tree/item.ts';
import type { TreeSort } from '../cluster/tree/order.ts';
import type { ContainerWish, KubectlCall } from '../kubectl/calls.ts';
import type { Reading } from '../reading/reading.ts';
import type { NodeMatcher } from '../search/index.ts';
import { type ChosenColumn, chosenColumns, type WrittenColumn } from '../settings/columns.ts';
import type { Settings } from '../settings/settings.ts';
import { type TourState, tourStart } from './tour.ts';
import type { ViewId } from './views.ts';

/** What the screen was asked to open at. */
export interface ScreenTarget {
  /** The node, as soon as it is known; undefined while it isn't. */
  find(cluster: ClusterModel): GraphNode | undefined;
  /** One line for people, asked for once everything is listed and nothing fits. */
  missing(cluster: ClusterModel): string;
  /**
   * Set where many objects may be meant, by a bare type or by labels: then the tree is narrowed to what matches once
   * everything is listed, and `find` isn't asked. Undefined where it is wrong use, which `missing` tells.
   */
  readonly matcher?: ((cluster: ClusterModel) => NodeMatcher | undefined) | undefined;
  /** What was asked for, as it was written. */
  readonly title?: string;
}

export interface ScreenOptions {
  /** Undefined starts in the namespace that the source names. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly target?: ScreenTarget | undefined;
  readonly ascii: boolean;
  readonly color: boolean;
  /** How many colours the terminal has; left out, 256. */
  readonly colours?: ColourDepth;
  /** Of the terminal, as far as it says; left out, dark. */
  readonly background?: Background | undefined;
  /** What the user wrote down; left out, nothing. */
  readonly settings?: Settings;
  readonly screenReader: boolean;
  /** What was said of the cluster that the program was started with: see `ClusterSettings`. */
  readonly terminatedPodGcThreshold?: number | undefined;
  readonly readOnly: boolean;
  /** Shown around: see `tour.ts`. */
  readonly tour?: boolean | undefined;
}

/** What is wished for of a scenario that is stepped through. */
export type StepWish =
  | { readonly of: 'begin' }
  | { readonly of: 'unit'; readonly unit: StepUnit }
  | { readonly of: 'back' }
  | { readonly of: 'run' }
  /** On to what these words mean: an object, a kind or a decision. */
  | { readonly of: 'breakpoint'; readonly words: string };

export interface SearchHit {
  readonly node: GraphNode;
  /** `Deployment shop/api`, sanitised. */
  readonly title: string;
  /** Where in the title the words are, as `[from, to]` in order. */
  readonly places: readonly (readonly [from: number, to: number])[];
  /** What else the words are in: `finalizer example.com/drain`. `''` where the title has all of them. */
  readonly besides: string;
}

export interface PickerItem {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
}

export type PickerPurpose =
  | 'namespace'
  | 'context'
  | 'owner'
  | 'copy'
  | 'activity'
  | 'pod'
  | 'logs'
  | 'shell'
  | 'own';

export type Dialog =
  | ActionDialog
  | {
      readonly kind: 'search';
      readonly query: string;
      readonly hits: readonly SearchHit[];
      /** The query that `hits` answer: they stay on the screen until those of the next one arrive. */
      readonly answered: string;
      /** Enter was pressed before the hits were there: the first one is jumped to when it comes. */
      readonly jump: boolean;
      /** Objects that match, of which `hits` are the best; undefined while the first ones are looked for. */
      readonly total: number | undefined;
      /** False while the search still goes on. */
      readonly done: boolean;
      readonly cursor: number;
    }
  | {
      /** A line of words behind `:`. */
      readonly kind: 'command';
      readonly query: string;
      /** What fits it, the best first. */
      readonly items: readonly PickerItem[];
      readonly cursor: number;
      /** How many lines back the one is that was fetched again; 0 while somebody types. */
      readonly recalled: number;
    }
  | {
      readonly kind: 'picker';
      readonly purpose: PickerPurpose;
      readonly title: string;
      readonly query: string;
      /** Undefined while the items are being fetched. */
      readonly items: readonly PickerItem[] | undefined;
      readonly cursor: number;
      /** The object that the choice is about, where there is one. */
      readonly about?: Uid | undefined;
    }
  | {
      readonly kind: 'text';
      readonly title: string;
      readonly lines: readonly Line[];
      /** Columns by which the rest of a line is indented that is too long; left out: a little deeper than its first. */
      readonly hanging?: number;
      /** It is a manifest, whose parts can be folded. */
      readonly yaml?: true;
      /** What is looked for in it, and folded; undefined before anybody did. */
      readonly reading?: Reading;
      readonly top: number;
      /** Something is still being fetched. */
      readonly loading: boolean;
    }
  | {
      /** A scenario that is stepped through, in a world of its own. */
      readonly kind: 'stepping';
      readonly title: string;
      readonly lines: readonly Line[];
      readonly top: number;
      /** What it was asked for last is still under way. */
      readonly working: boolean;
      readonly status: string;
      /** What is typed of a breakpoint; undefined while none is. */
      readonly words: string | undefined;
    };

/** Where the cursor of a list is, and which part of it shows. */
export interface ListCursor {
  /** Of the row under the cursor, so that it is found again; undefined while there are no rows. */
  readonly key: string | undefined;
  readonly index: number;
  /** Index of the topmost visible row. */
  readonly top: number;
}

/** Of a list that words can narrow; `''` shows all of it. */
export interface FilteredList extends ListCursor {
  readonly filter: string;
  /** False once the cursor was moved away from the end: until then it goes with what is new, where that comes last. */
  readonly following?: boolean;
}

/** Of the Activity view, whose newest rows come last. */
export interface ActivityList extends FilteredList {
  /** Which kinds of entries are shown, and what these are called; undefined for all. */
  readonly only?: { readonly title: string; readonly kinds: ReadonlySet<ActivityKind> } | undefined;
}

/** Where somebody was on the screen. */
export interface Place {
  readonly view: ViewId;
  /** Undefined is the whole cluster. */
  readonly namespace: string | undefined;
  /** In the tree the object's uid, elsewhere the row's key; undefined where there was no row. */
  readonly row: string | undefined;
}

/** Where somebody has been, so that keys go back there and forward again. */
interface Visited {
  /** The latest last. */
  readonly back: readonly Place[];
  /** What going back has left; the next one last. */
  readonly ahead: readonly Place[];
}

const nowhere: Visited = { back: [], ahead: [] };

/** From where rows are being marked, in the view that is shown. */
export interface MarkRange {
  readonly view: ViewId;
  /** Index of the row. */
  readonly from: number;
  /** What was marked before. */
  readonly before: ReadonlySet<Uid>;
  /** `open` until it is ended by key, `held` as long as Shift is held down with the arrows. */
  readonly by: 'open' | 'held';
}

export type NoticeStyle = 'info' | 'warning' | 'danger';

interface Notice {
  readonly text: string;
  readonly style: NoticeStyle;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What the user may not do to one object, as far as the API server was asked. */
export interface Access {
  readonly uid: Uid;
  /** Which permission is missing, sanitised; undefined where none is, or where nobody knows yet. */
  readonly delete?: string | undefined;
  readonly unblock?: string | undefined;
}

/** What the objects at the end of the way say of why one object stays. */
export interface Statements {
  readonly uid: Uid;
  readonly said: readonly Statement[];
}

/** What the screen asks the session to do, as plain data. */
export type Effect =
  /** Open the source of a context (undefined: the one the program was started with). */
  | { readonly type: 'open'; readonly context: string | undefined }
  /** Read the namespace before everything else. */
  | { readonly type: 'prefer'; readonly namespace: string }
  | { readonly type: 'listContexts' }
  | { readonly type: 'search'; readonly query: string }
  | { readonly type: 'stopSearch' }
  /** Fetch the live object and show it as YAML, or who set its fields, in the dialog of this title. */
  | {
      readonly type: 'showDocument';
      readonly content: 'yaml' | 'managers';
      readonly node: GraphNode;
      readonly title: string;
    }
  | { readonly type: 'copy'; readonly text: string }
  /** Write what is on the screen to a file, and send a `notice` of where it is. */
  | { readonly type: 'export' }
  /** Ask the source when nodes were deleted or who runs the controllers, and send `removals` or `manager`. */
  | { readonly type: 'askPodGcSigns'; readonly sign: 'removals' | 'manager' }
  /** Judge what is yet to be judged, in slices, and send `judged`. */
  | { readonly type: 'judge' }
  | { readonly type: 'prepare' }
  /** Sort what is yet to be sorted by who manages it, in slices, and send `sorted`. */
  | { readonly type: 'sortManagers' }
  /** Send `unfoldMore` once waiting input was looked at. */
  | { readonly type: 'unfoldMore' }
  /** Begin an action, which answers with `action`. */
  | { readonly type: 'openAction'; readonly number: number; readonly wish: ActionWish }
  | { readonly type: 'chooseAction'; readonly number: number; readonly choice: string }
  /** The cursor of a list is on it. */
  | { readonly type: 'lookAtChoice'; readonly number: number; readonly choice: string }
  | { readonly type: 'answerAction'; readonly number: number; readonly yes: boolean }
  /** Give up what was not sent, and don't follow what was. */
  | { readonly type: 'stopAction'; readonly number: number }
  /** Ask whether the user may act on this object. */
  | { readonly type: 'askAccess'; readonly uid: Uid }
  /** Show another moment of a recording, and send `sought`. */
  | { readonly type: 'seek'; readonly moment: number }
  | { readonly type: 'seekChange'; readonly direction: 1 | -1 }
  /** Go on as time goes by, as long as `State.replay` says so. */
  | { readonly type: 'play' }
  /** Find out where in a recording something was deleted, and send `marks`. */
  | { readonly type: 'markDeletions' }
  /** Find out what the collector holds, and follow it as long as its view is shown. Sends `collected`. */
  | { readonly type: 'followCollector' }
  /** Step through the scenario, and send `stepped`; while it runs, pause it. */
  | { readonly type: 'step'; readonly wish: StepWish }
  | { readonly type: 'stopStepping' }
  /** Hand the terminal to kubectl until it has ended. */
  | { readonly type: 'kubectl'; readonly call: KubectlCall }
  /** Fetch the containers of a pod, and send `containers`. */
  | { readonly type: 'askContainers'; readonly wish: ContainerWish; readonly uid: Uid }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  /** Leave the screen; `error` is one line for standard error. */
  | { readonly type: 'quit'; readonly code: number; readonly error?: string };

/** How a recording is shown. */
export interface ReplayState {
  /** Its time line is there; false for what is no recording. */
  readonly known: boolean;
  readonly playing: boolean;
  /** Times the speed at which it was recorded. */
  readonly speed: number;
  /** How many objects were deleted in each of so many equal parts of the recording; undefined until that is known. */
  readonly marks: Uint32Array | undefined;
}

export interface State {
  readonly options: ScreenOptions;
  readonly columns: number;
  readonly rows: number;
  /** Milliseconds since the epoch, as of the last message that brought it. */
  readonly now: number;
  readonly info: SourceInfo | undefined;
  /** The context that is being opened while the old one is still shown. */
  readonly opening: string | undefined;
  /** Who has to answer before anything can be opened, such as an exec plugin. */
  readonly waitingFor: string | undefined;
  readonly cluster: ClusterModel | undefined;
  readonly revision: number;
  readonly graphComplete: boolean;
  readonly view: ViewId;
  readonly problems: FilteredList;
  readonly podgc: FilteredList;
  readonly managers: FilteredList;
  readonly activity: ActivityList;
  readonly collector: FilteredList;
  /** The row under the cursor and where it stands; undefined while there are no rows. */
  readonly selected: TreeItem | undefined;
  readonly selectedIndex: number;
  /** Index of the topmost visible row. */
  readonly top: number;
  /** False until the user moved: until then the cursor stays on the first row while lists arrive. */
  readonly moved: boolean;
  /** A target that was asked for and hasn't been found yet. */
  readonly awaited: ScreenTarget | undefined;
  readonly focus: 'tree' | 'details';
  /** `auto` shows details where there is room, `full` in place of the tree, `hidden` never. */
  readonly details: 'auto' | 'full' | 'hidden';
  readonly detailsTop: number;
  /** Which of the links in the details of this object was chosen, counted from 0; another one's details begin anew. */
  readonly detailsLink: { readonly about: Uid | undefined; readonly index: number } | undefined;
  /** Where somebody has been. */
  readonly visited: Visited;
  /** The namespace that was shown before all of them were. */
  readonly namespaceBefore: string | undefined;
  /** Of the problem that was gone to last: its code and uid. */
  readonly problem: string | undefined;
  readonly sort: TreeSort;
  readonly theme: ThemeName;
  /** Of the tree beside the name, as somebody chose them; undefined are those that it has by itself. */
  readonly treeColumns: readonly ChosenColumn[] | undefined;
  /** The tree has a column of who manages each object beside its owners. */
  readonly showsManagers: boolean;
  /** What the tree is narrowed to; undefined shows all. */
  readonly filter: TreeFilter | undefined;
  readonly dialog: Dialog | undefined;
  /** What was typed behind `:`, the latest last. */
  readonly typedLines: readonly string[];
  /** Names of the kubeconfig's contexts when it was read last; undefined before. */
  readonly contexts: readonly string[] | undefined;
  /** Objects that the next deletion is about, in place of the one under the cursor. */
  readonly marks: ReadonlySet<Uid>;
  /** Marked objects that were deleted since somebody acted on marks. */
  readonly goneMarks: number;
  /** Rows that are being marked from one to another. */
  readonly range: MarkRange | undefined;
  /** Actions begun so far: the number of the latest. */
  readonly actions: number;
  /** What may not be done to the object under the cursor, as far as the API server was asked. */
  readonly access: Access | undefined;
  /** Of the object under the cursor, or of the one before. */
  readonly statements: Statements | undefined;
  readonly notice: Notice | undefined;
  readonly replay: ReplayState;
  /** How far the guided tour is; undefined where there is none, and once it was left. */
  readonly tour: TourState | undefined;
  /** What the message that is being handled asks for; between messages there are none. */
  readonly effects: readonly Effect[];
}

/** Milliseconds since the epoch: the moment that the screen shows, as of which ages and durations are told. */
export function asOf({ info, now }: Pick<State, 'info' | 'now'>): number {
  return momentOf(info, now);
}

/** A list before anybody moved its cursor or narrowed it. */
export const freshList: FilteredList = { key: undefined, index: 0, top: 0, filter: '' };

/** What the screen knows of a cluster that was just opened. */
export const freshCluster = {
  opening: undefined,
  waitingFor: undefined,
  graphComplete: false,
  problems: freshList,
  podgc: freshList,
  managers: freshList,
  activity: freshList as ActivityList,
  collector: freshList,
  selected: undefined,
  selectedIndex: 0,
  top: 0,
  moved: false,
  visited: nowhere,
  namespaceBefore: undefined,
  problem: undefined,
  focus: 'tree',
  detailsTop: 0,
  detailsLink: undefined,
  filter: undefined,
  marks: new Set<Uid>(),
  goneMarks: 0,
  range: undefined,
  access: undefined,
  statements: undefined,
  replay: { known: false, playing: false, speed: 1, marks: undefined } as ReplayState,
} satisfies Partial<State>;

export interface InitialState {
  readonly options: ScreenOptions;
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

export function initialState(initial: InitialState): State {
  return {
    ...initial,
    info: undefined,
    cluster: undefined,
    revision: 0,
    ...freshCluster,
    view: initial.options.settings?.view ?? 'tree',
    awaited: initial.options.target,
    // What is read aloud is the row; the details are asked for.
    details: initial.options.screenReader ? 'hidden' : 'auto',
    sort: initial.options.settings?.sort ?? 'trouble',
    theme: initial.options.settings?.theme ?? 'auto',
    ...withColumns(initial.options.settings?.columns),
    dialog: undefined,
    typedLines: [],
    contexts: undefined,
    actions: 0,
    notice: undefined,
    tour: initial.options.tour === true ? tourStart : undefined,
    effects: [],
  };
}

/** What the state says of columns that are chosen anew; left out, those that the tree has by itself. */
export function withColumns(
  written: readonly WrittenColumn[] | undefined,
): Pick<State, 'treeColumns' | 'showsManagers'> {
  const columns = written && chosenColumns(written);
  return {
    treeColumns: columns,
    showsManagers: columns?.some(({ column }) => column === 'managed-by') === true,
  };
}

export function asking(state: State, ...effects: readonly Effect[]): State {
  return effects.length === 0 ? state : { ...state, effects: [...state.effects, ...effects] };
}

const NOTICE_MS = 4_000;
/** Longer ones stay as long as it takes to read them, or to copy a path. */
const CHARACTER_MS = 80;

export function withNotice(state: State, text: string, style: NoticeStyle): State {
  return {
    ...state,
    notice: { text, style, until: state.now + Math.max(NOTICE_MS, text.length * CHARACTER_MS) },
  };
}

/** Marks that something which is held by reference changed. */
export function withNewRevision(state: State): State {
  return { ...state, revision: state.revision + 1 };
}
