/** What can happen to the screen, as plain data. */
import type { SourceBatch } from '../../model/exchange/changes.ts';
import type { ManagerLease, NodeRemoval } from '../../model/exchange/manager-lease.ts';
import type { SourceInfo } from '../../source/source.ts';
import type { Line } from '../../text/terminal/style.ts';
import type { ActionNews } from '../actions/action.ts';
import type { ClusterModel } from '../cluster/model.ts';
import type { Key } from '../commands/keys.ts';
import type { Containers, NoContainers } from '../kubectl/commands.ts';
import type { Diagnostics } from './diagnostics.ts';
import type { Access, SearchHit, Statements } from './state.ts';

export type Message =
  | { readonly type: 'key'; readonly key: Key }
  /** Text that was pasted: it is typed into an open prompt and means nothing elsewhere. */
  | { readonly type: 'paste'; readonly text: string }
  /** Columns and rows count from 0. */
  | { readonly type: 'wheel'; readonly lines: number; readonly column: number; readonly row: number }
  | { readonly type: 'click'; readonly column: number; readonly row: number }
  /** The button was held down and the mouse moved. */
  | { readonly type: 'drag'; readonly column: number; readonly row: number }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'tick'; readonly now: number }
  | { readonly type: 'opened'; readonly info: SourceInfo; readonly cluster: ClusterModel }
  | { readonly type: 'openFailed'; readonly message: string }
  /** What is being opened waits for somebody; or not any more. */
  | { readonly type: 'waiting'; readonly who: string | undefined }
  /** What the source delivered since the last one. */
  | { readonly type: 'batch'; readonly batch: SourceBatch; readonly now: number }
  | { readonly type: 'graphComplete'; readonly info: SourceInfo }
  /** Whatever is known can be judged from now on. */
  | { readonly type: 'diagnosticsLoaded'; readonly diagnostics: Diagnostics }
  /** The facts of every kind are there, or cannot be had. */
  | { readonly type: 'factsComplete'; readonly info: SourceInfo; readonly diagnostics: Diagnostics }
  /** When nodes were seen being deleted, by name. */
  | { readonly type: 'removals'; readonly removals: ReadonlyMap<string, NodeRemoval> }
  /** The lease of kube-controller-manager; undefined where nothing tells. */
  | { readonly type: 'manager'; readonly lease: ManagerLease | undefined }
  /** Everything is surveyed: what PodGC takes, and what is told of changes from now on. */
  | { readonly type: 'prepared' }
  /** Every object was judged: findings may be others than before. */
  | { readonly type: 'judged' }
  /** Every object was sorted by who manages it. */
  | { readonly type: 'sorted' }
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
  | { readonly type: 'statements'; readonly statements: Statements }
  /** This moment of the recording is shown, in a cluster that may be another one than before. */
  | { readonly type: 'sought'; readonly moment: number; readonly cluster: ClusterModel }
  /** How stepping through a scenario went, and what its collector holds now. */
  | { readonly type: 'stepped'; readonly lines: readonly Line[]; readonly status: string }
  /** What the collector holds is known. */
  | { readonly type: 'collected' }
  /** A recording that was played is at its end. */
  | { readonly type: 'played' }
  /** How many objects were deleted in each part of the recording. */
  | { readonly type: 'marks'; readonly marks: Uint32Array }
  | { readonly type: 'contexts'; readonly names: readonly string[] }
  /** The containers of a pod that is asked for, or why there are none. */
  | ({ readonly type: 'containers' } & (Containers | NoContainers))
  /** What was copied and how; undefined where it has to be shown to be copied by hand. */
  | { readonly type: 'copied'; readonly text: string; readonly how: string | undefined }
  | { readonly type: 'document'; readonly title: string; readonly lines: readonly Line[] }
  | { readonly type: 'notice'; readonly text: string; readonly style: 'info' | 'warning' | 'danger' };
