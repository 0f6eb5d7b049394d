/** Everything the screen knows. Large indexes (`ClusterModel`) change in place, and `revision` with them. */
import type { Statement } from '../../diagnosis/index.ts';
import type { GraphNode } from '../../graph/index.ts';
import type { FinalizerCatalogue, Sliced, Uid } from '../../model/index.ts';
import type { StepUnit } from '../../simulation/index.ts';
import { SourceInfo } from '../../source/index.ts';
import type { Background, ColourDepth, Line, ThemeName } from '../../text/index.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Reading } from '../search/long-text.ts';
import type { NodeMatcher } from '../search/node-index.ts';
import type { Settings, ViewId } from '../settings/settings.ts';
import type { ActionDialog, ActionWish } from './action-dialog.ts';
import type { ContainerWish, KubectlCall } from './kubectl-call.ts';
import { type TourState, tourStart } from './tour.ts';
import { freshTree, initialTree, type TreeState } from './tree-state.ts';

export interface ScreenTarget {
  find(cluster: ClusterModel): GraphNode | undefined;
  /** Returns one line for the user, once everything is listed and nothing matches. */
  missing(cluster: ClusterModel): string;
  /**
   * Set for a bare type or labels: narrows the tree to matches once everything is listed; `find` isn't called. Returns
   * undefined for wrong use, which `missing` explains.
   */
  readonly matcher?: ((cluster: ClusterModel) => NodeMatcher | undefined) | undefined;
  readonly title?: string;
}

export interface ScreenOptions {
  /** Default: the source's namespace. */
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly target?: ScreenTarget | undefined;
  readonly ascii: boolean;
  readonly color: boolean;
  /** Default: 256. */
  readonly colours?: ColourDepth;
  readonly background?: Background | undefined;
  readonly settings?: Settings;
  readonly screenReader: boolean;
  /** `--terminated-pod-gc-threshold` of the starting cluster: see `ClusterSettings`. */
  readonly terminatedPodGcThreshold?: number | undefined;
  readonly catalogue?: FinalizerCatalogue | undefined;
  readonly readOnly: boolean;
  readonly tour?: boolean | undefined;
}

export type StepWish =
  | { readonly of: 'begin' }
  | { readonly of: 'unit'; readonly unit: StepUnit }
  | { readonly of: 'back' }
  | { readonly of: 'run' }
  /** Runs until this object, kind or decision. */
  | { readonly of: 'breakpoint'; readonly words: string };

export interface SearchHit {
  readonly node: GraphNode;
  /** Sanitised, such as `Deployment shop/api`. */
  readonly title: string;
  /** Matches within the title, as `[from, to]` in order. */
  readonly places: readonly (readonly [from: number, to: number])[];
  /** Match outside the title, such as `finalizer example.com/drain`; `''` if the title has all words. */
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
      /** The query that `hits` answer: they stay until the next query's hits arrive. */
      readonly answered: string;
      /** Enter was pressed before there were hits: jump to the first that comes. */
      readonly jump: boolean;
      /** Number of matches, of which `hits` are the best; undefined until known. */
      readonly total: number | undefined;
      readonly done: boolean;
      readonly cursor: number;
    }
  | {
      /** A command line behind `:`. */
      readonly kind: 'command';
      readonly query: string;
      /** Completions, the best first. */
      readonly items: readonly PickerItem[];
      readonly cursor: number;
      readonly recalled: number;
    }
  | {
      readonly kind: 'picker';
      readonly purpose: PickerPurpose;
      readonly title: string;
      readonly query: string;
      readonly items: readonly PickerItem[] | undefined;
      readonly cursor: number;
      readonly about?: Uid | undefined;
    }
  | {
      readonly kind: 'text';
      readonly title: string;
      readonly lines: readonly Line[];
      readonly hanging?: number;
      /** A manifest with foldable parts. */
      readonly yaml?: true;
      readonly reading?: Reading;
      readonly top: number;
      readonly loading: boolean;
      /** Set while kubectl still prints; `stream` keeps the end in view. */
      readonly printing?: 'pages' | 'stream' | undefined;
    }
  | {
      /** A scenario stepped through in a world of its own. */
      readonly kind: 'stepping';
      readonly title: string;
      readonly lines: readonly Line[];
      readonly top: number;
      readonly working: boolean;
      readonly status: string;
      /** Breakpoint being typed. */
      readonly words: string | undefined;
    };

