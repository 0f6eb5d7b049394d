/** What can happen to the screen, and what the screen can ask for. Plain data, so that both can be told in tests. */
import type { GraphNode } from '../../graph/node.ts';
import type { SourceBatch } from '../../model/exchange/changes.ts';
import type { ManagerLease, NodeRemoval } from '../../model/exchange/manager-lease.ts';
import type { Uid } from '../../model/object.ts';
import type { SourceInfo } from '../../source/source.ts';
import type { Line } from '../../text/terminal/style.ts';
import type { ActionNews, ActionWish } from '../actions/action.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Key } from '../commands/keys.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Access, SearchHit } from './state.ts';

export type Message =
  | { readonly type: 'key'; readonly key: Key }
  /** Text that was pasted: it is typed into an open prompt and means nothing elsewhere. */
  | { readonly type: 'paste'; readonly text: string }
  /** Columns and rows count from 0. */
  | { readonly type: 'wheel'; readonly lines: number; readonly column: number; readonly row: number }
  | { readonly type: 'click'; readonly column: number; readonly row: number }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'tick'; readonly now: number }
  | { readonly type: 'opened'; readonly info: SourceInfo; readonly cluster: ClusterModel }
  | { readonly type: 'openFailed'; readonly message: string }
  /** What is being opened waits for somebody; or not any more. */
  | { readonly type: 'waiting'; readonly who: string | undefined }
  | { readonly type: 'batches'; readonly batches: readonly SourceBatch[]; readonly now: number }
  | { readonly type: 'graphComplete'; readonly info: SourceInfo }
  /** The facts of every kind are there, or cannot be had. */
  | { readonly type: 'factsComplete'; readonly info: SourceInfo; readonly diagnostics: Diagnostics }
  /** When nodes were noticed to go, by name. */
  | { readonly type: 'removals'; readonly removals: ReadonlyMap<string, NodeRemoval> }
  /** The lease of kube-controller-manager; undefined where nothing tells. */
  | { readonly type: 'manager'; readonly lease: ManagerLease | undefined }
  /** Every object was judged: findings may be others than before. */
  | { readonly type: 'judged' }
  | {
      readonly type: 'found';
      readonly query: string;
      readonly hits: readonly SearchHit[];
      readonly total: number;
      readonly done: boolean;
    }
  /** Time to unfold more of what is to be unfolded. */
  | { readonly type: 'unfoldMore' }
  /** How far the action of this number is. */
  | { readonly type: 'action'; readonly number: number; readonly news: ActionNews }
  | { readonly type: 'access'; readonly access: Access }
  | { readonly type: 'contexts'; readonly names: readonly string[] }
  | { readonly type: 'document'; readonly title: string; readonly lines: readonly Line[] }
  | { readonly type: 'notice'; readonly text: string; readonly style: 'info' | 'warning' | 'danger' };

export type Effect =
  /** Open the source of a context (undefined: the one the program was started with). */
  | { readonly type: 'open'; readonly context: string | undefined }
  | { readonly type: 'listContexts' }
  | { readonly type: 'search'; readonly query: string }
  | { readonly type: 'stopSearch' }
  /** Fetch the live object and show it as YAML. */
  | { readonly type: 'showYaml'; readonly node: GraphNode; readonly title: string }
  /** Fetch the managed fields of an object and show who set what. */
  | { readonly type: 'showManaged'; readonly node: GraphNode; readonly title: string }
  | { readonly type: 'copy'; readonly text: string }
  /** Write what is on the screen to a file, and send a `notice` of where it is. */
  | { readonly type: 'export' }
  /** Ask the source when nodes went or who runs the controllers, and send `removals` or `manager`. */
  | { readonly type: 'askPodGcSigns'; readonly sign: 'removals' | 'manager' }
  /** Judge what is yet to be judged, in slices, and send `judged`. */
  | { readonly type: 'judge' }
  /** Send `unfoldMore` once waiting input was looked at. */
  | { readonly type: 'unfoldMore' }
  /** Begin an action, which answers with `action`. */
  | { readonly type: 'openAction'; readonly number: number; readonly wish: ActionWish }
  | { readonly type: 'chooseAction'; readonly number: number; readonly choice: string }
  | { readonly type: 'answerAction'; readonly number: number; readonly yes: boolean }
  /** Give up what was not sent, and don't follow what was. */
  | { readonly type: 'stopAction'; readonly number: number }
  /** Ask whether the user may act on this object. */
  | { readonly type: 'askAccess'; readonly uid: Uid }
  | { readonly type: 'suspend' }
  | { readonly type: 'redraw' }
  /** Leave the screen; `error` is one line for standard error. */
  | { readonly type: 'quit'; readonly code: number; readonly error?: string };