export interface ListCursor {
  readonly key: string | undefined;
  readonly index: number;
  readonly top: number;
}

/** A list that words can narrow; `''` shows all of it. */
export interface ListState extends ListCursor {
  readonly filter: string;
  /** False once the cursor has left the end; until then it follows new rows if they come last. */
  readonly following?: boolean;
  /** Kinds of rows shown, with a title; undefined for all. */
  readonly only?: { readonly title: string; readonly kinds: ReadonlySet<string> } | undefined;
  /** Problems are listed by code instead of by cause. */
  readonly byCode?: boolean;
}

export interface Place {
  readonly view: ViewId;
  /** Undefined for the whole cluster. */
  readonly namespace: string | undefined;
  /** Uid in the tree, the row's key elsewhere; undefined if there was no row. */
  readonly row: string | undefined;
}

interface Visited {
  readonly back: readonly Place[];
  readonly ahead: readonly Place[];
}

const nowhere: Visited = { back: [], ahead: [] };

/** Start of a range of rows being marked in the current view. */
export interface MarkRange {
  readonly view: ViewId;
  readonly from: number;
  readonly before: ReadonlySet<Uid>;
  /** `open` until a key ends it, `held` while Shift is held with the arrows. */
  readonly by: 'open' | 'held';
}

export type NoticeStyle = 'info' | 'warning' | 'danger';

interface Notice {
  readonly text: string;
  readonly style: NoticeStyle;
  readonly until: number;
}

/** Missing permissions for one object, of those that the API server was asked about. */
export interface Access {
  readonly uid: Uid;
  readonly delete?: string | undefined;
  readonly unblock?: string | undefined;
}

export interface Statements {
  readonly uid: Uid;
  readonly said: readonly Statement[];
}

/** Printer columns of one custom resource, as `NAME=VALUE`. */
export interface PrinterColumns {
  readonly uid: Uid;
  readonly resourceVersion: string;
  readonly columns: readonly string[];
}

/** States that definitions print for custom resources; `''` for none. */
export type RowStates = ReadonlyMap<Uid, { readonly resourceVersion: string; readonly text: string }>;

/** Lines of the details: what uses an object, and what it uses. */
export interface Uses {
  readonly uid: Uid;
  readonly lines: readonly Line[];
}

/** Requests of the screen to the session, as plain data. */
export type Effect =
  /** Opens a context's source, by default the one at the start. */
  | { readonly type: 'open'; readonly context: string | undefined }
  | { readonly type: 'prefer'; readonly namespace: string }
  | { readonly type: 'listContexts' }
  | { readonly type: 'search'; readonly query: string }
  | { readonly type: 'stopSearch' }
  /** Fetches the live object, and shows its YAML, field managers or uses in the dialog of this title. */
  | {
      readonly type: 'showDocument';
      readonly content: 'yaml' | 'managers' | 'uses';
      readonly node: GraphNode;
      readonly title: string;
    }
  | { readonly type: 'copy'; readonly text: string }
  /** Writes the screen to a file, and sends a `notice` with its path. */
  | { readonly type: 'export' }
  /** Records the screen, or writes the record to a file, and sends a `notice`. */
  | { readonly type: 'cast' }
  /** Asks when nodes were deleted or which manager runs, and sends `removals` or `manager`. */
  | { readonly type: 'askPodGcSigns'; readonly sign: 'removals' | 'manager' }
  /** Judges the rest in slices, and sends `judged`. */
  | { readonly type: 'judge' }
  | { readonly type: 'prepare' }
  /** Sorts the rest by manager in slices, and sends `sorted`. */
  | { readonly type: 'sortManagers' }
  | { readonly type: 'unfoldMore' }
  | { readonly type: 'openAction'; readonly number: number; readonly wish: ActionWish }
  | { readonly type: 'chooseAction'; readonly number: number; readonly choice: string }
  | { readonly type: 'lookAtChoice'; readonly number: number; readonly choice: string }
  | { readonly type: 'answerAction'; readonly number: number; readonly yes: boolean }
  /** Drops unsent requests and stops following sent ones. */
  | { readonly type: 'stopAction'; readonly number: number }
  /** Makes the steps of the painted forecast in slices, and sends `stepsMade` with the key that asked for one. */
  | { readonly type: 'makeSteps'; readonly making: Sliced<unknown>; readonly key: string }
  | { readonly type: 'askAccess'; readonly uid: Uid }
  /** Shows another moment of a recording, and sends `sought`. */
  | { readonly type: 'seek'; readonly moment: number }
  | { readonly type: 'seekChange'; readonly direction: 1 | -1 }
  /** Plays on, as long as `State.replay` says so. */
  | { readonly type: 'play' }
  | { readonly type: 'markDeletions' }
  /** Reads and follows the collector's state while its view is shown; sends `collected`. */
  | { readonly type: 'followCollector' }
  /** Steps through the scenario, or pauses its run, and sends `stepped`. */
  | { readonly type: 'step'; readonly wish: StepWish }
  | { readonly type: 'stopStepping' }
  | { readonly type: 'kubectl'; readonly call: KubectlCall }
  /** Shows kubectl's output in the dialog of this title until `stopReading`. */
  | { readonly type: 'readKubectl'; readonly call: KubectlCall; readonly title: string }
  | { readonly type: 'stopReading' }
  | { readonly type: 'askContainers'; readonly wish: ContainerWish; readonly uid: Uid }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  /** Leaves the screen; `error` is one line for standard error. */
  | { readonly type: 'quit'; readonly code: number; readonly error?: string };

export interface ReplayState {
  readonly known: boolean;
  readonly playing: boolean;
  /** Multiple of the recorded speed. */
  readonly speed: number;
  /** Deletions in each of the recording's equal parts; undefined until known. */
  readonly marks: Uint32Array | undefined;
}

export interface State {
  readonly options: ScreenOptions;
  readonly columns: number;
  readonly rows: number;
  /** That of the last message that had one. */
  readonly now: number;
  /** `now`, or up to `AGES_MS` before it if only time has passed since: see `agesAsOf`. */
  readonly agesAt: number;
  readonly info: SourceInfo | undefined;
  readonly opening: string | undefined;
  readonly waitingFor: string | undefined;
  readonly cluster: ClusterModel | undefined;
  readonly revision: number;
  readonly graphComplete: boolean;
  readonly view: ViewId;
  /** Cursor and filters of each list view by its id; absent until it is shown. */
  readonly lists: Readonly<Record<ViewId, ListState>>;
  readonly tree: TreeState;
  readonly awaited: ScreenTarget | undefined;
  /** The screen still chooses its first row, and its view if `view` is set: nothing was pressed yet. */
  readonly arriving: { readonly view: boolean } | undefined;
  readonly focus: 'tree' | 'details';
  /** `auto` shows details if there is room, `full` in place of the tree. */
  readonly details: 'auto' | 'full' | 'hidden';
  readonly detailsTop: number;
  readonly detailsLink: { readonly about: Uid | undefined; readonly index: number } | undefined;
  readonly visited: Visited;
  /** Namespace shown before all of them. */
  readonly namespaceBefore: string | undefined;
  readonly problem: string | undefined;
  readonly theme: ThemeName;
  readonly dialog: Dialog | undefined;
  readonly typedLines: readonly string[];
  readonly contexts: readonly string[] | undefined;
  /** Objects for the next deletion, in place of the one under the cursor. */
  readonly marks: ReadonlySet<Uid>;
  /** Marked objects deleted since the user last acted on marks. */
  readonly goneMarks: number;
  readonly range: MarkRange | undefined;
  readonly actions: number;
  readonly access: Access | undefined;
  readonly statements: Statements | undefined;
  readonly printed: PrinterColumns | undefined;
  readonly rowStates: RowStates;
  readonly uses: Uses | undefined;
  readonly notice: Notice | undefined;
  readonly replay: ReplayState;
  readonly tour: TourState | undefined;
  /** Effects requested by the current message; empty between messages. */
  readonly effects: readonly Effect[];
}

export function asOf({ info, now }: Pick<State, 'info' | 'now'>): number {
  return SourceInfo.moment(info, now);
}

/** Milliseconds after which ages are drawn again if nothing else happens: an idle screen seldom writes. */
export const AGES_MS = 10_000;

/** Like `asOf`, for ages. */
export function agesAsOf({ info, agesAt: now }: Pick<State, 'info' | 'agesAt'>): number {
  return SourceInfo.moment(info, now);
}

export const freshList: ListState = { key: undefined, index: 0, top: 0, filter: '' };

export function listState({ lists }: Pick<State, 'lists'>, id: ViewId): ListState {
  return lists[id] ?? freshList;
}

export function withListState(state: State, id: ViewId, part: Partial<ListState>): State {
  return { ...state, lists: { ...state.lists, [id]: { ...listState(state, id), ...part } } };
}

const freshCluster = {
  opening: undefined,
  waitingFor: undefined,
  graphComplete: false,
  lists: {},
  visited: nowhere,
  namespaceBefore: undefined,
  problem: undefined,
  focus: 'tree',
  detailsTop: 0,
  detailsLink: undefined,
  marks: new Set<Uid>(),
  goneMarks: 0,
  range: undefined,
  access: undefined,
  statements: undefined,
  printed: undefined,
  rowStates: new Map() as RowStates,
  uses: undefined,
  replay: { known: false, playing: false, speed: 1, marks: undefined } as ReplayState,
} satisfies Partial<State>;

/** Drops the state about the previous cluster. */
export function withFreshCluster(state: State): State {
  return { ...state, ...freshCluster, tree: { ...state.tree, ...freshTree } };
}

export interface InitialState {
  readonly options: ScreenOptions;
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

export function initialState(initial: InitialState): State {
  return {
    ...initial,
    agesAt: initial.now,
    info: undefined,
    cluster: undefined,
    revision: 0,
    ...freshCluster,
    view: initial.options.settings?.view ?? 'tree',
    awaited: initial.options.target,
    arriving:
      initial.options.target === undefined
        ? { view: initial.options.settings?.view === undefined }
        : undefined,
    // A screen reader reads the row aloud; the user asks for details.
    details: initial.options.screenReader ? 'hidden' : 'auto',
    tree: initialTree(initial.options.settings),
    theme: initial.options.settings?.theme ?? 'auto',
    dialog: undefined,
    typedLines: [],
    contexts: undefined,
    actions: 0,
    notice: undefined,
    tour: initial.options.tour === true ? tourStart : undefined,
    effects: [],
  };
}

export function withTree(state: State, part: Partial<TreeState>): State {
  return { ...state, tree: { ...state.tree, ...part } };
}

export function asking(state: State, ...effects: readonly Effect[]): State {
  return effects.length === 0 ? state : { ...state, effects: [...state.effects, ...effects] };
}

const NOTICE_MS = 4_000;
/** Reading time per character of a longer notice. */
const CHARACTER_MS = 80;

/** An empty text says nothing. */
export function withNotice(state: State, text: string, style: NoticeStyle): State {
  if (text === '') return state;
  return {
    ...state,
    notice: { text, style, until: state.now + Math.max(NOTICE_MS, text.length * CHARACTER_MS) },
  };
}

/** Marks a change within a value held by reference. */
export function withNewRevision(state: State): State {
  return { ...state, revision: state.revision + 1 };
}
